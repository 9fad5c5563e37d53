// Queries in the program's text. They are compiled once, and then come from Cache.
//
// No method takes a `String`: a text that the program makes becomes a query by `Query(text)` alone. The forms for
// results of a type are disfavored, so that a literal gives results of any kind unless the caller's code needs a type.
// OverloadTests tries all forms of calls.

public import XMLTree

extension QueryableElement {
    // MARK: Results of any kind

    /// All results of a literal query, in document order. The cache keeps the compiled query for the next time.
    ///
    /// - Throws: `QueryError` for mistakes in the text, and as `find(_:_:)` of a compiled query. Arguments after a
    ///   literal with interpolations are an error: pass values either in the text or after it.
    @_alwaysEmitIntoClient @inline(__always)
    public func find<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, options: QueryOptions = []
    ) throws(QueryError) -> [QueryResult<Self>] {
        try withCompiled(query, options) { query, values throws(QueryError) in
            try results(of: query, values, repeat each arguments)
        }
    }

    /// The first result of a literal query. See `find(_:_:options:)`.
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, options: QueryOptions = []
    ) throws(QueryError) -> QueryResult<Self>? {
        try withCompiled(query, options) { query, values throws(QueryError) in
            try firstResult(of: query, values, repeat each arguments)
        }
    }

    /// Whether a literal query has a result. See `find(_:_:options:)`.
    @_alwaysEmitIntoClient @inline(__always)
    public func check<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, options: QueryOptions = []
    ) throws(QueryError) -> Bool {
        try withCompiled(query, options) { query, values throws(QueryError) in
            try hasResult(query, values, repeat each arguments)
        }
    }

    // MARK: Results of one type

    /// All results of a literal query, as values of one type: of the one after `as:`, or that of the place of the call.
    ///
    /// ```swift
    /// let body: String? = try message.findFirst("body#")
    /// ```
    ///
    /// Conversions are strict: a text that is not entirely a number has no result. With the option `lenient` it is
    /// read as far as it is one.
    ///
    /// - Throws: `QueryError` of the kind `resultType` if the type does not take the results, and the errors of
    ///   `find(_:_:options:)`.
    @_disfavoredOverload @_alwaysEmitIntoClient
    public func find<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Output.Type = Output.self,
        options: QueryOptions = []
    ) throws(QueryError) -> [Output] {
        try find(query.compiled(as: type, options), repeat each arguments)
    }

    /// The first result of a literal query, as a value of a type. See `find(_:_:as:options:)`.
    @_disfavoredOverload @_alwaysEmitIntoClient
    public func findFirst<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Output.Type = Output.self,
        options: QueryOptions = []
    ) throws(QueryError) -> Output? {
        try findFirst(query.compiled(as: type, options), repeat each arguments)
    }

    /// The elements that a literal query finds, in the tree of this element. See `find(_:_:options:)`.
    @_alwaysEmitIntoClient
    public func find<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Element.Type, options: QueryOptions = []
    ) throws(QueryError) -> [Self] {
        try find(query.compiled(as: type, options), repeat each arguments)
    }

    /// The first element that a literal query finds, in the tree of this element. See `find(_:_:options:)`.
    @_alwaysEmitIntoClient
    public func findFirst<each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: Element.Type, options: QueryOptions = []
    ) throws(QueryError) -> Self? {
        try findFirst(query.compiled(as: type, options), repeat each arguments)
    }
}

extension QueryableElement {
    // No call with a `String` compiles: the message names the repair.

    @available(
        *, unavailable, message: "interpolate the value in a literal, or make a query of the whole text: 'Query(text)'"
    )
    public func find(_ text: String, _ values: any QueryArgument...) throws(QueryError) -> [QueryResult<Self>] { [] }

    @available(
        *, unavailable, message: "interpolate the value in a literal, or make a query of the whole text: 'Query(text)'"
    )
    public func findFirst(_ text: String, _ values: any QueryArgument...) throws(QueryError) -> QueryResult<Self>? {
        nil
    }

    @available(
        *, unavailable, message: "interpolate the value in a literal, or make a query of the whole text: 'Query(text)'"
    )
    public func check(_ text: String, _ values: any QueryArgument...) throws(QueryError) -> Bool { false }
}

/// Calls the body with the compiled form of a literal and its interpolated values. The compiled form of a plain one is
/// never freed, and needs no retain.
@_alwaysEmitIntoClient @inline(__always)
func withCompiled<Result>(
    _ literal: QueryLiteral, _ options: QueryOptions,
    _ body: (Program, [QueryArgumentValue]) throws(QueryError) -> Result
) throws(QueryError) -> Result {
    if let parts = literal.parts {
        let (query, values) = try parts.compiled(options)
        return try body(query, values)
    }
    // The cache never frees it, so a retain cannot come too late.
    let compiled = try compiledLiteral(literal.plain, options)
    let outcome: Swift.Result<Result, QueryError> = compiled._withUnsafeGuaranteedRef { query in
        do throws(QueryError) { return .success(try body(query, [])) } catch { return .failure(error) }
    }
    return try outcome.get()
}

extension QueryLiteral {
    /// The compiled form with the values of its interpolations, for results of one type.
    @_alwaysEmitIntoClient
    func compiled<Output: QueryDecodable>(
        as type: Output.Type, _ options: QueryOptions
    ) throws(QueryError) -> Query<Output> {
        let query = try withCompiled(self, options.ofType) { query, values throws(QueryError) in
            Query<Output>(query, values)
        }
        try query.compiled.checkResults(are: type)
        return query
    }
}
