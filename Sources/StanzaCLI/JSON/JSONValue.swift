// JSON as values: members keep their order, numbers the way they were written.
//
// Foundation's JSON keeps neither the difference between `5` and `5.0` nor the order of members. Suites need both.

/// A JSON value.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
}

/// A member of an object.
struct JSONMember: Sendable {
    let name: String
    let value: JSONValue
    /// Where the value begins, in bytes of the text it was read from.
    var offset = 0
}

/// A number as it was written.
struct JSONNumber: Sendable {
    let text: String

    /// Written without `.` and exponent.
    var isWhole: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isDigit } }
    /// The whole number, if it is one that fits.
    var int: Int? { isWhole ? Int(text) : nil }
    /// The whole number, if it is one that fits.
    var uint: UInt? { isWhole ? UInt(text) : nil }
    /// The number, if it is finite.
    var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}

extension JSONValue {
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }
    var string: String? { if case .string(let string) = self { string } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    var object: [JSONMember]? { if case .object(let members) = self { members } else { nil } }
}

extension [JSONMember] {
    /// The member with a name; of several, the last.
    func member(_ name: String) -> JSONMember? {
        last { $0.name.isIdentical(to: name) }
    }

    subscript(name: String) -> JSONValue? { member(name)?.value }
}
