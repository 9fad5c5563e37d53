// Finds the end of comments, processing instructions and document types that are held back (HeldMarkup.swift).
//
// Outside of the root, libxml2 guesses when such a token is complete before it reads it: it takes the `-->` of `<!-->` and
// a '>' in a literal for the end, and counts quotes in comments and instructions of a document type. So bytes that it
// may mistake are replaced there by one that means nothing. None of them is delivered, and places stay as they are.

struct MarkupScanner {
    private enum Place {
        case start, lessThan, exclamation, hyphen, comment, instruction, literal
        /// A document type, outside of all that is above.
        case declaration
        /// Behind the ']' of a document type.
        case subsetEnd
    }

    private enum Step {
        case goesOn, misleads, ends
        /// This must not stand here.
        case breaks
    }

    /// What replaces bytes that mislead: no part of a name, no white space, no part of a public identifier.
    private static let harmless = UInt8(ascii: "|")

    /// What makes libxml2 read a document type whose ']' is not followed by a '>', and refuse it there or before: it waits
    /// for a `]>`, however far behind that is.
    static let refusedEnd: StaticString = "|]>"

    private let isOutsideRoot: Bool
    private var place = Place.start
    /// Whether a document type's '[' is open.
    private var isInSubset = false
    /// The quote that ends the literal being read.
    private var quote: UInt8 = 0
    /// Whether it ended with something that must not stand there.
    private(set) var isBroken = false
    /// How many hyphens (in a comment) or question marks (in an instruction) came last.
    private var closingCount = 0

    init(isOutsideRoot: Bool) {
        self.isOutsideRoot = isOutsideRoot
    }

    /// Goes on with more of the markup, and replaces what would mislead. Returns the index behind its end, behind
    /// what shows that it is a tag or text, or where it breaks.
    mutating func end(of markup: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        for index in markup.indices {
            switch step(over: markup[index]) {
            case .goesOn: continue
            case .misleads: if isOutsideRoot { markup[index] = Self.harmless }
            case .ends: return index + 1
            case .breaks:
                isBroken = true
                return index
            }
        }
        return nil
    }

    private mutating func step(over byte: UInt8) -> Step {
        switch place {
        case .start:
            if byte == .lessThan { place = .lessThan }
            return byte == .lessThan || byte.isXMLSpace ? .goesOn : .ends
        case .lessThan where byte == UInt8(ascii: "!"):
            place = .exclamation
            return .goesOn
        case .lessThan where byte == UInt8(ascii: "?"):
            place = .instruction
            closingCount = 0
            return .goesOn
        case .lessThan:
            return isInSubset ? declaration(byte) : .ends
        case .exclamation where byte == UInt8(ascii: "-"):
            place = .hyphen
            return .goesOn
        case .hyphen where byte == UInt8(ascii: "-"):
            place = .comment
            closingCount = 0
            return .goesOn
        case .comment:
            if byte == .greaterThan && closingCount >= 2 { return leave() }
            closingCount = byte == UInt8(ascii: "-") ? closingCount + 1 : 0
            return Self.misleads(byte) ? .misleads : .goesOn
        case .instruction:
            if byte == .greaterThan && closingCount > 0 { return leave() }
            closingCount = byte == UInt8(ascii: "?") ? 1 : 0
            // Others mislead nobody, and the XML declaration is among them.
            return isInSubset && Self.misleads(byte) ? .misleads : .goesOn
        case .subsetEnd:
            if byte == .greaterThan { return .ends }
            return byte.isXMLSpace ? .goesOn : .breaks
        case .literal:
            if byte == quote { place = .declaration }
            return byte == .greaterThan ? .misleads : .goesOn
        case .exclamation, .hyphen, .declaration:
            return declaration(byte)
        }
    }

    private mutating func declaration(_ byte: UInt8) -> Step {
        place = .declaration
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            quote = byte
            place = .literal
        case .lessThan where isInSubset: place = .lessThan
        case UInt8(ascii: "["): isInSubset = true
        case .closingBracket where isInSubset: place = .subsetEnd
        case .greaterThan where !isInSubset: return .ends
        default: break
        }
        return .goesOn
    }

    /// Behind a comment or an instruction.
    private mutating func leave() -> Step {
        place = .declaration
        return isInSubset ? .goesOn : .ends
    }

    private static func misleads(_ byte: UInt8) -> Bool {
        switch byte {
        case .lessThan, .greaterThan, .closingBracket, UInt8(ascii: "'"), UInt8(ascii: "\""): true
        default: false
        }
    }
}
