// A query together with the type of its results, and with the values of its slots.
//
// QueryableElement+TypedQueries.swift evaluates it on elements; CheckedQuery.swift is the expansion of `#query` that
// makes it.

public import FormModel
public import Foundation
import QuerySyntax
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
public protocol TypedQueryResult: QueryResultType, Sendable {
    /// `Void` if `check` takes queries with these results, `Never` if it does not: for `Bool`.
    associatedtype _Existence = Void

    /// The value in a result of a query on an element of either kind. If you ask for an `Element`, it freezes an
    /// editable one.
    static func typedValue<Node: QueryableElement>(of result: QueryValue<Node>) -> Self?
}

extension TypedQueryResult {
    @inlinable public static func typedValue<Node: QueryableElement>(of result: QueryValue<Node>) -> Self? {
        value(of: result)
    }
}

extension Element: TypedQueryResult {
    public static func typedValue<Node: QueryableElement>(of result: QueryValue<Node>) -> Element? {
        guard case .element(let element) = result else { return nil }
        return element as? Element ?? (element as? MutableElement)?.freeze()
    }
}

extension String: TypedQueryResult {}
extension StringMap: TypedQueryResult {}
extension DataForm: TypedQueryResult {}
extension FormField: TypedQueryResult {}
extension Bool: TypedQueryResult {
    public typealias _Existence = Never
}
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
/// let isLast = try iq.findFirst(isComplete) == true
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
    /// - Throws: `ResultTypeError` if they are not, and `QueryError` for a query that takes arguments.
    public init(_ query: Query) throws {
        try query.checkResults(are: Value.self, on: Element.self)
        try query.demandNoArguments()
        self.init(.success(query), [])
    }

    /// Compiles a literal, once for all values; interpolations are never read as a part of the query. Specifiers are
    /// mistakes.
    ///
    /// - Throws: `QueryError` for mistakes in the text, and `ResultTypeError` if its results are of another type.
    public init(_ literal: InterpolatedQuery, options: QueryOptions = []) throws {
        let (query, arguments) = try TemplateCache.template(literal.text, options: options).binding(literal.values)
        try query.checkResults(are: Value.self, on: Element.self)
        self.init(.success(query), arguments)
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
    /// - Throws: The errors of compiling the query. The compiler misses an error only if the PCRE2 of this program
    ///   refuses a regular expression that the compiler's PCRE2 takes.
    @usableFromInline
    func query() throws(QueryError) -> Query {
        try compiled.get()
    }
}

extension Query {
    /// A typed query has its arguments already.
    fileprivate func demandNoArguments() throws(QueryError) {
        guard let specifier = program.valueSteps.lazy.compactMap(\.specifier).first else { return }
        throw QueryError(source: source, Diagnostic(.missingArgument(specifier: specifier), at: specifier.range))
    }
}
