// The streaming parser's public face: bytes in, events out.
//
// What happens in between is ParserState.swift's; the limits are in ParserLimits.swift, the errors in
// XMLParseError.swift.

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
    let reader: InputReader

    /// A parser at the beginning of its input. Without `limits`, those that fit the mode apply.
    public init(mode: Mode, limits: ParserLimits? = nil) {
        self.init(mode: mode, limits: limits, renewal: .standard)
    }

    init(mode: Mode, limits: ParserLimits? = nil, renewal: Renewal) {
        reader = InputReader(ParserState(mode: mode, limits: limits ?? mode.defaultLimits, renewal: renewal))
    }

    deinit { reader.destroy() }

    /// Reads more input. Does nothing after an error (but for fragments) or after `finish()`.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { reader.feed($0) }
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
        text.withUTF8 { reader.feed($0) }
    }

    /// Tells that the input has ended. What is incomplete becomes an error of kind `.unexpectedEnd`.
    public mutating func finish() {
        reader.finish()
    }

    /// The next event, `nil` when more input is needed or everything has been delivered.
    ///
    /// Each error is thrown once. Behind one that ends the input (`hasFailed`) there are no more events, so a caller
    /// who goes on after errors comes to an end, too.
    public mutating func next() throws(XMLParseError) -> Event? {
        try reader.next()
    }

    /// Whether `next()` has thrown an error behind which nothing is read until `reset()`: any error in a stream or
    /// document; in fragments only `.invalidContext` and `.outOfMemory`.
    public var hasFailed: Bool { reader.hasFailed }

    /// Begins a new input in the same mode, as after STARTTLS and SASL. Everything that was fed and not yet delivered
    /// is dropped, and so are errors.
    ///
    /// A parser of fragments that has read its input to the end without an error goes on with what it has set up: so
    /// one parser for many lines costs little more than one for all of them.
    public mutating func reset() {
        reader.reset()
    }
}

extension XMLStreamParser {
    /// How the input is cut into trees.
    public enum Mode: Sendable, Equatable {
        /// An XMPP stream (RFC 6120): each child of the root is a tree. Comments, processing instructions, document
        /// types and other entities than the five are errors (§11.1).
        case stream
        /// A document is one tree. Comments, processing instructions and a document type are skipped; nothing that
        /// the document type declares is used, and declarations that would change how attributes are read are errors.
        case document
        /// Elements without a common root, as in logs, read as if they stood where these bindings are in scope.
        /// Between them only white space, comments, processing instructions and XML declarations may stand.
        ///
        /// An error ends its fragment only: the parser goes on with the next line that begins with `<` and a name.
        case fragments(in: NamespaceContext)

        var defaultLimits: ParserLimits {
            switch self {
            case .stream, .fragments: .stanza
            case .document: .document
            }
        }
    }

    /// What a parser delivers.
    public enum Event: Sendable {
        /// The start tag of a stream's root.
        indirect case streamStart(StreamHeader)
        /// A stanza, a document's root, or a fragment, and where it begins.
        case element(Element, SourcePosition)
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
