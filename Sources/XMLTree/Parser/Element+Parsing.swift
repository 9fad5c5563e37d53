// Reads one element from text, for tests, tools and literals.

extension Element {
    /// Reads one element with the bindings of `context` in scope. Skips comments, processing instructions and an XML
    /// declaration around it. Text is decoded already: an encoding that the declaration names is ignored.
    ///
    /// ```swift
    /// let iq = try Element(parsing: "<iq type='get'/>", in: .clientStream)
    /// ```
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if `text` has no element or several.
    public init(
        parsing text: String, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        self = try text.withBytes { Self.read($0, isText: true, in: context, limits) }.get()
    }

    /// Reads one element from bytes in UTF-8.
    public init(
        parsing bytes: some Collection<UInt8>, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        let known = bytes.withContiguousStorageIfAvailable { Self.read($0, in: context, limits) }
        self = try (known ?? Array(bytes).withUnsafeBufferPointer { Self.read($0, in: context, limits) }).get()
    }

    @inline(never)
    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, isText: Bool = false, in context: NamespaceContext, _ limits: ParserLimits
    ) -> Result<Element, XMLParseError> {
        var parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        let input = UnsafeRawBufferPointer(bytes)
        if isText { parser.feed(text: input) } else { parser.feed(input) }
        do throws(XMLParseError) { return .success(try parser.finishOneElement()) } catch { return .failure(error) }
    }
}

extension XMLStreamParser {
    /// Ends the input, which must have one element. Only markup that is allowed between elements may surround it.
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if the input has no element or several.
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
