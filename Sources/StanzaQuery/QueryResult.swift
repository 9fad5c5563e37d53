// The results of queries: one case for each kind of result, with accessors for callers that know the kind.
//
// QueryResult+Hit.swift makes them from the machine's hits.

public import FormModel
public import Foundation
public import XMLTree

/// A result of a query on elements of one kind. Which case it is depends on the query alone: see `Query.resultKind`.
public enum QueryResult<Node: QueryableElement> {
    /// The element itself: the query has no extraction.
    case element(Node)
    /// `@name`, `#`, `$` or `\…@field\` without conversion.
    case string(String)
    /// `@@`: all attributes, with `xmlns`.
    case attributes(StringMap)
    /// `|bool`
    case bool(Bool)
    /// `|int`
    case int(Int)
    /// `|uint`
    case uint(UInt)
    /// `|double`
    case double(Double)
    /// `|datetime`
    case date(Date)
    /// `|base64`
    case data(Data)
    /// `|uuid`, `|uuidcast`
    case uuid(UUID)
    /// `\…\`
    case form(DataFormElement<Node>)
    // A field is large. Boxed, it does not make every result large.
    /// `\…&field\`
    indirect case field(FormField)
}

/// A result of a query on an `Element`.
public typealias QueryValue = QueryResult<Element>

extension QueryResult: Sendable where Node: Sendable {}

extension QueryResult {
    /// The element; `nil` for any other result. The accessors below work alike.
    public var element: Node? { if case .element(let element) = self { element } else { nil } }
    public var string: String? { if case .string(let string) = self { string } else { nil } }
    public var attributes: StringMap? { if case .attributes(let attributes) = self { attributes } else { nil } }
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    public var int: Int? { if case .int(let int) = self { int } else { nil } }
    public var uint: UInt? { if case .uint(let uint) = self { uint } else { nil } }
    public var double: Double? { if case .double(let double) = self { double } else { nil } }
    public var date: Date? { if case .date(let date) = self { date } else { nil } }
    public var data: Data? { if case .data(let data) = self { data } else { nil } }
    public var uuid: UUID? { if case .uuid(let uuid) = self { uuid } else { nil } }
    public var form: DataFormElement<Node>? { if case .form(let form) = self { form } else { nil } }
    public var field: FormField? { if case .field(let field) = self { field } else { nil } }

    /// The kind of this result.
    public var kind: ResultKind {
        switch self {
        case .element: .element
        case .string: .string
        case .attributes: .attributes
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .date: .datetime
        case .data: .base64
        case .uuid: .uuid
        case .form: .form
        case .field: .field
        }
    }
}
