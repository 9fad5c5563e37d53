// Results in suites: read from JSON, and compared by the rules of the suite format.

import Foundation
import StanzaQuery

extension PlainResult {
    /// Reads a result of a suite.
    init(json: JSONValue, _ ignored: inout IgnoredMembers) throws(SuiteError) {
        let members = json.object ?? []
        try ignored.check(members, known: Self.forms, of: "a result")
        let known = members.filter { Self.forms.contains($0.name) }
        guard known.count == 1, let result = try Self.read(known[0].name, known[0].value, &ignored) else {
            throw SuiteError("\(json.text) is not a result")
        }
        self = result
    }

    private static let forms = [
        "element", "string", "bool", "int", "uint", "double", "datetime", "base64", "uuid", "attributes", "form",
        "field",
    ]

    private static func read(
        _ form: String, _ value: JSONValue, _ ignored: inout IgnoredMembers
    ) throws(SuiteError) -> PlainResult? {
        switch form {
        case "element": value.indexes.map { .element($0) }
        case "string": value.string.map { .string($0) }
        case "bool": value.bool.map { .bool($0) }
        case "int": value.number?.int.map { .int($0) }
        case "uint": value.number?.uint.map { .uint($0) }
        case "double": value.number?.double.map { .double($0) }
        case "datetime": value.number?.double.map { .datetime($0) }
        case "base64": value.string.flatMap { Data(base64Encoded: $0) }.map { .base64($0) }
        case "uuid": value.string.map { .uuid($0) }
        case "attributes": value.strings.map { .attributes($0) }
        case "form": value.indexes.map { .form($0) }
        case "field": try FormField(json: value, &ignored).map { .field($0) }
        default: nil
        }
    }

    /// Whether this is the other result: strings code point by code point, points in time within a millisecond, all
    /// else exactly.
    func matches(_ other: PlainResult) -> Bool {
        switch (self, other) {
        case (.element(let one), .element(let two)), (.form(let one), .form(let two)): one == two
        case (.string(let one), .string(let two)), (.uuid(let one), .uuid(let two)): one.isIdentical(to: two)
        case (.bool(let one), .bool(let two)): one == two
        case (.int(let one), .int(let two)): one == two
        case (.uint(let one), .uint(let two)): one == two
        // The sign of zero counts.
        case (.double(let one), .double(let two)): one == two && one.sign == two.sign
        case (.datetime(let one), .datetime(let two)): abs(one - two) <= 0.001
        case (.base64(let one), .base64(let two)): one == two
        case (.attributes(let one), .attributes(let two)): one == two
        case (.field(let one), .field(let two)): one.isDescribed(like: two)
        default: false
        }
    }
}

extension [PlainResult] {
    func matches(_ others: [PlainResult]) -> Bool { elementsEqual(others) { $0.matches($1) } }

    /// Whether these are the others in any order.
    func isPermutation(of others: [PlainResult]) -> Bool {
        count == others.count && inOneOrder.matches(others.inOneOrder)
    }

    /// Sorts the results, so that their order does not count: points in time, which match when they are close, by time,
    /// and all others by their text.
    private var inOneOrder: [PlainResult] {
        var times: [Double] = []
        var others: [(key: String, result: PlainResult)] = []
        for result in self {
            if case .datetime(let time) = result { times.append(time) } else { others.append((result.key, result)) }
        }
        others.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return times.sorted().map { .datetime($0) } + others.map(\.result)
    }
}

extension PlainResult {
    /// The same text for all results that match, unless they are points in time.
    fileprivate var key: String { json.withSortedMembers.text }
}

extension JSONValue {
    fileprivate var withSortedMembers: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.withSortedMembers))
        case .object(let members):
            .object(
                members.map { JSONMember(name: $0.name, value: $0.value.withSortedMembers) }
                    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        default: self
        }
    }
}

extension JSONValue {
    /// An object of strings.
    fileprivate var strings: StringMap? {
        guard let members = object else { return nil }
        let entries = members.compactMap { member in member.value.string.map { (key: member.name, value: $0) } }
        return entries.count == members.count ? StringMap(entries) : nil
    }
}

extension FormField {
    private static let members = [
        "name", "type", "value", "allValues", "options", "label", "description", "required",
    ]

    /// Reads a field's description; `nil` if it is invalid, or its `value` is not the first of `allValues`.
    fileprivate init?(json: JSONValue, _ ignored: inout IgnoredMembers) throws(SuiteError) {
        guard let members = json.object, let name = members["name"]?.string else { return nil }
        try ignored.check(members, known: Self.members, of: "a field")
        let values = (members["allValues"]?.array ?? []).map(\.string)
        guard let options = (members["options"] ?? .object([])).strings, !values.contains(nil) else { return nil }
        self.init(
            name, label: members["label"]?.string, description: members["description"]?.string,
            isRequired: members["required"]?.bool ?? false, values: values.compactMap(\.self),
            options: options.map { FieldOption($0.key, label: $0.value) })
        typeName = members["type"]?.string
        guard members["value"]?.string == value else { return nil }
    }
}
