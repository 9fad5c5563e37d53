// The type of a query's results, by the name that the expansion calls it: as the table of `TypedQueryResult` has it.

import QuerySyntax

/// A type of results.
struct QueryResultName: Equatable {
    /// The name as one would write it.
    let name: String
    /// The name in expansions, which may stand where the type's module is not imported.
    let qualified: String

    private init(_ name: String, _ qualified: String) {
        self.name = name
        self.qualified = qualified
    }

    static let element = QueryResultName("Element", "XMLTree.Element")

    /// The type of what a query gives.
    init(_ tree: QueryTree) {
        if let conversion = tree.conversion {
            self.init(conversion)
            return
        }
        switch tree.extraction {
        case nil: self = .element
        case .attribute, .text, .name: self.init("String", "Swift.String")
        case .attributes: self.init("StringMap", "XMLTree.StringMap")
        case .form(let form):
            switch form.access {
            case .none: self.init("DataForm", "DataForms.DataForm")
            case .value, .valueOfSlot: self.init("String", "Swift.String")
            case .description, .descriptionOfSlot: self.init("FormField", "DataForms.FormField")
            }
        }
    }

    private init(_ conversion: Conversion) {
        switch conversion {
        case .bool: self.init("Bool", "Swift.Bool")
        case .int: self.init("Int", "Swift.Int")
        case .uint: self.init("UInt", "Swift.UInt")
        case .double: self.init("Double", "Swift.Double")
        case .datetime: self.init("Date", "StanzaQuery.QueryResultTypes.Datetime")
        case .base64: self.init("Data", "StanzaQuery.QueryResultTypes.Base64")
        case .uuid, .uuidcast: self.init("UUID", "StanzaQuery.QueryResultTypes.Identifier")
        }
    }

    private static let names: Set = [
        "Element", "String", "StringMap", "DataForm", "FormField", "Bool", "Int", "UInt", "Double", "Date", "Data",
        "UUID",
    ]

    /// Whether a type is another one, as far as its name tells: a name that is not known may be this type's, too.
    func differs(from written: String) -> Bool {
        let last = written.split(separator: ".").last.map(String.init) ?? written
        return last != name && Self.names.contains(last)
    }
}
