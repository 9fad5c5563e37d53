// A query together with the type of its results, and with the values of its slots.
//
// What elements do with it is QueryableElement+TypedQueries.swift; what `#query` makes it of is CheckedQuery.swift.

public import DataForms
public import Foundation
public import XMLTree

/// A type of results that is decided by a query's text, on frozen and editable elements alike.
///
/// | the query ends in | its results |
/// | --- | --- |
/// | no extraction | `Element` |
/// | `@name`, `#`, `$`, `\@field\` | `String` |
/// | `@@` | `StringMap` |
/// | `\…\` | `DataForm` |
/// | `\&field\` | `FormField` |
/// | a conversion | `Bool`, `Int`, `UInt`, `Double`, `Date`, `Data` or `UUID` |
public protocol TypedQueryResult: QueryResultType, Sendable {}

extension Element: TypedQueryResult {}
extension String: TypedQueryResult {}
extension StringMap: TypedQueryResult {}
extension DataForm: TypedQueryResult {}
extension FormField: TypedQueryResult {}
extension Bool: TypedQueryResult {}
extension Int: TypedQueryResult {}
extension UInt: TypedQueryResult {}
extension Double: TypedQueryResult {}
extension Date: TypedQueryResult {}
extension Data: TypedQueryResult {}
extension UUID: TypedQueryResult {}

/// A compiled query whose results have a known type.
///
/// ```swift
/// let isComplete = try TypedQuery<Bool>("{urn:xmpp:mam:2}fin@complete|bool")
/// let isLast: Bool = try iq.holds(isComplete)
/// ```
///
/// The macro `#query` of `StanzaQueryMacros` makes one that the compiler has checked.
public struct TypedQuery<Value: TypedQueryResult>: Sendable {
    private let compiled: Result<Query, QueryError>
    @usableFromInline let arguments: [QueryArgumentValue]

    init(_ compiled: Result<Query, QueryError>, _ arguments: [QueryArgumentValue]) {
        self.compiled = compiled
        self.arguments = arguments
    }

    /// A compiled query whose results are of that type.
    ///
    /// - Throws: `ResultTypeError` when they are not.
    public init(_ query: Query) throws(ResultTypeError) {
        try query.checkResults(are: Value.self, on: Element.self)
        self.init(.success(query), [])
    }

    /// Compiles a literal; interpolations are never read as a part of the query.
    ///
    /// - Throws: `QueryError` for what is wrong with the text, and `ResultTypeError` when its results are of another type.
    public init(_ literal: InterpolatedQuery, options: QueryOptions = []) throws {
        if literal.text.slots.isEmpty {
            try self.init(Query(literal.text.source, options: options))
        } else {
            let (query, arguments) = try QueryTemplate(cached: literal.text, options: options).binding(literal.values)
            try query.checkResults(are: Value.self, on: Element.self)
            self.init(.success(query), arguments)
        }
    }

    /// The query's text, with `\(…)` for each interpolation.
    public var source: String {
        switch compiled {
        case .success(let query): query.source
        case .failure(let error): error.source
        }
    }

    /// The query without its arguments.
    ///
    /// - Throws: what compiling threw. The compiler has seen nothing of that only if the PCRE2 of this program refuses a
    ///   regular expression that the compiler's takes.
    @usableFromInline
    func query() throws(QueryError) -> Query {
        try compiled.get()
    }
}
