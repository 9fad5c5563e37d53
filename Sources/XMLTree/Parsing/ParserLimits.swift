// What a parser accepts at most, and what it keeps between two trees: every limit, its default and the reason for it.
//
// The files in Parser check the limits while they read the input, so that nothing grows beyond them: Tokenizer.swift
// respects the limit of bytes, Tokenizer+Tags.swift and Tokenizer+Namespaces.swift check tags, Tokenizer+Skipping.swift
// passes over the stanza that is beyond a limit.

/// What a parser accepts at most.
///
/// A well-formed stanza or fragment beyond a limit is passed over in constant memory and becomes an event `rejected`. A
/// document or a stream's header beyond a limit is an error of kind `.limit`.
public struct ParserLimits: Sendable, Equatable {
    /// Bytes of one stanza, stream header or XML declaration, from its first `<` to its last `>`; of a document, all
    /// bytes of the input.
    public var bytes: Int
    /// Bytes of one stanza that is passed over because it is beyond another limit, at least `bytes`. A stanza beyond
    /// this is an error of kind `.limit`.
    public var skippedBytes: Int
    /// Elements that are open at once in one tree.
    public var depth: Int
    /// Elements of one tree.
    public var elements: Int
    /// Attributes and namespace declarations in one start tag.
    public var attributes: Int
    /// Bytes of a name with its prefix, and of a namespace.
    public var nameLength: Int
    /// Distinct names that the parser meets for the first time in one tree: what a tree may add to the names that it
    /// keeps.
    public var names: Int
    /// Namespace declarations in scope at one place.
    public var declarations: Int

    /// Limits with these values; what is not named has the default of stanzas.
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

    /// 1 MiB. Servers accept between 10 kB (what RFC 6120 §13.12 asks for at least) and some hundred kB.
    public static let stanzaBytes = 1 << 20
    /// 64 MiB: an archive of messages, and still far from exhausting a machine.
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
    /// 64 MiB: no server relays as much, and passing over it takes less than a second.
    public static let defaultSkippedBytes = 64 << 20

    /// What 32-bit indexes of a tree hold: neither nodes, attributes nor bytes of a tree outnumber its source's bytes.
    /// A slice more may be read.
    static let addressableBytes = Int(Int32.max) - Tokenizer.sliceLength

    /// The bytes that may be read for one tree. Nothing is complete with one.
    var effectiveBytes: Int { min(max(bytes, 1), Self.addressableBytes) }

    var effectiveSkippedBytes: Int { max(skippedBytes, effectiveBytes) }

    /// The value of a limit.
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

    /// What is shown of a name.
    var effectiveNameLength: Int { min(max(nameLength, 0), Self.defaultNameLength) }
}

extension Int {
    /// The sum, or the largest number: a limit may be any.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// How much a parser keeps between two trees.
struct Renewal {
    /// Names as written, and namespaces. The specifications have some thousand together.
    var names: Int
    /// Bytes of their strings.
    var bytes: Int

    static let standard = Renewal(names: 8192, bytes: 1 << 18)

    /// The names that a table of names grows to as long as trees are small. A tree keeps its table alive, and so those
    /// names; one that is replaced more often has the most frequent names in it again and again.
    static let tableNames = 1024

    /// The bytes of their strings, several times what so many names have. A table of more is replaced behind the tree
    /// that filled it, so that later ones do not keep alive what an attacker put into it.
    static let tableBytes = 1 << 16
}
