// Results in the forms of the suite format: plain values, independent of any tree. Suites
// compare them, and `--json` prints those without elements.

import Foundation
import QueryTools
import StanzaQuery

/// A result, with elements as index paths.
enum PlainResult {
    case element([Int])
    case string(String)
    case bool(Bool)
    case int(Int)
    case uint(UInt)
    case double(Double)
    /// Seconds since 1970.
    case datetime(Double)
    case base64(Data)
    /// In lower case.
    case uuid(String)
    case attributes(StringMap)
    case form([Int])
    case field(FormField)

    /// The plain form of a query's result.
    init<Node: ReadableElement>(_ value: QueryResult<Node>, paths: inout IndexPaths<Node>) {
        switch value {
        case .element(let element): self = .element(paths.path(of: element))
        case .string(let string): self = .string(string)
        case .attributes(let attributes): self = .attributes(attributes)
        case .bool(let bool): self = .bool(bool)
        case .int(let int): self = .int(int)
        case .uint(let uint): self = .uint(uint)
        case .double(let double): self = .double(double)
        case .date(let date): self = .datetime(date.unixSeconds)
        case .data(let data): self = .base64(Data(data))
        case .uuid(let uuid): self = .uuid(uuid.uuidString.lowercased())
        case .form(let form): self = .form(paths.path(of: form.element))
        case .field(let field): self = .field(field)
        }
    }

    /// The plain form of a result, without the paths of others.
    init<Node: ReadableElement>(alone value: QueryResult<Node>) {
        var paths = IndexPaths<Node>()
        self.init(value, paths: &paths)
    }
}

// MARK: JSON

extension PlainResult {
    /// `{"string": "…"}` and so on.
    var json: JSONValue {
        let (kind, value): (String, JSONValue) =
            switch self {
            case .element(let path): ("element", .array(path.map { .number($0) }))
            case .string(let string): ("string", .string(string))
            case .bool(let bool): ("bool", .bool(bool))
            case .int(let int): ("int", .number(int))
            case .uint(let uint): ("uint", .number(uint))
            case .double(let double): ("double", .number(double))
            case .datetime(let seconds): ("datetime", .number(seconds))
            case .base64(let data): ("base64", .string(data.base64EncodedString()))
            case .uuid(let uuid): ("uuid", .string(uuid))
            case .attributes(let attributes): ("attributes", attributes.json)
            case .form(let path): ("form", .array(path.map { .number($0) }))
            case .field(let field): ("field", field.json)
            }
        return .object([JSONMember(name: kind, value: value)])
    }
}

extension StringMap {
    /// An object with the entries in order.
    var json: JSONValue { .object(map { JSONMember(name: $0.key, value: .string($0.value)) }) }
}

extension FormField {
    /// An object without the members that the field does not have.
    var json: JSONValue {
        let members: [(String, JSONValue?)] = [
            ("name", .string(name ?? "")),
            ("type", typeName.map { .string($0) }),
            ("value", value.map { .string($0) }),
            ("allValues", .array(values.map { .string($0) })),
            ("options", options.labels.json),
            ("label", label.map { .string($0) }),
            ("description", description.map { .string($0) }),
            ("required", .bool(isRequired)),
        ]
        return .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } })
    }
}
