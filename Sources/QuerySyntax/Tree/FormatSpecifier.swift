// printf-style specifiers in the values of filters (6.1): their syntax. The engine decides which arguments fit.

/// A place in a filter's value that takes the query's next argument.
public struct FormatSpecifier: Hashable, Sendable {
    /// The printed form of the argument.
    public enum Conversion: Character, CaseIterable, Sendable {
        case any = "@"
        case decimal = "d"
        case integer = "i"
        case unsigned = "u"
        case hexadecimal = "x"
        case upperHexadecimal = "X"
        case octal = "o"
        case character = "c"
        case string = "s"
        case fixed = "f"
        case exponent = "e"
        case general = "g"
    }

    /// The flags between the percent sign and the width.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `-`
        public static let leftAligned = Flags(rawValue: 1)
        /// `+`
        public static let plusSign = Flags(rawValue: 2)
        /// `0`
        public static let zeroPadded = Flags(rawValue: 4)
        /// `#`
        public static let alternate = Flags(rawValue: 8)
        /// A space.
        public static let spaceSign = Flags(rawValue: 16)

        static let spellings: [(byte: UInt8, flag: Flags)] = [
            (.minus, .leftAligned), (.plus, .plusSign), (.zero, .zeroPadded), (.hash, .alternate), (.space, .spaceSign),
        ]
    }

    public let conversion: Conversion
    public let flags: Flags
    /// -1: none.
    private let leastLength: Int16
    private let digits: Int16
    /// The modifier's letter, and how often it is there.
    private let modifier: UInt8
    private let modifierCount: UInt8
    private let place: TextRange

    /// A specifier. A length modifier of C, such as `ll`, is accepted and means nothing.
    public init(
        _ conversion: Conversion,
        flags: Flags = [],
        width: Int? = nil,
        precision: Int? = nil,
        length: String = "",
        range: SourceRange
    ) {
        self.conversion = conversion
        self.flags = flags
        leastLength = Int16(clamping: width ?? -1)
        digits = Int16(clamping: precision ?? -1)
        modifier = length.utf8.first ?? 0
        modifierCount = UInt8(clamping: length.utf8.count)
        place = TextRange(range)
    }

    /// The least number of characters, up to `QueryLimits.specifierNumber`.
    public var width: Int? { leastLength < 0 ? nil : Int(leastLength) }
    /// Digits or characters, up to `QueryLimits.specifierNumber`; 0 for a point without digits.
    public var precision: Int? { digits < 0 ? nil : Int(digits) }
    /// The place of the specifier, with its percent sign.
    public var range: SourceRange { place.range }
}

extension FormatSpecifier: CustomStringConvertible {
    /// The specifier as one would write it: `%-8.3f`.
    public var description: String {
        var text = "%"
        for (byte, flag) in Flags.spellings where flags.contains(flag) {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        if let width { text += String(width) }
        if let precision { text += "." + String(precision) }
        text += String(repeating: String(Unicode.Scalar(modifier)), count: Int(modifierCount))
        text.append(conversion.rawValue)
        return text
    }
}
