// One element from text: what tests, tools and literals need.

extension Element {
    /// Reads one element, as if it stood where `context` is in scope. Comments, processing instructions and an XML
    /// declaration around it are skipped.
    ///
    /// ```swift
    /// let iq = try Element(parsing: "<iq type='get'/>", in: .clientStream)
    /// ```
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if `text` holds none or several.
    public init(
        parsing text: String, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        var parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        parser.feed(text)
        self = try parser.finishOneElement()
    }

    /// Reads one element from bytes in UTF-8.
    public init(
        parsing bytes: some Collection<UInt8>, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        var parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        parser.feed(bytes)
        self = try parser.finishOneElement()
    }
}

extension XMLStreamParser {
    /// Ends the input, which holds one element and nothing else but what may stand between elements.
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if the input holds none or several.
    package mutating func finishOneElement() throws(XMLParseError) -> Element {
        finish()
        var only: Element?
        while let event = try next() {
            if case .rejected(let stanza) = event { throw stanza.error }
            guard case .element(let element, let position) = event else { continue }
            if only != nil { throw XMLParseError(.notOneElement, at: position) }
            only = element
        }
        guard let only else { throw XMLParseError(.notOneElement, at: .start) }
        return only
    }
}
