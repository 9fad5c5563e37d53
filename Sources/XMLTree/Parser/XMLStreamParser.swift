// The interface of the streaming parser: bytes in, events out; and of reading one element.
//
// Tokenizer.swift does the work; ParserLimits.swift has the limits, XMLParseError.swift the errors.
//
// The parser reads input until it has an event. The rest stays as bytes until the caller has taken the events. So the
// caller uses a stanza while it is still in the processor's cache, and waiting input takes less memory than trees.

/// Reads XML incrementally: an XMPP stream, a document, or a series of fragments.
///
/// Feed it bytes as they arrive, in pieces of any size, and take events until it has none:
///
/// ```swift
/// var parser = XMLStreamParser(mode: .stream)
/// parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><message/>")
/// while let event = try parser.next() {
///     if case .element(let stanza, let position) = event { print(position.line, stanza) }
/// }
/// ```
///
/// Every stanza is an event as soon as its last byte has arrived. Errors come in order: the parser first delivers all
/// events that were complete before an error. A parser of a stream or document then delivers nothing until `reset()`;
/// one of fragments continues with the next fragment.
///
/// Input after an event waits in memory until you take the event, so take events after each piece. Time is linear in
/// the input. `ParserLimits` bounds the memory for an incomplete stanza. A constant bounds the memory between stanzas,
/// however long the stream lives.
///
/// A parser belongs to one task or actor at a time; its elements may go anywhere.
public struct XMLStreamParser: ~Copyable {
    private(set) var tokenizer: Tokenizer

    /// Creates a parser at the beginning of its input. Without `limits`, the limits of the mode apply.
    public init(mode: Mode, limits: ParserLimits? = nil) {
        self.init(mode: mode, limits: limits, renewal: .standard)
    }

    init(mode: Mode, limits: ParserLimits? = nil, renewal: Renewal, mayRestart: Bool = false) {
        tokenizer = Tokenizer(
            mode: mode, limits: limits ?? mode.defaultLimits, renewal: renewal, mayRestart: mayRestart)
    }

    /// Creates a parser of a recorded session: one stream, or several one after the other.
    ///
    /// A stream begins again after STARTTLS and SASL (RFC 6120 §4.3.3), with a declaration or with a start tag of its
    /// root alone. A `.streamStart` reports each.
    package init(recordingWithin limits: ParserLimits) {
        self.init(mode: .stream, limits: limits, renewal: .standard, mayRestart: true)
    }

