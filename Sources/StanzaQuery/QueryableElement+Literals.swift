// Queries in the program's text, and queries made at run time. They are compiled once, and then come from Cache.

extension QueryableElement {
    // MARK: Literal queries

    /// All results of a query, in document order. The cache keeps the compiled query for the next time.
    @inlinable
    public func find<each Argument: QueryArgument>(
        _ query: StaticString, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryValue<Self>] {
        try withLiteral(query) { query throws(QueryError) in try find(query, repeat each arguments) }
    }

    /// The first result of a query. The cache keeps the compiled query for the next time.
    @inlinable
    public func findFirst<each Argument: QueryArgument>(
        _ query: StaticString, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryValue<Self>? {
        try withLiteral(query) { query throws(QueryError) in try findFirst(query, repeat each arguments) }
    }

    /// Whether a query has a result. The cache keeps the compiled query for the next time.
    @inlinable
    public func check<each Argument: QueryArgument>(
        _ query: StaticString, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        try withLiteral(query) { query throws(QueryError) in try check(query, repeat each arguments) }
    }

    // MARK: Queries made at run time

    /// All results of a query that was made at run time. The cache keeps a bounded number of compiled queries.
    @_disfavoredOverload @inlinable
    public func find<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryValue<Self>] {
        try find(Query(cached: query), repeat each arguments)
    }

    /// The first result of a query that was made at run time.
    @_disfavoredOverload @inlinable
    public func findFirst<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryValue<Self>? {
        try findFirst(Query(cached: query), repeat each arguments)
    }

    /// Whether a query that was made at run time has a result.
    @_disfavoredOverload @inlinable
    public func check<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        try check(Query(cached: query), repeat each arguments)
    }
}

extension Query {
    /// The compiled form of a query in the program's text.
    @inlinable
    init(literal source: StaticString) throws(QueryError) {
        self.init(try compiledLiteral(source).takeUnretainedValue())
    }

    /// The compiled form of a query made at run time.
    @inlinable
    init(cached source: String) throws(QueryError) {
        self = try compiledText(source)
    }
}

/// Lends the compiled form of a query in the program's text. It is never freed, and needs no retain.
@inlinable @inline(__always)
func withLiteral<Result>(
    _ source: StaticString, _ body: (Query) throws(QueryError) -> Result
) throws(QueryError) -> Result {
    let outcome: Swift.Result<Result, QueryError> = try compiledLiteral(source)._withUnsafeGuaranteedRef { storage in
        do throws(QueryError) { return .success(try body(Query(storage))) } catch { return .failure(error) }
    }
    return try outcome.get()
}
