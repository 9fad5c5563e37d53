// The datatypes that values can have (XEP-0122 §3.1): those of XML Schema part 2.

import FormModel
import Foundation
import TextValues

/// A known datatype.
struct Datatype {
    /// The name with its prefix: `xs:integer`.
    let name: String
    private let form: Form

    /// The form of values.
    private enum Form {
        case string
        /// Words with single spaces between them, or parts of a name.
        case pattern(isValid: @Sendable (Substring) -> Bool, expected: String)
        case decimal(isInteger: Bool, min: String? = nil, max: String? = nil)
        case float
        case time(TimePoint.Shape, expected: String)
    }

    private init(_ name: String, _ form: Form) {
        self.name = name
        self.form = form
    }

    /// Creates the datatype of that name; `xs:string` for an unknown or missing name.
    init(named name: String?) {
        let known = name.flatMap { name in
            name.utf8.starts(with: "xs:".utf8) ? Self.forms[ExactString(String(name.dropFirst(3)))] : nil
        }
        self.init(known == nil ? "xs:string" : name ?? "", known ?? .string)
    }

    /// Whether a datatype can have that name (XEP-0122 §3.1). The name needs a prefix. With the prefix `xs:`, it must
    /// be a datatype of XML Schema. Other prefixes are not checked against a registry.
    static func isAllowed(_ name: String) -> Bool {
        if isForeign(name) { return true }
        guard name.utf8.starts(with: "xs:".utf8) else { return false }
        let local = ExactString(String(name.dropFirst(3)))
        return forms[local] != nil || otherNames.contains(local)
    }

    /// Whether a name has a prefix other than `xs:`. Another specification defines such a datatype.
    static func isForeign(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && !parts[0].elementsEqual("xs".utf8)
    }

    /// Whether values have an order, so that a range can bound them. XEP-0122 §4.7 forbids ranges for `xs:string`.
    var isOrdered: Bool {
        switch form {
        case .decimal, .float, .time: true
        case .string, .pattern: false
        }
    }

    /// Whether a text is such a value. It ignores white space around the text, except in strings.
    func isValid(_ text: String) -> Bool {
        switch form {
        case .string: true
        case .pattern(let isValid, _): isValid(text.trimmingXMLSpace)
        case .decimal, .float, .time: value(text) != nil
        }
    }

    /// Whether a text comes before another; `nil` when one of them is not a value of this type, or the values have no
    /// order.
    func isOrdered(_ text: String, before other: String) -> Bool? {
        guard let one = value(text), let two = value(other) else { return nil }
        return one.isOrdered(before: two)
    }

    /// The expected form of a value, in words.
    var expectation: String {
        switch form {
        case .string: "text"
        case .pattern(_, let expected), .time(_, let expected): expected
        case .decimal(let isInteger, let min, let max):
            (isInteger ? "a whole number" : "a decimal number")
                + ((min ?? max) == nil
                    ? ""
                    : min == nil
                        ? ", at most \(max ?? "")"
                        : max == nil
                            ? ", at least \(min ?? "")"
                            : " from \(min ?? "") to \(max ?? "")")
        case .float: "a number, such as 0.5 or 1e-3"
        }
    }

    // MARK: Values with an order

    private enum Value {
        case decimal(DecimalNumber)
        case float(Double)
        case time(TimePoint)

        func isOrdered(before other: Value) -> Bool? {
            switch (self, other) {
            case (.decimal(let one), .decimal(let other)): one < other
            case (.float(let one), .float(let other)): one < other
            case (.time(let one), .time(let other)): one < other
            default: nil
            }
        }
    }

    private func value(_ text: String) -> Value? {
        let text = text.trimmingXMLSpace
        switch form {
        case .string, .pattern: return nil
        case .decimal(let isInteger, let min, let max):
            guard let number = DecimalNumber(text), number.isInteger || !isInteger else { return nil }
            if let min = min.flatMap({ DecimalNumber($0) }), number < min { return nil }
            if let max = max.flatMap({ DecimalNumber($0) }), max < number { return nil }
            return .decimal(number)
        case .float: return Self.float(text).map { .float($0) }
        case .time(let shape, _): return TimePoint(text, shape).map { .time($0) }
        }
    }

    /// Reads a decimal number, with or without an exponent, or one of three names. `Double.init` alone accepts more.
    static func float(_ text: Substring) -> Double? {
        switch text {
        case "INF", "+INF": return .infinity
        case "-INF": return -.infinity
        case "NaN": return .nan
        default:
            let parts = text.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false).flatMap {
                $0.split(separator: "E", maxSplits: 1, omittingEmptySubsequences: false)
            }
            guard parts.count <= 2, DecimalNumber(parts[0]) != nil,
                parts.count == 1 || DecimalNumber(parts[1])?.isInteger == true
            else { return nil }
            return Double(text)
        }
    }
}

// MARK: The table

extension Datatype {
    private static func integer(_ min: String? = nil, _ max: String? = nil) -> Form {
        .decimal(isInteger: true, min: min, max: max)
    }

    /// All built-in types except lists and those that refer to declarations of a document type.
    private static let forms = Dictionary(
        uniqueKeysWithValues: table.map { (ExactString($0.key), $0.value) })

    /// The other built-in types, whose values are text here.
    private static let otherNames = Set(
        ["ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKENS", "NOTATION"].map { ExactString($0) })

