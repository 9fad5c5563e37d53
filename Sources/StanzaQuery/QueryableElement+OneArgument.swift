// The methods of QueryableElement.swift, QueryableElement+Literals.swift and QueryableElement+Typed.swift, for exactly
// one argument. The optimizer reduces one argument to a few stores and a call, but not always a pack.
//
// These methods mean the same as the others, so the documentation does not show them.

extension QueryableElement {
    // MARK: Compiled queries

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func find(_ query: Query, _ argument: some QueryArgument) throws(QueryError) -> [QueryValue<Self>] {
        if rulesOut(query, argumentCount: 1) { return [] }
        return try withValue(argument.queryArgument) { value throws(QueryError) in try find(query, values: value) }
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func findFirst(_ query: Query, _ argument: some QueryArgument) throws(QueryError) -> QueryValue<Self>? {
        if rulesOut(query, argumentCount: 1) { return nil }
        return try withValue(argument.queryArgument) { value throws(QueryError) in try findFirst(query, values: value) }
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func check(_ query: Query, _ argument: some QueryArgument) throws(QueryError) -> Bool {
        if rulesOut(query, argumentCount: 1) { return false }
        return try withValue(argument.queryArgument) { value throws(QueryError) in try check(query, values: value) }
    }

    // MARK: Literal queries

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func find(_ query: StaticString, _ argument: some QueryArgument) throws(QueryError) -> [QueryValue<Self>] {
        try withLiteral(query) { query throws(QueryError) in try find(query, argument) }
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func findFirst(_ query: StaticString, _ argument: some QueryArgument) throws(QueryError) -> QueryValue<Self>?
    {
        try withLiteral(query) { query throws(QueryError) in try findFirst(query, argument) }
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func check(_ query: StaticString, _ argument: some QueryArgument) throws(QueryError) -> Bool {
        try withLiteral(query) { query throws(QueryError) in try check(query, argument) }
    }

    // MARK: Queries made at run time

    @_documentation(visibility: internal)
    @_disfavoredOverload @inlinable @inline(__always)
    public func find(_ query: String, _ argument: some QueryArgument) throws(QueryError) -> [QueryValue<Self>] {
        try find(Query(cached: query), argument)
    }

    @_documentation(visibility: internal)
    @_disfavoredOverload @inlinable @inline(__always)
    public func findFirst(_ query: String, _ argument: some QueryArgument) throws(QueryError) -> QueryValue<Self>? {
        try findFirst(Query(cached: query), argument)
    }

    @_documentation(visibility: internal)
    @_disfavoredOverload @inlinable @inline(__always)
    public func check(_ query: String, _ argument: some QueryArgument) throws(QueryError) -> Bool {
        try check(Query(cached: query), argument)
    }

    // MARK: Results of a known type

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func find<Value: QueryResultType>(
        _ query: Query, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> [Value] {
        try query.checkResults(are: type, on: Self.self)
        return try find(query, argument).compactMap(type.value)
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func find<Value: QueryResultType>(
        _ query: StaticString, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> [Value] {
        try find(Query(literal: query), argument, as: type)
    }

    @_documentation(visibility: internal)
    @_disfavoredOverload @inlinable @inline(__always)
    public func find<Value: QueryResultType>(
        _ query: String, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> [Value] {
        try find(Query(cached: query), argument, as: type)
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func findFirst<Value: QueryResultType>(
        _ query: Query, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> Value? {
        try query.checkResults(are: type, on: Self.self)
        return try findFirst(query, argument).flatMap(type.value)
    }

    @_documentation(visibility: internal)
    @inlinable @inline(__always)
    public func findFirst<Value: QueryResultType>(
        _ query: StaticString, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> Value? {
        try findFirst(Query(literal: query), argument, as: type)
    }

    @_documentation(visibility: internal)
    @_disfavoredOverload @inlinable @inline(__always)
    public func findFirst<Value: QueryResultType>(
        _ query: String, _ argument: some QueryArgument, as type: Value.Type
    ) throws -> Value? {
        try findFirst(Query(cached: query), argument, as: type)
    }
}
