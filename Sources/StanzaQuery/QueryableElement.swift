// What elements can be asked: find, findFirst and check, with compiled queries and with literal ones.
//
// The three evaluations of a compiled query are Evaluation.swift's; everything else here ends in them. Literal queries
// go through QueryCache.swift.

public import DataForms
public import XMLTree

/// An element that queries can be evaluated on: `Element` or `MutableElement`.
///
/// ```swift
/// let isError = try stanza.check("/<type=error>")
/// let stamp = try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
/// let features = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string)
/// let id = try stanza.findFirst("items<node=%@>/item@id", node, as: String.self)
/// ```
public protocol QueryableElement: ReadableElement {
    /// What a data-form query returns.
    associatedtype Form

    /// All results of a compiled query, in document order (rule 2.1).
    ///
    /// - Parameters:
    ///   - query: A compiled query.
    ///   - arguments: One for each specifier of the query, in order (rule 6.1).
    /// - Throws: `QueryError` for arguments that do not fit (6.3), or a regular expression that exceeds its limit (3.8).
    /// - Complexity: at most the number of segments times the number of elements of the tree (2.6).
    func find(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> [QueryValue<Self>]

    /// The first result, or nothing. Stops as soon as it is found.
    func findFirst(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> QueryValue<Self>?

    /// Whether there is a result. Stops as soon as one is found, and allocates nothing.
    func check(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> Bool
}

extension QueryableElement {
    // MARK: Compiled queries

    /// All results of a compiled query, in document order. See `find(_:arguments:)`.
    public func find(_ query: Query, _ arguments: any QueryArgument...) throws(QueryError) -> [QueryValue<Self>] {
        try find(query, arguments: arguments)
    }

    /// The first result of a compiled query. See `findFirst(_:arguments:)`.
    public func findFirst(_ query: Query, _ arguments: any QueryArgument...) throws(QueryError) -> QueryValue<Self>? {
        try findFirst(query, arguments: arguments)
    }

    /// Whether a compiled query has a result. See `check(_:arguments:)`.
    public func check(_ query: Query, _ arguments: any QueryArgument...) throws(QueryError) -> Bool {
        try check(query, arguments: arguments)
    }

    // MARK: Literal queries

    /// All results of a query, in document order. The compiled query is kept for the next time.
    public func find(_ query: StaticString, _ arguments: any QueryArgument...) throws(QueryError)
        -> [QueryValue<Self>]
    {
        try find(QueryCache.shared.query(query), arguments: arguments)
    }

    /// The first result of a query. The compiled query is kept for the next time.
    public func findFirst(_ query: StaticString, _ arguments: any QueryArgument...) throws(QueryError)
        -> QueryValue<Self>?
    {
        try findFirst(QueryCache.shared.query(query), arguments: arguments)
    }

    /// Whether a query has a result. The compiled query is kept for the next time.
    public func check(_ query: StaticString, _ arguments: any QueryArgument...) throws(QueryError) -> Bool {
        try check(QueryCache.shared.query(query), arguments: arguments)
    }

    // MARK: Queries made at run time

    /// All results of a query that was made at run time. A bounded number of compiled queries is kept.
    @_disfavoredOverload
    public func find(_ query: String, _ arguments: any QueryArgument...) throws(QueryError) -> [QueryValue<Self>] {
        try find(QueryCache.shared.query(query), arguments: arguments)
    }

    /// The first result of a query that was made at run time.
    @_disfavoredOverload
    public func findFirst(_ query: String, _ arguments: any QueryArgument...) throws(QueryError)
        -> QueryValue<Self>?
    {
        try findFirst(QueryCache.shared.query(query), arguments: arguments)
    }

    /// Whether a query that was made at run time has a result.
    @_disfavoredOverload
    public func check(_ query: String, _ arguments: any QueryArgument...) throws(QueryError) -> Bool {
        try check(QueryCache.shared.query(query), arguments: arguments)
    }
}

extension Element: QueryableElement {
    public typealias Form = DataForm

    /// Whether a compiled query without arguments has a result. See `check(_:arguments:)`.
    ///
    /// The fastest way to ask. It releases nothing that its caller holds, and says so to the optimiser, so that a loop
    /// over many elements does not retain each of them.
    @_effects(releasenone)
    public func check(_ query: Query) throws(QueryError) -> Bool {
        defer { withExtendedLifetime((query.program, tree)) {} }
        if query.program.isSelfContained, let isFound = FastEvaluation.hasHit(query.program, tree.view, index) {
            return isFound
        }
        return try Evaluation.check(query, on: self, arguments: [])
    }

    /// Whether a literal query without arguments has a result. The compiled query is kept for the next time.
    @_effects(releasenone)
    public func check(_ query: StaticString) throws(QueryError) -> Bool {
        try check(QueryCache.shared.query(query))
    }

    public func find(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> [QueryValue<Element>] {
        try Evaluation.find(query, on: self, arguments: arguments)
    }

    public func findFirst(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> QueryValue<Element>? {
        try Evaluation.findFirst(query, on: self, arguments: arguments)
    }

    public func check(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> Bool {
        try Evaluation.check(query, on: self, arguments: arguments)
    }
}

extension MutableElement: QueryableElement {
    public typealias Form = MutableDataForm

    public func find(_ query: Query, arguments: [any QueryArgument]) throws(QueryError)
        -> [QueryValue<MutableElement>]
    {
        try Evaluation.find(query, on: self, arguments: arguments)
    }

    public func findFirst(_ query: Query, arguments: [any QueryArgument]) throws(QueryError)
        -> QueryValue<MutableElement>?
    {
        try Evaluation.findFirst(query, on: self, arguments: arguments)
    }

    public func check(_ query: Query, arguments: [any QueryArgument]) throws(QueryError) -> Bool {
        try Evaluation.check(query, on: self, arguments: arguments)
    }
}
