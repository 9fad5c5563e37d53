// Queries in the program's text, and queries made at run time. They are compiled once, and then come from Cache.
//
// A literal fits a `QueryLiteral` and a `String`. The forms for `String` are disfavored, so that they take only what no
// other form takes. OverloadTests tries all forms of calls.

extension QueryableElement {
    // MARK: Literals

    /// All results of a literal query, in document order. The cache keeps the compiled query for the next time.
    ///
    /// - Throws: `QueryError` for mistakes in the text, and as `find(_:_:)` of a compiled query. Arguments after a
    ///   literal with interpolations are an error: pass values either in the text or after it.
    @_alwaysEmitIntoClient @inline(__always)
    public func find<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryResult<Self>] {
        try withCompiled(query) { query, values throws(QueryError) in
            try results(of: query, values, repeat each arguments)
        }
    }

    /// The first result of a literal query. See `find(_:_:)`.
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryResult<Self>? {
        try withCompiled(query) { query, values throws(QueryError) in
            try firstResult(of: query, values, repeat each arguments)
        }
    }

    /// Whether a literal query has a result. See `find(_:_:)`.
    @_alwaysEmitIntoClient @inline(__always)
    public func check<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        try withCompiled(query) { query, values throws(QueryError) in
            try hasResult(query, values, repeat each arguments)
        }
    }

    /// All results of a literal query, as values of one type. See `find(_:_:)`.
    ///
    /// `as: Element.self` gives frozen elements: copies, if the query runs on an editable element. Without a type, or
    /// with a `Query<Element>`, the results are elements of the tree on which the query runs.
    ///
    /// - Throws: `QueryError` of the kind `resultType` if the type does not take the results, and the errors of
    ///   `find(_:_:)`.
    @_alwaysEmitIntoClient
    public func find<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Output.Type
    ) throws(QueryError) -> [Output] {
        let query = try query.compiled(as: type)
        return try results(of: query.compiled, query.arguments, repeat each arguments).decoded()
    }

    /// The first result of a literal query, as a value of a type. See `find(_:_:as:)`.
    @_alwaysEmitIntoClient
    public func findFirst<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Output.Type
    ) throws(QueryError) -> Output? {
        let query = try query.compiled(as: type)
        return try firstDecoded(of: query.compiled, query.arguments, repeat each arguments)
    }

    // MARK: Queries made at run time

    /// All results of a query that was made at run time. The cache keeps a bounded number of compiled queries.
    @_disfavoredOverload @_alwaysEmitIntoClient @inline(__always)
    public func find<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryResult<Self>] {
        try results(of: compiledText(query), [], repeat each arguments)
    }

    /// The first result of a query that was made at run time.
    @_disfavoredOverload @_alwaysEmitIntoClient @inline(__always)
    public func findFirst<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryResult<Self>? {
        try firstResult(of: compiledText(query), [], repeat each arguments)
    }

    /// Whether a query that was made at run time has a result.
    @_disfavoredOverload @_alwaysEmitIntoClient @inline(__always)
    public func check<each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        try hasResult(compiledText(query), [], repeat each arguments)
    }
}

/// Lends the compiled form of a literal, with the values of its interpolations. The compiled form of a plain one is
/// never freed, and needs no retain.
@_alwaysEmitIntoClient @inline(__always)
func withCompiled<Result>(
    _ literal: QueryLiteral, _ body: (Program, [QueryArgumentValue]) throws(QueryError) -> Result
) throws(QueryError) -> Result {
    if let parts = literal.parts {
        let (query, values) = try parts.compiled()
        return try body(query, values)
    }
    // The cache never frees it, so a retain cannot come too late.
    let compiled = try compiledLiteral(literal.plain)
    let outcome: Swift.Result<Result, QueryError> = compiled._withUnsafeGuaranteedRef { query in
        do throws(QueryError) { return .success(try body(query, [])) } catch { return .failure(error) }
    }
    return try outcome.get()
}

extension QueryLiteral {
    /// The compiled form with the values of its interpolations, for results of one type.
    @_alwaysEmitIntoClient
    func compiled<Output: QueryDecodable>(as type: Output.Type) throws(QueryError) -> Query<Output> {
        let query = try withCompiled(self) { query, values throws(QueryError) in Query<Output>(query, values) }
        try query.compiled.checkResults(are: type)
        return query
    }
}