    private static let table: KeyValuePairs<String, Form> = [
        "string": .string, "normalizedString": .string, "token": .string,
        "language": .pattern(isValid: isLanguage, expected: "a language, such as en or de-AT"),
        "Name": .pattern(isValid: { isName($0, allowsColon: true) }, expected: "an XML name"),
        "NCName": .pattern(isValid: { isName($0, allowsColon: false) }, expected: "an XML name without colon"),
        "NMTOKEN": .pattern(isValid: { isName("_" + $0, allowsColon: true) && !$0.isEmpty }, expected: "a name token"),
        "QName": .pattern(isValid: isQualifiedName, expected: "an XML name, perhaps with a prefix"),
        "anyURI": .pattern(isValid: isURI, expected: "an address, such as https://example.org/"),
        "boolean": .pattern(isValid: { Bool(exactFieldValue: $0) != nil }, expected: "true, false, 1 or 0"),
        "hexBinary": .pattern(isValid: isHex, expected: "pairs of hexadecimal digits"),
        "base64Binary": .pattern(isValid: isBase64, expected: "base64"),
        "duration": .pattern(isValid: isDuration, expected: "a duration, such as P1Y2M3DT4H5M6S"),
        "decimal": .decimal(isInteger: false), "float": .float, "double": .float,
        "integer": integer(), "positiveInteger": integer("1"), "nonNegativeInteger": integer("0"),
        "negativeInteger": integer(nil, "-1"), "nonPositiveInteger": integer(nil, "0"),
        "long": integer("-9223372036854775808", "9223372036854775807"), "int": integer("-2147483648", "2147483647"),
        "short": integer("-32768", "32767"), "byte": integer("-128", "127"),
        "unsignedLong": integer("0", "18446744073709551615"), "unsignedInt": integer("0", "4294967295"),
        "unsignedShort": integer("0", "65535"), "unsignedByte": integer("0", "255"),
        "dateTime": .time(.dateTime, expected: "a date and time, such as 2002-09-10T23:08:25Z"),
        "date": .time(.date, expected: "a date, such as 2002-09-10"),
        "time": .time(.time, expected: "a time, such as 23:08:25"),
        "gYearMonth": .time(.yearMonth, expected: "a month of a year, such as 2002-09"),
        "gYear": .time(.year, expected: "a year, such as 2002"),
        "gMonthDay": .time(.monthDay, expected: "a day of a year, such as --09-10"),
        "gDay": .time(.day, expected: "a day of a month, such as ---10"),
        "gMonth": .time(.month, expected: "a month, such as --09"),
    ]
}

extension Datatype {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isLanguage(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
            && parts[0].allSatisfy(isLetter)
    }

    static func isName(_ text: some StringProtocol, allowsColon: Bool) -> Bool {
        let name = String(text)
        return XMLCharacters.isName(allowsColon ? name.replacing(":", with: "_") : name)
    }

    static func isQualifiedName(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { isName($0, allowsColon: false) }
    }

    /// Whether a text is a URI after escaping (XML Schema part 2, `anyURI`). Escaping leaves only percent signs and
    /// number signs as they are: two digits follow the one, and there is at most one of the other.
    static func isURI(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return text.utf8.count { $0 == UInt8(ascii: "#") } <= 1
            && parts.dropFirst().allSatisfy { $0.count >= 2 && isHex(Substring($0.prefix(2))) }
    }

    static func isHex(_ text: Substring) -> Bool {
        text.utf8.count.isMultiple(of: 2)
            && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) }
    }

    /// Whether a text is base64: the one text of its bytes, with white space anywhere.
    static func isBase64(_ text: Substring) -> Bool {
        var text = text
        guard let bytes = text.withUTF8({ Base64Text.decode($0, isStrict: true) }) else { return false }
        // Decoding drops bits after the last byte. XML Schema part 2 requires that they are zero.
        return Data(bytes).base64EncodedString().utf8.elementsEqual(text.utf8.filter { !" \t\r\n".utf8.contains($0) })
    }

    /// Whether a text is a duration, `-PnYnMnDTnHnMnS`: at least one part, in that order, and a `T` only before a part.
    static func isDuration(_ text: Substring) -> Bool {
        var scanner = TextScanner(text)
        _ = scanner.take("-")
        guard scanner.take("P"), !scanner.isAtEnd else { return false }
        var days: [Unicode.Scalar] = ["Y", "M", "D"]
        var hours: [Unicode.Scalar] = ["H", "M", "S"]
        while !scanner.isAtEnd, !scanner.take("T") {
            guard takePart(&scanner, &days) else { return false }
            if scanner.isAtEnd { return true }
        }
        if scanner.isAtEnd { return false }
        while !scanner.isAtEnd { if !takePart(&scanner, &hours) { return false } }
        return true
    }

    /// Takes a number and one of the remaining units.
    private static func takePart(_ scanner: inout TextScanner, _ units: inout [Unicode.Scalar]) -> Bool {
        guard scanner.digits() != nil else { return false }
        if scanner.take(".") {
            guard scanner.digits() != nil, units.last == "S", scanner.take("S") else { return false }
            units = []
            return true
        }
        while let unit = units.first {
            units.removeFirst()
            if scanner.take(unit) { return true }
        }
        return false
    }
}