    /// Reads more input. Does nothing after `finish()`, or after an error that ends the input (`hasFailed`).
    public mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        tokenizer.isText = false
        bytes.withMemoryRebound(to: UInt8.self) { tokenizer.feed($0) }
    }

    /// Reads more input, the UTF-8 of text: an encoding that its XML declaration names is ignored.
    package mutating func feed(text bytes: UnsafeRawBufferPointer) {
        tokenizer.isText = true
        bytes.withMemoryRebound(to: UInt8.self) { tokenizer.feed($0) }
    }

    /// Reads more input.
    @inlinable
    public mutating func feed(_ bytes: some Collection<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { feed(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { Array(bytes).withUnsafeBytes { feed($0) } }
    }

    /// Reads more input from text. It is decoded already: an encoding that its XML declaration names is ignored.
    public mutating func feed(_ text: String) {
        var text = text
        text.withUTF8 { feed(text: UnsafeRawBufferPointer($0)) }
    }

    /// Ends the input. Incomplete markup becomes an error of kind `.unexpectedEnd`; in a stanza beyond a limit, of kind
    /// `.limit`, at the stanza's beginning.
    public mutating func finish() { tokenizer.finish() }

    /// Returns the next event; `nil` if the parser needs more input, or has delivered everything.
    ///
    /// Throws each error once. After an error that ends the input (`hasFailed`) it returns no more events, so a caller
    /// that continues after errors comes to an end, too.
    public mutating func next() throws(XMLParseError) -> Event? { try tokenizer.next() }

    /// Whether `next()` has thrown an error that stops the parser until `reset()`: any error in a stream or document;
    /// in fragments only `.invalidContext`.
    public var hasFailed: Bool { tokenizer.hasFailed }

    /// Begins a new input in the same mode, as after STARTTLS and SASL. Drops all input that was fed and not yet
    /// delivered, and all errors.
    ///
    /// A parser of fragments keeps the names that it has met. So one parser for many lines costs little more than one
    /// for all of them.
    public mutating func reset() { tokenizer.beginInput() }
}

extension XMLStreamParser {
    /// How the parser cuts the input into trees.
    public enum Mode: Sendable, Equatable {
        /// An XMPP stream (RFC 6120): each child of the root is a tree. Comments, processing instructions, document
        /// types and other entities than the five are errors (§11.1).
        case stream
        /// A document is one tree. The parser skips comments, processing instructions and a document type, and uses no
        /// declaration in the document type.
        case document
        /// Elements without a common root, as in logs, read with these bindings in scope. Only white space, comments,
        /// processing instructions and XML declarations may occur between them.
        ///
        /// An error ends only its fragment: the parser continues with the next line that begins with `<` and a name.
        case fragments(in: NamespaceContext)

        var defaultLimits: ParserLimits { self == .document ? .document : .stanza }

        var isFragments: Bool { if case .fragments = self { true } else { false } }
    }

    /// An event of the parser. Rare cases are boxed, because the parser moves an event for each stanza.
    public enum Event: Sendable {
        /// The start tag of a stream's root.
        indirect case streamStart(StreamHeader)
        /// A stanza, a document's root, or a fragment, and its beginning.
        case element(Element, SourcePosition)
        /// A well-formed stanza or fragment that the parser skipped: it is beyond one of the `ParserLimits`, or it is
        /// a stanza that breaks Namespaces in XML 1.0. Faults of namespaces in fragments and documents are errors.
        ///
        /// The parser counts the tags of skipped input, and checks markup that is not a tag. It does not look at names,
        /// values and text.
        indirect case rejected(RejectedStanza)
        /// The end tag of a stream's root.
        case streamEnd
    }

    /// The start tag of a stream's root element.
    public struct StreamHeader: Sendable {
        /// The root with its attributes and without content.
        public let element: Element
        /// The bindings of the root: the context of all stanzas in the stream.
        public let namespaces: NamespaceContext
        /// The beginning of the tag.
        public let position: SourcePosition
        /// The tag as written.
        package let tag: [UInt8]
    }

    /// A well-formed stanza or fragment that is beyond a limit or not namespace-well-formed. The parser keeps only
    /// these parts of it.
    public struct RejectedStanza: Sendable, Hashable {
        /// The local name, cut off at `ParserLimits.nameLength`; the name as written if its colons are misplaced.
        public internal(set) var name = ""
        /// The namespace; `nil` if it has none. A declaration beyond the limit is not known, and an undeclared prefix
        /// has none.
        public internal(set) var namespace: String?
        /// The attributes without a prefix, as far as they precede the part beyond the limit.
        public internal(set) var id: String?
        public internal(set) var from: String?
        public internal(set) var to: String?
        public internal(set) var type: String?
        /// Whether the parser read the start tag to its end. If so, an attribute that is `nil` is missing; otherwise it
        /// may be unread.
        public internal(set) var isStartTagComplete = false
        /// Why the parser rejects it: an error of kind `.limit`, at the beginning of the stanza, or the first fault of
        /// namespaces (`.unboundPrefix`, `.duplicateAttribute` or `.namespaceFault`), at its place.
        public let error: XMLParseError
        /// The beginning of the stanza.
        public let position: SourcePosition

        init(_ kind: XMLParseError.Kind, at place: SourcePosition, in stanza: SourcePosition) {
            error = XMLParseError(kind, at: place)
            position = stanza
        }

        /// Whether the stanza is beyond a limit of the parser. If not, it is not namespace-well-formed.
        public var isBeyondLimit: Bool { if case .limit = error.kind { true } else { false } }

        /// Sets the name and the attributes from the beginning of the stanza.
        mutating func describe(_ element: Element) {
            name = element.name
            namespace = element.namespace
            isStartTagComplete = true
            for attribute in element.attributes { attribute.name.withBytes { set($0, to: attribute.value) } }
        }

        /// Sets an attribute, unless it is set.
        mutating func set(_ attribute: UnsafeBufferPointer<UInt8>, to value: String) {
            if attribute.elementsEqual("id".utf8) { id = id ?? value }
            if attribute.elementsEqual("from".utf8) { from = from ?? value }
            if attribute.elementsEqual("to".utf8) { to = to ?? value }
            if attribute.elementsEqual("type".utf8) { type = type ?? value }
        }
    }
}

extension Element {
    /// Reads one element with the bindings of `context` in scope. Skips comments, processing instructions and an XML
    /// declaration around it. Text is decoded already: an encoding that the declaration names is ignored.
    ///
    /// ```swift
    /// let item = try Element(parsing: "<item/>", in: NamespaceContext(defaultNamespace: "jabber:iq:roster"))
    /// ```
    ///
    /// - Throws: `XMLParseError`; of kind `.notOneElement` if `text` has no element or several.
    public init(
        parsing text: String, in context: NamespaceContext = .empty, limits: ParserLimits = .stanza
    ) throws(XMLParseError) {
        self = try text.withBytes { Self.read($0, isText: true, in: context, limits) }.get()
    }

    /// Reads a stanza as in a client's stream: in the namespace `jabber:client`, unless it declares another one.
    ///
    /// ```swift
    /// let iq = try Element(stanza: "<iq type='get'/>")
    /// ```
    public init(stanza text: String) throws(XMLParseError) { try self.init(parsing: text, in: .clientStream) }

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
