// One element from text: what tests, tools and literals need.

extension Element {
    /// Reads one element, as if it stood where `context` is in scope. Comments, processing instructions and an XML
    /// declaration around it are skipped.
    ///
    ///     let iq = try Element(parsing: "<iq type='get'/>", in: .clientStream)
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if `text` holds none or several.
    public init(
        parsing text: String, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        var parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        parser.feed(text)
        try self.init(onlyElementOf: &parser)
    }

    /// Reads one element from bytes in UTF-8.
    public init(
        parsing bytes: some Collection<UInt8>, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        var parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        parser.feed(bytes)
        try self.init(onlyElementOf: &parser)
    }

    private init(onlyElementOf parser: inout XMLStreamParser) throws(XMLParseError) {
        parser.finish()
        var only: Element?
        while let event = try parser.next() {
            guard case .element(let element, let position) = event else { continue }
            if only != nil { throw XMLParseError(.notOneElement, at: position) }
            only = element
        }
        guard let only else { throw XMLParseError(.notOneElement, at: .start) }
        self = only
    }
}
