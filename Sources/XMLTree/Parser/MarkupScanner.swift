// Finds the end of comments, processing instructions and document types that are held back (HeldMarkup.swift).
//
// Outside of the root, libxml2 guesses when such a token is complete before it reads it: it takes the `-->` of `<!-->`
// and a '>' in a literal for the end, and counts quotes in comments and instructions of a document type. So bytes that
// it may mistake are replaced there by one that means nothing. None of them is delivered, and places stay as they are.

struct MarkupScanner {
    private enum Place {
        case start, lessThan, exclamation, hyphen, keyword, comment, instruction, literal
        /// A document type, outside of all that is above.
        case declaration
        /// Behind the ']' of a document type.
        case subsetEnd
    }

    private enum Step {
        case goesOn, misleads, ends
        /// It ended before this.
        case isOver
        /// This must not stand here.
        case breaks
    }

    /// How many '|' a declaration of attributes may have. libxml2 compares each value of an enumeration with all before
    /// it, and frees them by recursion. Attributes of such types are refused whatever their values are.
    static let mostAlternatives = 256

    /// What replaces bytes that mislead: no part of a name, no white space, no part of a public identifier.
    private static let harmless = UInt8(ascii: "|")

    /// What makes libxml2 read a document type whose ']' is not followed by a '>', or with too many alternatives, and
    /// refuse it there or before: it waits for a `]>`, however far behind that is.
    static let refusedEnd: StaticString = "|]>"

    /// What a document type begins with, behind the `<!`.
    private static let keyword: StaticString = "DOCTYPE"

    private let isOutsideRoot: Bool
    private var place: Place
    /// How much of the keyword was seen.
    private var keywordLength = 0
    /// Whether a document type's '[' is open.
    private var isInSubset = false
    /// Whether the declaration in it is one of attributes, and how many '|' it has.
    private var isOfAttributes = false
    private var alternativeCount = 0
    /// The quote that ends the literal being read.
    private var quote: UInt8 = 0
    /// Whether it ended with something that must not stand there.
    private(set) var isBroken = false
    /// How many hyphens (in a comment) or question marks (in an instruction) came last.
    private var closingCount = 0

    /// Markup outside of a document's root, and white space before it.
    static var outsideRoot: MarkupScanner { MarkupScanner(isOutsideRoot: true, place: .start) }

    /// The rest of a comment or processing instruction that begins like this; `nil` if it has no end to wait for.
    static func rest(of beginning: UnsafeBufferPointer<UInt8>) -> MarkupScanner? {
        var scanner = MarkupScanner(isOutsideRoot: false, place: .start)
        for byte in beginning {
            switch scanner.step(over: byte) {
            case .goesOn, .misleads: continue
            case .ends, .isOver, .breaks: return nil
            }
        }
        return scanner
    }

    private init(isOutsideRoot: Bool, place: Place) {
        self.isOutsideRoot = isOutsideRoot
        self.place = place
    }

    /// Goes on with more of the markup. Appends what belongs to it, without what would mislead, and returns how much
    /// that is if no more is to be waited for: behind its end, before what shows that it is something else, or where it
    /// breaks.
    mutating func take(_ input: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Int? {
        // What is appended in one go begins here.
        var start = 0
        var end: Int?
        var index = 0
        while index < input.count, end == nil {
            switch step(over: input[index]) {
            case .goesOn: break
            case .misleads:
                if !isOutsideRoot { break }
                bytes.append(contentsOf: input[start..<index])
                bytes.append(Self.harmless)
                start = index + 1
            case .ends: end = index + 1
            case .isOver: end = index
            case .breaks:
                isBroken = true
                end = index
            }
            index += 1
        }
        bytes.append(contentsOf: input[start..<(end ?? input.count)])
        return end
    }

    private mutating func step(over byte: UInt8) -> Step {
        switch place {
        case .start:
            if byte == .lessThan { place = .lessThan }
            return byte == .lessThan || byte.isXMLSpace ? .goesOn : .isOver
        case .lessThan where byte == UInt8(ascii: "!"):
            place = .exclamation
            return .goesOn
        case .lessThan where byte == UInt8(ascii: "?"):
            place = .instruction
            closingCount = 0
            return .goesOn
        case .lessThan:
            return isInSubset ? declaration(byte) : .isOver
        case .exclamation where byte == UInt8(ascii: "-"):
            place = .hyphen
            return .goesOn
        case .exclamation where isInSubset:
            isOfAttributes = byte == UInt8(ascii: "A")
            alternativeCount = 0
            return declaration(byte)
        case .exclamation, .keyword:
            return keyword(byte)
        case .hyphen where byte == UInt8(ascii: "-"):
            place = .comment
            closingCount = 0
            return .goesOn
        case .hyphen:
            return isInSubset ? declaration(byte) : .isOver
        case .comment:
            if byte == .greaterThan && closingCount >= 2 { return leave() }
            count(byte, as: UInt8(ascii: "-"))
            return Self.misleads(byte) ? .misleads : .goesOn
        case .instruction:
            if byte == .greaterThan && closingCount > 0 { return leave() }
            count(byte, as: UInt8(ascii: "?"))
            // Others mislead nobody, and the XML declaration is among them.
            return isInSubset && Self.misleads(byte) ? .misleads : .goesOn
        case .subsetEnd:
            if byte == .greaterThan { return .ends }
            return byte.isXMLSpace ? .goesOn : .breaks
        case .literal:
            if byte == quote { place = .declaration }
            return byte == .greaterThan ? .misleads : .goesOn
        case .declaration:
            return declaration(byte)
        }
    }

    private mutating func count(_ byte: UInt8, as closing: UInt8) {
        closingCount = byte == closing ? closingCount + 1 : 0
    }

    /// Outside of document types, `<!` begins nothing else than a comment or one of them.
    private mutating func keyword(_ byte: UInt8) -> Step {
        guard byte == Self.keyword.utf8Start[keywordLength] else { return .isOver }
        keywordLength += 1
        place = keywordLength < Self.keyword.utf8CodeUnitCount ? .keyword : .declaration
        return .goesOn
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
        case UInt8(ascii: "|") where isOfAttributes:
            alternativeCount += 1
            if alternativeCount > Self.mostAlternatives { return .breaks }
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
