// The results of queries: one case for each kind of result, with accessors for callers that know the kind. The kind is
// known from the query alone.

public import FormModel
import QuerySyntax
public import XMLTree

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    /// `|base64`; an array of bytes without the package's trait `Foundation`.
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

/// The kind of all results of a query.
public enum ResultKind: String, Sendable, Hashable, CaseIterable {
    case element, string, attributes, bool, int, uint, double, datetime, base64, uuid, form, field
}

/// A set of kinds of results. It allocates no memory, so that a request for results of a type is free.
public struct ResultKinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A single kind.
    @inlinable public init(_ kind: ResultKind) {
        switch kind {
        case .element: self = .element
        case .string: self = .string
        case .attributes: self = .attributes
        case .bool: self = .bool
        case .int: self = .int
        case .uint: self = .uint
        case .double: self = .double
        case .datetime: self = .datetime
        case .base64: self = .base64
        case .uuid: self = .uuid
        case .form: self = .form
        case .field: self = .field
        }
    }

    @inlinable public static var element: ResultKinds { ResultKinds(rawValue: 1 << 0) }
    @inlinable public static var string: ResultKinds { ResultKinds(rawValue: 1 << 1) }
    @inlinable public static var attributes: ResultKinds { ResultKinds(rawValue: 1 << 2) }
    @inlinable public static var bool: ResultKinds { ResultKinds(rawValue: 1 << 3) }
    @inlinable public static var int: ResultKinds { ResultKinds(rawValue: 1 << 4) }
    @inlinable public static var uint: ResultKinds { ResultKinds(rawValue: 1 << 5) }
    @inlinable public static var double: ResultKinds { ResultKinds(rawValue: 1 << 6) }
    @inlinable public static var datetime: ResultKinds { ResultKinds(rawValue: 1 << 7) }
    @inlinable public static var base64: ResultKinds { ResultKinds(rawValue: 1 << 8) }
    @inlinable public static var uuid: ResultKinds { ResultKinds(rawValue: 1 << 9) }
    @inlinable public static var form: ResultKinds { ResultKinds(rawValue: 1 << 10) }
    @inlinable public static var field: ResultKinds { ResultKinds(rawValue: 1 << 11) }
}

extension QueryResult where Node: QueryTarget {
    /// Reads a hit; the tree must not have changed since.
    init(_ hit: Hit, of program: Program, in tree: Node) {
        switch hit {
        case .element(let node): self = .element(tree.element(at: node))
        case .attributes(let node): self = .attributes(tree.allAttributes(of: node))
        case .string(let text, nil): self = .string(String(decoding: text, as: UTF8.self))
        case .text(let node, nil): self = .string(tree.view.textString(of: node))
        case .string(let text, let conversion?): self.init(text, conversion, program)
        case .text(let node, let conversion?):
            self = tree.view.withText(of: node) { QueryResult($0, conversion, program) }
        case .form(let node): self = .form(tree.form(at: node))
        case .field(let place): self = .field(tree._formPlace.field(place))
        }
    }

    /// Converts a text that the machine has found to be convertible.
    private init(_ text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion, _ program: Program) {
        guard let result = conversion.row(Node.self).convert(text, program.isStrict) else {
            preconditionFailure("a hit has a text that converts")
        }
        self = result
    }
}

extension TreePosition {
    /// The attributes and the pseudo-attribute `xmlns` (1.3).
    fileprivate func allAttributes(of node: NodeIndex) -> StringMap {
        let element = element(at: node)
        var entries: [StringMap.Entry] = []
        if let namespace = element.namespace { entries.append(("xmlns", namespace)) }
        for attribute in element.attributes { entries.append((attribute.name, attribute.value)) }
        return StringMap(entries)
    }
}
