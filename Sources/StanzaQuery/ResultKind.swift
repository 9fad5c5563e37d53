// What the results of a query are: known from the query alone.

import QuerySyntax

/// The kind of all results of a query.
public enum ResultKind: String, Sendable, Hashable, CaseIterable {
    case element, string, attributes, bool, int, uint, double, datetime, base64, uuid, form, field

    init(_ conversion: Conversion) {
        switch conversion {
        case .bool: self = .bool
        case .int: self = .int
        case .uint: self = .uint
        case .double: self = .double
        case .datetime: self = .datetime
        case .base64: self = .base64
        case .uuid, .uuidcast: self = .uuid
        }
    }
}
