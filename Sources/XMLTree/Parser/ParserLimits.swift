// The limits of a parser and the bounds of its memory between two trees, each with its default and its reason.
//
// The files in Parser check the limits while they read the input, so that no data grows beyond them. Tokenizer.swift
// respects the limit of bytes, Tokenizer+Tags.swift checks tags, Tokenizer+Errors.swift skips a stanza beyond a limit.

/// The limits of a parser.
///
/// The parser skips a well-formed stanza or fragment beyond a limit in constant memory, and delivers an event
/// `rejected`. A document or a stream's header beyond a limit is an error of kind `.limit`.
public struct ParserLimits: Sendable, Equatable {
    /// Bytes of one stanza, stream header or XML declaration, from its first `<` to its last `>`; of a document, all
    /// bytes of the input.
    public var bytes: Int
    /// Bytes of a stanza that the parser skips because it rejects it; at least `bytes`. A stanza beyond this is an
    /// error of kind `.limit`.
    public var skippedBytes: Int
    /// Elements that are open at once in one tree.
    public var depth: Int
    /// Elements of one tree.
    public var elements: Int
    /// Attributes and namespace declarations in one start tag.
    public var attributes: Int
    /// Bytes of a name with its prefix, and of a namespace.
    public var nameLength: Int
    /// New distinct names in one tree: those that the tree may add to the names that the parser keeps.
    public var names: Int
    /// Namespace declarations in scope at one place.
    public var declarations: Int

    /// Limits with these values. An omitted value has the default of stanzas.
    public init(
        bytes: Int = Self.stanzaBytes, depth: Int = Self.defaultDepth, elements: Int = Self.stanzaElements,
        attributes: Int = Self.defaultAttributes, nameLength: Int = Self.defaultNameLength,
        names: Int = Self.defaultNames, declarations: Int = Self.defaultDeclarations,
        skippedBytes: Int = Self.defaultSkippedBytes
    ) {
        self.bytes = bytes
        self.depth = depth
        self.elements = elements
        self.attributes = attributes
        self.nameLength = nameLength
        self.names = names
        self.declarations = declarations
        self.skippedBytes = skippedBytes
    }

    /// For streams and fragments.
    public static let stanza = ParserLimits()
    /// For whole documents.
    public static let document = ParserLimits(bytes: documentBytes, elements: documentElements)

    /// 1 MiB. Servers accept between 10 kB, the least that RFC 6120 §13.12 allows, and some hundred kB.
    public static let stanzaBytes = 1 << 20
    /// 64 MiB: enough for an archive of messages, and far from exhausting a machine.
    public static let documentBytes = 64 << 20
    /// No protocol extension nests deeper than twenty.
    public static let defaultDepth = 256
    /// An element takes some ten times the memory of the shortest tag. 65,536 take 3 MB, and the longest rosters and
    /// archive pages within a stanza's bytes have some ten thousand.
    public static let stanzaElements = stanzaBytes / bytesPerElement
    /// 4,194,304, which take 170 MB.
    public static let documentElements = documentBytes / bytesPerElement
    /// Long stanzas have some thirty bytes for each element.
    package static let bytesPerElement = 16
    /// No protocol extension has more than twenty.
    public static let defaultAttributes = 256
    /// The longest names and namespaces in use have some hundred bytes.
    public static let defaultNameLength = 1024
    /// The specifications have some thousand names together.
    public static let defaultNames = 1 << 16
    /// No protocol extension has more than some ten in scope.
    public static let defaultDeclarations = 1024
    /// 64 MiB: no server relays as much, and skipping it takes less than a second.
    public static let defaultSkippedBytes = 64 << 20

    /// The range of a tree's 32-bit indexes: a tree has at most as many nodes, attributes and bytes as its source has
    /// bytes. The parser may read one slice more.
    static let addressableBytes = Int(Int32.max) - Tokenizer.sliceLength

    /// The number of bytes that the parser may read for one tree. At least 1, which completes no tree.
    var effectiveBytes: Int { min(max(bytes, 1), Self.addressableBytes) }

    var effectiveSkippedBytes: Int { max(skippedBytes, effectiveBytes) }

    subscript(limit: XMLParseError.Limit) -> Int {
        switch limit {
        case .bytes: effectiveBytes
        case .depth: depth
        case .elements: elements
        case .attributes: attributes
        case .nameLength: nameLength
        case .names: names
        case .declarations: declarations
        case .skippedBytes: effectiveSkippedBytes
        }
    }

    /// The number of bytes of a name that errors and rejected stanzas show.
    var effectiveNameLength: Int { min(max(nameLength, 0), Self.defaultNameLength) }
}

extension Int {
    /// The sum, or `Int.max` on overflow: a limit can be any number.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// The recycling thresholds: how much memory a parser keeps between two trees.
struct Renewal {
    /// Names as written, and namespaces. The specifications have some thousand in all.
    var names: Int
    /// Bytes of the strings of these names.
    var bytes: Int

    static let standard = Renewal(names: 8192, bytes: 1 << 18)

    /// The number of names in a table while trees are small. A tree keeps its table, and so these names, alive. If
    /// tables were replaced more often, each would repeat the most frequent names.
    static let tableNames = 1024

    /// Bytes of the strings of a table, several times the need of `tableNames` names. A larger table is replaced after
    /// the tree that filled it. So later trees do not keep an attacker's names alive.
    static let tableBytes = 1 << 16
}
