// The conversions of rules 4.4 and 4.5 for the naive evaluator: Foundation and the standard library where they agree
// with the page, else the plainest possible code.

import Foundation

enum NaiveConversions {
    private static let whiteSpace: Set<Unicode.Scalar> = [" ", "\t", "\n", "\u{B}", "\u{C}", "\r"]

    static func bool(_ text: String, isStrict: Bool) -> Bool? {
        switch text {
        case "true", "1": true
        case "false", "0": false
        default: isStrict ? nil : false
        }
    }

    static func int(_ text: String, isStrict: Bool) -> Int? {
        guard let number = leadingNumber(text, #"[+-]?[0-9]+"#) else { return isStrict ? nil : 0 }
        if isStrict { return number.isExactly(text) ? Int(number) : nil }
        return Int(number) ?? (number.hasPrefix("-") ? .min : .max)
    }

    static func uint(_ text: String, isStrict: Bool) -> UInt? {
        guard let number = leadingNumber(text, #"[+-]?[0-9]+"#) else { return isStrict ? nil : 0 }
        let isNegative = number.hasPrefix("-")
        if isStrict { return number.isExactly(text) && !isNegative ? UInt(number) : nil }
        return isNegative ? 0 : UInt(number) ?? .max
    }

    static func double(_ text: String, isStrict: Bool) -> Double? {
        let pattern = #"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"#
        guard let number = leadingNumber(text, pattern) else { return isStrict ? nil : 0 }
        let value = strtod(number, nil)
        if isStrict { return number.isExactly(text) && value.isFinite ? value : nil }
        return value.isFinite ? value : value < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
    }

    /// The part that the pattern matches at the beginning, after white space.
    private static func leadingNumber(_ text: String, _ pattern: String) -> String? {
        let rest = String(String.UnicodeScalarView(text.unicodeScalars.drop { whiteSpace.contains($0) }))
        return rest.range(of: "^(\(pattern))", options: .regularExpression).map { String(rest[$0]) }
    }

    /// Milliseconds since 1970.
    static func datetime(_ text: String) -> Int? {
        guard text.utf8.count >= 17 else { return nil }
        let zone = #"(Z|[+-][0-9][0-9]:[0-9][0-9])"#
        let time = "[0-9][0-9]:[0-9][0-9]:[0-9][0-9]"
        let dateTime = "^[0-9]{4}-[0-9][0-9]-[0-9][0-9]T\(time)([.][0-9]+)?\(zone)\\z"
        let legacy = "^[0-9]{8}T\(time)\\z"
        guard !text.unicodeScalars.contains("\n") else { return nil }
        let isLegacy = text.range(of: legacy, options: .regularExpression) != nil
        guard isLegacy || text.range(of: dateTime, options: .regularExpression) != nil else { return nil }
        // The digits of date and time are the first fourteen digits in both formats.
        let digits = text.filter { $0.isNumber }.prefix(14)
        func number(_ range: Range<Int>) -> Int { Int(String(Array(digits)[range])) ?? -1 }
        let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
        let (hour, minute, second) = (number(8..<10), number(10..<12), number(12..<14))
        guard year >= 1, 1...12 ~= month, 1...31 ~= day, hour <= 23, minute <= 59, second <= 59 else { return nil }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        var days = day - 1 + lengths[..<(month - 1)].reduce(0, +)
        days += year >= 1970 ? (1970..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) } : 0
        days -= year < 1970 ? (year..<1970).reduce(0) { $0 + (isLeap($1) ? 366 : 365) } : 0
        var seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        if isLegacy { return seconds * 1000 }
        if !text.hasSuffix("Z") {
            let offset = text.suffix(6)
            guard let hours = Int(offset.dropFirst().prefix(2)), let minutes = Int(offset.suffix(2)),
                minutes <= 59, hours < 14 || hours == 14 && minutes == 0
            else { return nil }
            seconds -= (offset.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
        }
        // 0001-01-01 to 9999-12-31, in UTC.
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        let fraction = text.firstIndex(of: ".").map { "0." + text[text.index(after: $0)...].prefix { $0.isNumber } }
        return seconds * 1000 + Int(((fraction.flatMap(Double.init) ?? 0) * 1000).rounded())
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func base64(_ text: String, isStrict: Bool) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)
        var characters: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            if alphabet.contains(scalar) || scalar == "=" {
                characters.append(scalar)
            } else if isStrict, !whiteSpace.contains(scalar) {
                return nil
            }
        }
        let letters = characters.prefix { $0 != "=" }
        let padding = characters.count - letters.count
        // All padding is at the end, and fills up to the next multiple of four.
        guard characters.dropFirst(letters.count).allSatisfy({ $0 == "=" }),
            letters.count % 4 != 1, padding == (4 - letters.count % 4) % 4
        else { return nil }
        let bits = letters.map { letter in
            let number = String(alphabet.firstIndex(of: letter) ?? 0, radix: 2)
            return String(repeating: "0", count: 6 - number.count) + number
        }
        .joined()
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).compactMap {
            UInt8(bits.dropFirst($0).prefix(8), radix: 2)
        }
    }

    /// In lower case.
    static func uuid(_ text: String) -> String? {
        let pattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\z"
        guard text.utf8.count == 36, text.range(of: pattern, options: .regularExpression) != nil else { return nil }
        return text.lowercased()
    }

    static func uuidcast(_ text: String) -> String {
        if let uuid = uuid(text) { return uuid }
        var digits = SHA256Model.digest(Array(text.utf8)).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        .joined().map(String.init)
        digits[12] = "4"
        digits[16] = ["8", "9", "a", "b"][(Int(digits[16], radix: 16) ?? 0) % 4]
        for place in [20, 16, 12, 8] { digits.insert("-", at: place) }
        return digits.joined()
    }
}
