// The streaming parser's public face: bytes in, events out.
//
// Parser/Tokenizer.swift does the work; the limits are in ParserLimits.swift, the errors in XMLParseError.swift.
//
// What is fed is read until an event is there; the rest waits as bytes until events have been taken. So a stanza is
// used while it is still in the processor's cache, and what waits takes less memory than trees.

/// Reads XML incrementally: an XMPP stream, a document, or a row of fragments.
///
/// Feed it bytes as they come, in pieces of any size, and take out events until there are none:
///
/// ```swift
/// var parser = XMLStreamParser(mode: .stream)
/// parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><message/>")
/// while let event = try parser.next() {
///     if case .element(let stanza, let position) = event { print(position.line, stanza) }
/// }
/// ```
///
/// Every stanza is an event as soon as its last byte is in. Errors come in order: whatever was complete before an
/// error is delivered first. Afterwards a parser of a stream or document delivers nothing until `reset()`; one of
/// fragments goes on with the next fragment.
///
/// Input behind an event waits in memory until the event is taken, so take events after each piece. Time is linear in
/// the input; what is kept of an incomplete stanza is bounded by `ParserLimits`, and what a parser keeps between
/// stanzas by a constant, however long the stream lives.
///
/// A parser belongs to one task or actor at a time; its elements may go anywhere.
public struct XMLStreamParser: ~Copyable {
    private(set) var tokenizer: Tokenizer

    /// A parser at the beginning of its input. Without `limits`, those that fit the mode apply.
    public init(mode: Mode, limits: ParserLimits? = nil) {
        self.init(mode: mode, limits: limits, renewal: .standard)
    }

    init(mode: Mode, limits: ParserLimits? = nil, renewal: Renewal) {
        tokenizer = Tokenizer(mode: mode, limits: limits ?? mode.defaultLimits, renewal: renewal)
    }

    /// Reads more input. Does nothing after an error (but for fragments) or after `finish()`.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { tokenizer.feed($0) }
    }

    /// Reads more input.
    @inlinable
    public mutating func feed(_ bytes: some Collection<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { feed(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { Array(bytes).withUnsafeBytes { feed($0) } }
    }

    /// Reads more input, given as text.
    public mutating func feed(_ text: String) {
        var text = text
        text.withUTF8 { tokenizer.feed($0) }
    }

    /// Tells that the input has ended. What is incomplete becomes an error of kind `.unexpectedEnd`.
    public mutating func finish() {
        tokenizer.finish()
    }

    /// The next event, `nil` when more input is needed or everything has been delivered.
    ///
    /// Each error is thrown once. Behind one that ends the input (`hasFailed`) there are no more events, so a caller
    /// who goes on after errors comes to an end, too.
    public mutating func next() throws(XMLParseError) -> Event? {
        while tokenizer.queue.isEmpty {
            guard tokenizer.readSlice() else { return nil }
        }
        return try tokenizer.nextEvent()
    }

    /// Whether `next()` has thrown an error behind which nothing is read until `reset()`: any error in a stream or
    /// document; in fragments only `.invalidContext`.
    public var hasFailed: Bool { tokenizer.queue.hasFailed }

    /// Begins a new input in the same mode, as after STARTTLS and SASL. Everything that was fed and not yet delivered
    /// is dropped, and so are errors.
    ///
    /// A parser of fragments keeps the names that it has met: so one parser for many lines costs little more than one
    /// for all of them.
    public mutating func reset() {
        tokenizer.beginInput()
    }
}

extension XMLStreamParser {
    /// How the input is cut into trees.
    public enum Mode: Sendable, Equatable {
        /// An XMPP stream (RFC 6120): each child of the root is a tree. Comments, processing instructions, document
        /// types and other entities than the five are errors (§11.1).
        case stream
        /// A document is one tree. Comments, processing instructions and a document type are skipped; nothing that
        /// the document type declares is used.
        case document
        /// Elements without a common root, as in logs, read as if they stood where these bindings are in scope.
        /// Between them only white space, comments, processing instructions and XML declarations may stand.
        ///
        /// An error ends its fragment only: the parser goes on with the next line that begins with `<` and a name.
        case fragments(in: NamespaceContext)

        var defaultLimits: ParserLimits { self == .document ? .document : .stanza }

        var isFragments: Bool { if case .fragments = self { true } else { false } }
    }

    /// An event of the parser. Rare cases are boxed, because the parser moves an event for each stanza.
    public enum Event: Sendable {
        /// The start tag of a stream's root.
        indirect case streamStart(StreamHeader)
        /// A stanza, a document's root, or a fragment, and where it begins.
        case element(Element, SourcePosition)
        /// A well-formed stanza or fragment beyond one of the `ParserLimits`, which was skipped.
        ///
        /// What is skipped is checked as far as constant memory allows: characters, references, the syntax of tags and
        /// other markup, and end tags. The parser does not look there for undeclared prefixes and duplicate attributes,
        /// compares no end tags deeper than `ParserLimits.depth` and only the first 1,024 bytes of names, and checks
        /// only the first `ParserLimits.bytes` of a single tag.
        indirect case rejected(RejectedStanza)
        /// The end tag of a stream's root.
        case streamEnd
    }

    /// The start tag of a stream's root element.
    public struct StreamHeader: Sendable {
        /// The root with its attributes and without content.
        public let element: Element
        /// What it binds: the context of all stanzas in the stream.
        public let namespaces: NamespaceContext
        /// Where it begins.
        public let position: SourcePosition
    }
}

extension XMLStreamParser {
    /// A stanza or fragment that is well-formed and beyond a limit. Nothing of it is kept but this.
    public struct RejectedStanza: Sendable, Hashable {
        /// Its local name, cut off at `ParserLimits.nameLength`.
        public internal(set) var name = ""
        /// Its namespace; `nil` if it has none. A declaration that stands beyond the limit is not known.
        public internal(set) var namespace: String?
        /// Its attributes, as far as they stand before what is beyond the limit.
        public internal(set) var id: String?
        public internal(set) var from: String?
        public internal(set) var to: String?
        public internal(set) var type: String?
        /// Whether its start tag was read to its end. Then an attribute that is `nil` is missing; otherwise it may not
        /// have been read.
        public internal(set) var isStartTagComplete = false
        /// The limit that it is beyond, and its value.
        public let limit: XMLParseError.Limit
        public let maximum: Int
        /// Where it begins.
        public let position: SourcePosition

        init(limit: XMLParseError.Limit, maximum: Int, position: SourcePosition) {
            self.limit = limit
            self.maximum = maximum
            self.position = position
        }

        /// The same as an error, for programs that stop here.
        public var error: XMLParseError { XMLParseError(.limit(limit, maximum: maximum), at: position) }

        /// Takes name and attributes from the beginning of the stanza.
        mutating func describe(_ element: Element) {
            name = element.name
            namespace = element.namespace
            isStartTagComplete = true
            (id, from, to, type) = (element["id"], element["from"], element["to"], element["type"])
        }

        /// Takes an attribute.
        mutating func set(_ attribute: UnsafeBufferPointer<UInt8>, to value: String) {
            if attribute.elementsEqual("id".utf8) { id = id ?? value }
            if attribute.elementsEqual("from".utf8) { from = from ?? value }
            if attribute.elementsEqual("to".utf8) { to = to ?? value }
            if attribute.elementsEqual("type".utf8) { type = type ?? value }
        }
    }
}
