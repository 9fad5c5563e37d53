// The syntax tree: one flat list of plain nodes, whose names and values are places in the query's text. Nothing in a
// node is copied from the text, so a tree takes one allocation.
//
// The parser already expands abbreviations (3.6, 5.1): later stages need not know the meaning of a lone '#'.

/// The meaning of a query: a path of steps with their filters, then perhaps an extraction and a conversion.
public struct QueryTree: Sendable {
    /// The text of the query, with slots as messages show them.
    public let source: String
    /// The places of the slots in the text, in order.
    public let slots: [SourceRange]
    /// Whether the path begins with `/`: its first step is tested against the context itself (2.4).
    public let isRooted: Bool
    /// The steps in order, each followed by its filters; then the extraction and its conversion. None in the empty
    /// query, which is the context itself (2.2).
    public let nodes: [QueryNode]

    /// The value that the query reads from the nodes of the last step; `nil`: the nodes themselves (4.1).
    public var extraction: Extraction? {
        for node in nodes.suffix(2) { if case .extraction(let extraction) = node.content { return extraction } }
        return nil
    }

    /// The place of the extraction.
    public var extractionRange: SourceRange? {
        nodes.suffix(2).first { if case .extraction = $0.content { true } else { false } }?.range
    }

    /// The pieces of the value of the filter at an index.
    package func parts(ofFilterAt index: Int) -> ArraySlice<QueryNode> {
        nodes[(index + 1)...].prefix { if case .part = $0.content { true } else { false } }
    }

    /// The conversion of the extracted text (4.4).
    public var conversion: Conversion? {
        if case .conversion(let conversion)? = nodes.last?.content { conversion } else { nil }
    }

    /// The place of the conversion's name, without the `|`.
    public var conversionRange: SourceRange? { conversion == nil ? nil : nodes.last?.range }
}

/// A node of a syntax tree: a step, a filter, a piece of a filter's value, or the result.
public struct QueryNode: Sendable {
    public enum Content: Sendable {
        /// `..`, to the parent (3.5). Has no filters.
        case ascend
        /// To the children that satisfy the test; to the context itself in the first step of a rooted path.
        case elements(ElementTest)
        /// Nowhere: a nameless extraction (`@id`, `foo/@id`, `../#`) reads the node reached so far. Has no filters.
        case selfNode
        /// A test of the step before it; all its filters must hold, from left to right (3.7).
        case filter(Filter)
        /// A piece of the value of the filter before it.
        case part(ValuePart)
        /// The value that the query reads.
        case extraction(Extraction)
        /// The conversion of the extracted text, at the place of its name.
        case conversion(Conversion)
    }

    public internal(set) var content: Content
    @usableFromInline var place: TextRange

    @inline(__always)
    init(_ content: Content, _ range: SourceRange) {
        self.content = content
        place = TextRange(range)
    }

    /// The node as written: a step with its filters, but without extraction and conversion, and empty for a nameless
    /// extraction; a filter with its angle brackets.
    public internal(set) var range: SourceRange {
        @inlinable get { place.range }
        set { place = TextRange(newValue) }
    }

    /// Whether it is a step.
    public var isStep: Bool {
        switch content {
        case .ascend, .elements, .selfNode: true
        case .filter, .part, .extraction, .conversion: false
        }
    }

    /// Whether it is an extraction or a conversion.
    var isResult: Bool {
        switch content {
        case .extraction, .conversion: true
        case .ascend, .elements, .selfNode, .filter, .part: false
        }
    }
}

/// A part of a query's text, in eight bytes.
public struct TextRange: Hashable, Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let end: UInt32

    /// No text is as long as the largest number.
    @inlinable public init(_ range: SourceRange) {
        start = UInt32(clamping: range.lowerBound)
        end = UInt32(clamping: range.upperBound)
    }

    /// The offsets.
    @inlinable public var range: SourceRange { Range(uncheckedBounds: (Int(start), Int(end))) }
}

/// A name or a namespace.
public enum NamePiece: Sendable {
    /// The name as written.
    case text(TextRange)
    /// The number of the slot whose value is the name. Slots are counted in the order of the text, from 0.
    case slot(Int)
    /// The namespace of data forms, which a form query without a name implies.
    case dataForms
    /// The name of their elements.
    case dataFormName

    package var isSlot: Bool { if case .slot = self { true } else { false } }

    /// The bytes of the name in the bytes of the text; `nil` for a slot.
    @inlinable
    package func bytes(in text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        switch self {
        case .text(let place): UnsafeBufferPointer(rebasing: text[place.range])
        case .slot: nil
        case .dataForms: Self.bytes(of: "jabber:x:data")
        case .dataFormName: Self.bytes(of: "x")
        }
    }

    /// The name, of a text; `nil` for a slot.
    package func text(in source: String) -> String? {
        var source = source
        return source.withUTF8 { bytes(in: $0).map { String(decoding: $0, as: UTF8.self) } }
    }

    @usableFromInline static func bytes(of text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

/// The name and the namespace that an element must have.
public struct ElementTest: Sendable {
    /// The test of a local name (3.1, 3.2, 3.4).
    public enum NameTest: Sendable {
        /// `*`, or a namespace alone.
        case any
        /// `name`
        case named(NamePiece)
        /// `!name`: every name but this.
        case not(NamePiece)
    }

    /// The test of a namespace (3.1 to 3.3).
    public enum NamespaceTest: Sendable {
        /// Left out: the namespace of the candidate's parent.
        case inherited
        /// `{*}`: any namespace, or none.
        case any
        /// `{namespace}`
        case named(NamePiece)
    }

    public let name: NameTest
    public let namespace: NamespaceTest

    package init(name: NameTest, namespace: NamespaceTest) {
        self.name = name
        self.namespace = namespace
    }

    /// `{*}*`, the meaning of a filter or an extraction alone at the beginning of a rooted path.
    static var anyElement: ElementTest { ElementTest(name: .any, namespace: .any) }
    /// `*`, the meaning of `#` alone.
    static var anyInherited: ElementTest { ElementTest(name: .any, namespace: .inherited) }
    /// `{jabber:x:data}x`, the meaning of a form query without a name.
    static var dataForm: ElementTest { ElementTest(name: .named(.dataFormName), namespace: .named(.dataForms)) }
}

// MARK: Texts

extension QueryTree {
    /// The piece of the source that a range covers. The result excludes any part of the range outside of the source.
    public func text(in range: SourceRange) -> String {
        let utf8 = source.utf8
        return String(decoding: utf8.dropFirst(max(0, range.lowerBound)).prefix(range.count), as: UTF8.self)
    }

    public func text(in place: TextRange) -> String { text(in: place.range) }

    /// A name; `nil` for a slot.
    public func text(of name: NamePiece) -> String? { name.text(in: source) }

    /// The value of a filter, or a piece of it, without its slots and specifiers: `%%` is a percent sign.
    public func value(in place: TextRange) -> String {
        let value = text(in: place)
        guard value.utf8.contains(.percent) else { return value }
        var isEscaped = false
        let bytes = value.utf8.filter { byte in
            isEscaped = byte == .percent && !isEscaped
            return !isEscaped
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
