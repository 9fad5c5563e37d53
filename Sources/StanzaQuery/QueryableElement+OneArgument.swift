// The methods of QueryableElement.swift and QueryableElement+Literals.swift that programs call most, for exactly one
// argument. The optimizer reduces one argument to a few stores and a call, but not a pack. Of literals, only
// `check` has such a form, the one that programs call most.
//
// These methods mean the same as the others, so the documentation does not show them.

extension QueryableElement {
    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func find(
        _ query: Query<QueryValue>, _ argument: some QueryArgument
    ) throws(QueryError) -> [QueryResult<Self>] {
        if _rulesOut(query.compiled, argumentCount: query.arguments.count &+ 1) { return [] }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _results(of: query.compiled, query.arguments, values)
        }
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst(
        _ query: Query<QueryValue>, _ argument: some QueryArgument
    ) throws(QueryError) -> QueryResult<Self>? {
        if _rulesOut(query.compiled, argumentCount: query.arguments.count &+ 1) { return nil }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _firstResult(of: query.compiled, query.arguments, values)
        }
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func check<Output: QueryDecodable>(
        _ query: Query<Output>, _ argument: some QueryArgument
    ) throws(QueryError) -> Bool where Output._Existence == Void {
        try hasResult(query.compiled, query.arguments, only: argument)
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func check(
        _ query: QueryLiteral, _ argument: some QueryArgument, options: QueryOptions = []
    ) throws(QueryError) -> Bool {
        try withCompiled(query, options) { query, values throws(QueryError) in
            try hasResult(query, values, only: argument)
        }
    }

    @_alwaysEmitIntoClient @inline(__always)
    func hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], only argument: some QueryArgument
    ) throws(QueryError) -> Bool {
        if _rulesOut(query, argumentCount: bound.count &+ 1) { return false }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _hasResult(query, bound, values)
        }
    }
}
