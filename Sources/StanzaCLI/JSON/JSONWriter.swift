// Writes JSON on one line, in the spelling of the suite format: a space behind ':' and ','. Strings have escapes for
// what a terminal would obey.

import XMLTree

extension JSONValue {
    /// The value as JSON without line breaks.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .number(let number): text += number.text
        case .string(let string): Self.write(string, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += ", " }
                Self.write(member.name, to: &text)
                text += ": "
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isObeyedByTerminals: text += "\\u" + scalar.fourHexDigits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSONNumber {
    init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// A finite number, with a point or an exponent, so that it is read as a floating-point number again.
    init(_ value: Double) {
        text = value.description
    }
}

extension JSONValue {
    static func number(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }
    static func number(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }
}
