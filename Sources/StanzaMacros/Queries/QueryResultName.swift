// The type of a query's results, by the name that the expansion calls it: as the table of `QueryDecodable` has it.

import QuerySyntax

/// A type of results.
struct QueryResultName: Equatable {
    /// The name as one would write it.
    let name: String
    /// The name in expansions.
    let qualified: String

    /// - Parameter qualified: The type's name in `_QueryResultTypes`.
    private init(_ name: String, _ qualified: String) {
        self.name = name
        self.qualified = "StanzaQuery._QueryResultTypes." + qualified
    }

    static let element = QueryResultName("Element", "TreeElement")

    /// The type of a query's results.
    init(_ tree: QueryTree) {
        if let conversion = tree.conversion {
            self.init(conversion)
            return
        }
        switch tree.extraction {
        case nil: self = .element
        case .attribute, .text, .name: self.init("String", "Text")
        case .attributes: self.init("StringMap", "Attributes")
        case .form(let form):
            switch form.access {
            case .none: self.init("DataForm", "Form")
            case .value: self.init("String", "Text")
            case .description: self.init("FormField", "Field")
            }
        }
    }

    private init(_ conversion: Conversion) {
        switch conversion {
        case .bool: self.init("Bool", "Boolean")
        case .int: self.init("Int", "Integer")
        case .uint: self.init("UInt", "UnsignedInteger")
        case .double: self.init("Double", "FloatingPoint")
        case .datetime: self.init("Date", "Datetime")
        case .base64: self.init("Data", "Base64")
        case .uuid, .uuidcast: self.init("UUID", "Identifier")
        }
    }

    private static let names: Set = [
        "Element", "String", "StringMap", "DataForm", "FormField", "Bool", "Int", "UInt", "Double", "Date", "Data",
        "UUID",
    ]

    /// The other types that decode the same results.
    private static let others: [String: Set<String>] = [
        "Int": ["Int8", "Int16", "Int32", "Int64"], "UInt": ["UInt8", "UInt16", "UInt32", "UInt64"], "String": ["URL"],
    ]

    /// Whether a type differs, as far as its name shows: an unknown name may be this type's, too.
    func differs(from written: String) -> Bool {
        let last = Self.lastName(of: written)
        if last == name || Self.others[name]?.contains(last) == true { return false }
        return Self.names.contains(last) || Self.others.values.contains { $0.contains(last) }
    }

    /// Whether a type has this one's name, with or without its module's.
    func isNamed(_ written: String) -> Bool { Self.lastName(of: written) == name }

    private static func lastName(of written: String) -> String {
        written.split(separator: ".").last.map(String.init) ?? written
    }
}
