// Prints an argument with its specifier, the way C's printf does (6.1). FloatingPointFormatting.swift prints `%f`, `%e`
// and `%g`.
//
// Pure functions that do not depend on queries, trees or the locale. A `nil` means that the argument does not fit.

import QuerySyntax

extension FormatSpecifier {
    /// The text that takes this specifier's place; `nil` when the argument does not fit it.
    func format(_ argument: QueryArgumentValue) -> String? {
        switch conversion {
        case .any: padded(truncated(argument.description))
        case .string: argument.text.map { padded(truncated($0)) }
        case .character: argument.character.map { padded(String($0)) }
        case .decimal, .integer: argument.integer.map { signed($0) }
        case .unsigned: argument.integer.flatMap { unsigned($0, radix: 10) }
        case .hexadecimal: argument.integer.flatMap { unsigned($0, radix: 16, alternatePrefix: "0x") }
        case .upperHexadecimal:
            argument.integer.flatMap { unsigned($0, radix: 16, alternatePrefix: "0X", uppercase: true) }
        case .octal: argument.integer.flatMap { unsigned($0, radix: 8) }
        case .fixed, .exponent, .general: argument.floating.map { floating($0) }
        }
    }

    // MARK: Text

    /// Whether it prints every argument unchanged: `%@`.
    var isPlain: Bool { conversion == .any && width == nil && precision == nil }

    /// The radix of an integer without padding and prefix: `%d`, `%i`, `%u` or `%x`; `nil` for all other specifiers.
    var plainRadix: UInt64? {
        guard width == nil, precision == nil, flags.isEmpty else { return nil }
        return switch conversion {
        case .decimal, .integer, .unsigned: 10
        case .hexadecimal: 16
        case .any, .string, .character, .upperHexadecimal, .octal, .fixed, .exponent, .general: nil
        }
    }

    /// Precision counts code points.
    private func truncated(_ text: String) -> String {
        guard let precision else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(precision)))
    }

    /// Width counts code points.
    func padded(_ text: String) -> String {
        guard let width, case let missing = width - text.unicodeScalars.count, missing > 0 else { return text }
        let padding = String(repeating: " ", count: missing)
        return flags.contains(.leftAligned) ? text + padding : padding + text
    }

    // MARK: Integers

    private func signed(_ value: Sign64) -> String {
        let sign = sign(isNegative: value.isNegative)
        return number(prefix: sign, digits: digits(value.magnitude, radix: 10), allowsZeros: precision == nil)
    }

    func sign(isNegative: Bool) -> String {
        isNegative ? "-" : flags.contains(.plusSign) ? "+" : flags.contains(.spaceSign) ? " " : ""
    }

    /// Without a sign; a negative number does not fit.
    private func unsigned(
        _ value: Sign64, radix: Int, alternatePrefix: String = "", uppercase: Bool = false
    ) -> String? {
        guard !value.isNegative else { return nil }
        var digits = digits(value.magnitude, radix: radix, uppercase: uppercase)
        let isAlternate = flags.contains(.alternate)
        // C's `#` makes an octal number begin with a zero, and puts `0x` before a hexadecimal one that is not zero.
        if isAlternate, radix == 8, digits.first != "0" { digits = "0" + digits }
        let prefix = isAlternate && value.magnitude != 0 ? alternatePrefix : ""
        return number(prefix: prefix, digits: digits, allowsZeros: precision == nil)
    }

    /// At least as many digits as the precision; none for zero with precision zero.
    private func digits(_ magnitude: UInt64, radix: Int, uppercase: Bool = false) -> String {
        if magnitude == 0, precision == 0 { return "" }
        let digits = String(magnitude, radix: radix, uppercase: uppercase)
        guard let precision else { return digits }
        return String(repeating: "0", count: max(0, precision - digits.count)) + digits
    }

    /// Pads with zeros after the prefix, unless left alignment or an integer's precision rules that out.
    func number(prefix: String, digits: String, allowsZeros: Bool = true) -> String {
        guard flags.contains(.zeroPadded), !flags.contains(.leftAligned), allowsZeros else {
            return padded(prefix + digits)
        }
        let missing = max(0, (width ?? 0) - prefix.utf8.count - digits.utf8.count)
        return prefix + String(repeating: "0", count: missing) + digits
    }
}

/// An integer of 64 bits and a sign of its own.
struct Sign64 {
    let isNegative: Bool
    let magnitude: UInt64
}

extension QueryArgumentValue: CustomStringConvertible {
    /// The output of `%@` (6.1).
    public var description: String {
        switch self {
        case .text(let text): text
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .floating(let value): value.description
        case .boolean(let value): value.description
        }
    }

    /// The kind of the argument, for the error about an argument that does not fit.
    var kindDescription: String {
        switch self {
        case .text(let text) where text.unicodeScalars.count == 1: "a string of one character"
        case .text: "a string"
        case .integer(let value) where value < 0: "a negative integer"
        case .integer, .unsigned: "an integer"
        case .floating: "a floating-point number"
        case .boolean: "a Boolean"
        }
    }

    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }

    /// A string of one code point, or the code point of that number.
    fileprivate var character: Unicode.Scalar? {
        switch self {
        case .text(let text): text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        case .integer(let value): UInt32(exactly: value).flatMap(Unicode.Scalar.init)
        case .unsigned(let value): UInt32(exactly: value).flatMap(Unicode.Scalar.init)
        case .floating, .boolean: nil
        }
    }

    var integer: Sign64? {
        switch self {
        case .integer(let value): Sign64(isNegative: value < 0, magnitude: value.magnitude)
        case .unsigned(let value): Sign64(isNegative: false, magnitude: value)
        case .boolean(let value): Sign64(isNegative: false, magnitude: value ? 1 : 0)
        case .text, .floating: nil
        }
    }

    fileprivate var floating: Double? {
        switch self {
        case .floating(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .boolean(let value): value ? 1 : 0
        case .text: nil
        }
    }
}
