// The queries on elements: find, findFirst and check, with compiled queries.
//
// QueryableElement+Literals.swift takes literal queries, Slots/QueryableElement+Interpolation.swift those with
// interpolations, QueryableElement+Typed.swift results of a known type; all of them end here. Element+Queries.swift
// implements the requirements for elements.

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
/// Arguments follow the query, one for each of its specifiers, in order (rule 6.1). You can also interpolate them in a
/// literal, which makes it an ``InterpolatedQuery``: `check("items<node=\(node)>")` does not read the content of `node`
/// as query text.
///
/// On a frozen element, `check` allocates nothing, and `findFirst` allocates nothing if the result is an element, even
/// with short arguments. The exceptions are text in several pieces, prefixes that have to be looked up, and regular
/// expressions, which may need memory on first use.
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

    // MARK: The requirements of the forms with arguments

    /// All results of a compiled query with contiguous arguments.
    func find(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> [QueryValue<Self>]

    /// The first result of a compiled query with contiguous arguments.
    func findFirst(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> QueryValue<Self>?

    /// Whether a compiled query with contiguous arguments has a result.
    func check(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError) -> Bool

    /// Whether the query's first instruction shows that it has no result here, for any arguments.
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
