// Writes JSON on one line, in the spelling of the suite format: a space after ':' and ','. Strings have escapes for
// terminal control characters.

import SafeText

extension JSONValue {
    /// The value as JSON without line breaks.
    var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the members of an object without its braces.
    func writeMembers(to bytes: inout [UInt8]) {
        for (index, member) in (object ?? []).enumerated() {
            if index > 0 { bytes += ", ".utf8 }
            Self.write(member.name, to: &bytes)
            bytes += ": ".utf8
            member.value.write(to: &bytes)
        }
    }

    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let bool): bytes += (bool ? "true" : "false").utf8
        case .number(let number): bytes += number.text.utf8
        case .string(let string): Self.write(string, to: &bytes)
        case .array(let values):
            bytes += "[".utf8
            for (index, value) in values.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                value.write(to: &bytes)
            }
            bytes += "]".utf8
        case .object:
            bytes += "{".utf8
            writeMembers(to: &bytes)
            bytes += "}".utf8
        }
    }

    private static func write(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(string, spelled: .json)
        bytes.append(UInt8(ascii: "\""))
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
