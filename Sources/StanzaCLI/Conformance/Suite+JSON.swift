// Converts the members of a suite file to values of their types; a missing or wrong member is an error.

import QuerySyntax
import StanzaQuery

/// The members of a suite that the format does not have. They may have any value and occur any number of times.
struct IgnoredMembers {
    /// The beginning of each message about a member.
    var place = ""
    private(set) var warnings: [String] = []
    private var seen: Set<[String]> = []

    /// Rejects a known member that occurs twice, and notes each unknown member once.
    ///
    /// - Parameter holder: The object of the members, in words.
    mutating func check(_ members: [JSONMember], known: [String], of holder: String) throws(SuiteError) {
        var met: Set<String> = []
        for name in members.lazy.map(\.name) {
            if known.contains(name) {
                if !met.insert(name).inserted { throw SuiteError("has '\(name)' twice") }
            } else if seen.insert([holder, name]).inserted {
                warnings.append("\(place)'\(name)' is not a member of \(holder); it is ignored")
            }
        }
    }
}

extension [JSONMember] {
    /// The value of a member that may be missing.
    func optional<Value>(
        _ name: String, _ expected: String, _ value: (JSONValue) -> Value?
    ) throws(SuiteError) -> Value? {
        guard let member = self[name] else { return nil }
        guard let value = value(member) else { throw SuiteError("'\(name)' must be \(expected)") }
        return value
    }

    /// The value of a required member.
    func required<Value>(
        _ name: String, _ expected: String, _ value: (JSONValue) -> Value?
    ) throws(SuiteError) -> Value {
        guard let value = try optional(name, expected, value) else { throw SuiteError("needs '\(name)'") }
        return value
    }
}

extension JSONValue {
    /// The values of an array that are all of one type.
    fileprivate func all<Value>(_ value: (JSONValue) -> Value?) -> [Value]? {
        guard let values = array?.map(value) else { return nil }
        let present = values.compactMap(\.self)
        return present.count == values.count ? present : nil
    }

    /// An index path.
    var indexes: [Int]? { all { $0.number?.int.flatMap { $0 >= 0 ? $0 : nil } } }

    /// An array of strings.
    var names: [String]? { all(\.string) }

    var range: SourceRange? {
        guard let bounds = indexes, bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
        return bounds[0]..<bounds[1]
    }

    var options: QueryOptions? {
        all { value -> QueryOptions? in
            switch value.string {
            case "caseInsensitiveFilters": .caseInsensitiveFilters
            case "strictConversions": .strictConversions
            default: nil
            }
        }
        .map { QueryOptions($0) }
    }

    func argument() throws(SuiteError) -> QueryArgumentValue {
        switch self {
        case .string(let string): return .text(string)
        case .bool(let bool): return .boolean(bool)
        case .number(let number) where number.isWhole:
            if let int = number.int { return .integer(Int64(int)) }
            if let uint = number.uint { return .unsigned(UInt64(uint)) }
            throw SuiteError(
                "the argument \(number.text) has more than 64 bits: expected \(Int64.min) to \(UInt64.max)")
        case .number(let number):
            if let double = number.double { return .floating(double) }
            throw SuiteError("the argument \(number.text) is too large for a floating-point number")
        case .null, .array, .object:
            throw SuiteError("'arguments' must be an array of strings, numbers and booleans")
        }
    }
}
