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

    /// The length modifiers of C. They are accepted and mean nothing.
    public enum Length: String, CaseIterable, Sendable {
        case char = "hh"
        case short = "h"
        case long = "l"
        case longLong = "ll"
        case quad = "q"
        case intmax = "j"
        case ptrdiff = "t"
        case size = "z"
        case longDouble = "L"
    }

    public var conversion: Conversion
    public var flags: Flags
    /// The least number of characters, up to `QueryLimits.specifierNumber`.
    public var width: Int?
    /// Digits or characters, up to `QueryLimits.specifierNumber`; 0 for a point without digits.
    public var precision: Int?
    public var length: Length?
    /// The place of the specifier, with its percent sign.
    public var range: SourceRange

    public init(
        _ conversion: Conversion,
        flags: Flags = [],
        width: Int? = nil,
        precision: Int? = nil,
        length: Length? = nil,
        range: SourceRange
    ) {
        self.conversion = conversion
        self.flags = flags
        self.width = width
        self.precision = precision
        self.length = length
        self.range = range
    }
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
        if let length { text += length.rawValue }
        text.append(conversion.rawValue)
        return text
    }
}
