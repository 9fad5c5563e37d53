// What elements can be asked: find, findFirst and check, with compiled queries.
//
// Literal queries are QueryableElement+Literals.swift, those with interpolations
// Slots/QueryableElement+Interpolation.swift, results of a known type QueryableElement+Typed.swift; all of them end
// here. What elements do is Element+Queries.swift.

public import FormModel

/// An element that queries can be evaluated on: `Element` or `MutableElement`.
///
/// ```swift
/// let isError = try stanza.check("/<type=error>")
/// let stamp = try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
/// let features = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string)
/// let id = try stanza.findFirst("items<node=%@>/item@id", node, as: String.self)
/// ```
///
/// Arguments follow the query, one for each of its specifiers, in order (rule 6.1). Or they stand in it, as
/// interpolations of a literal, which is an ``InterpolatedQuery`` then: `check("items<node=\(node)>")` does not read
/// what `node` holds.
///
/// Asking a frozen element whether there is a result, or for the first one if it is an element, allocates nothing,
/// short arguments included; but for text that stands in several pieces, prefixes that have to be looked up, and
/// regular expressions, which may need memory when they are first used.
public protocol QueryableElement: DataFormNode {
    /// All results of a compiled query without arguments, in document order (rule 2.1).
    ///
    /// - Throws: `QueryError` for arguments that do not fit (6.3), or a regular expression that exceeds its limit
    ///   (3.8).
    /// - Complexity: at most the number of segments times the number of elements of the tree (2.6).
    func find(_ query: Query) throws(QueryError) -> [QueryValue<Self>]

    /// The first result of a compiled query without arguments, or nothing. Stops as soon as it is found.
    func findFirst(_ query: Query) throws(QueryError) -> QueryValue<Self>?

    /// Whether a compiled query without arguments has a result. Stops as soon as one is found.
    func check(_ query: Query) throws(QueryError) -> Bool

    // MARK: What the forms with arguments consist of

    /// All results of a compiled query, whose arguments lie behind each other.
    func find(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> [QueryValue<Self>]

    /// The first result of a compiled query, whose arguments lie behind each other.
    func findFirst(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> QueryValue<Self>?

    /// Whether a compiled query has a result; its arguments lie behind each other.
    func check(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError) -> Bool

    /// Whether it is known at first sight that the query has no result here, whatever its arguments are.
    ///
    /// It is false for a query that takes another number of arguments, or arguments of certain types only.
    func rulesOut(_ query: Query, argumentCount: Int) -> Bool
}

extension QueryableElement {
    // MARK: With arguments

    /// All results of a compiled query, in document order. See `find(_:)`.
    @inlinable
    public func find<each Argument: QueryArgument>(
        _ query: Query, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryValue<Self>] {
        let count = argumentCount(repeat (each Argument).self)
        if count == 0 { return try find(query) }
        if rulesOut(query, argumentCount: count) { return [] }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try find(query, values: values)
        }
    }

    /// The first result of a compiled query. See `findFirst(_:)`.
    @inlinable
    public func findFirst<each Argument: QueryArgument>(
        _ query: Query, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryValue<Self>? {
        let count = argumentCount(repeat (each Argument).self)
        if count == 0 { return try findFirst(query) }
        if rulesOut(query, argumentCount: count) { return nil }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try findFirst(query, values: values)
        }
    }

    /// Whether a compiled query has a result. See `check(_:)`.
    @inlinable
    public func check<each Argument: QueryArgument>(
        _ query: Query, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        let count = argumentCount(repeat (each Argument).self)
        if count == 0 { return try check(query) }
        if rulesOut(query, argumentCount: count) { return false }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try check(query, values: values)
        }
    }

    // MARK: With arguments that are only known at run time

    /// All results of a compiled query, in document order. See `find(_:)`.
    public func find(_ query: Query, arguments: [QueryArgumentValue]) throws(QueryError) -> [QueryValue<Self>] {
        if rulesOut(query, argumentCount: arguments.count) { return [] }
        return try withValues(of: arguments) { values throws(QueryError) in try find(query, values: values) }
    }

    /// The first result of a compiled query. See `findFirst(_:)`.
    public func findFirst(_ query: Query, arguments: [QueryArgumentValue]) throws(QueryError) -> QueryValue<Self>? {
        if rulesOut(query, argumentCount: arguments.count) { return nil }
        return try withValues(of: arguments) { values throws(QueryError) in try findFirst(query, values: values) }
    }

    /// Whether a compiled query has a result. See `check(_:)`.
    public func check(_ query: Query, arguments: [QueryArgumentValue]) throws(QueryError) -> Bool {
        if rulesOut(query, argumentCount: arguments.count) { return false }
        return try withValues(of: arguments) { values throws(QueryError) in try check(query, values: values) }
    }

    /// All results of a compiled query, in document order. See `find(_:)`.
    @_disfavoredOverload
    public func find(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> [QueryValue<Self>] {
        try find(query, arguments: arguments.map(\.queryArgument))
    }

    /// The first result of a compiled query. See `findFirst(_:)`.
    @_disfavoredOverload
    public func findFirst(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> QueryValue<Self>? {
        try findFirst(query, arguments: arguments.map(\.queryArgument))
    }

    /// Whether a compiled query has a result. See `check(_:)`.
    @_disfavoredOverload
    public func check(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> Bool {
        try check(query, arguments: arguments.map(\.queryArgument))
    }
}
