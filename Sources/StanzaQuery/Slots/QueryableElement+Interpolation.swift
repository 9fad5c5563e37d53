// `element.find("items<node=\(node)>")`: the calls that take a literal with interpolations, which is not read as a text
// there either.
//
// The compiler has to prefer these calls to those for `String`, and a literal without interpolations must still use
// `StaticString`, which costs least. The forms for `String` are disfavored, so that they take only what no other form
// takes. A literal without interpolations fits `StaticString` and `InterpolatedQuery` equally well. Of two such
// functions Swift prefers the one in the extension of the narrower protocol, so these are in an extension of the wider
// one. OverloadTests tries all forms of calls. QueryableElement+Literals.swift has the calls for queries in the
// program's text.

public import FormModel

extension DataFormNode {
    /// All results of a query with interpolations, in document order. The interpolated values are never read as a part
    /// of it.
    ///
    /// - Throws: `QueryError` also for arguments after a query with interpolations: pass values either in the text or
    ///   after it.
    @inlinable
    public func find<each Argument: QueryArgument>(
        _ query: InterpolatedQuery, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryValue<Self>] where Self: QueryableElement {
        let (query, values) = try query.compiled(with: argumentValues(repeat each arguments))
        return try find(query, arguments: values)
    }

    /// The first result of a query with interpolations. See `find(_:_:)`.
    @inlinable
    public func findFirst<each Argument: QueryArgument>(
        _ query: InterpolatedQuery, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryValue<Self>? where Self: QueryableElement {
        let (query, values) = try query.compiled(with: argumentValues(repeat each arguments))
        return try findFirst(query, arguments: values)
    }

    /// Whether a query with interpolations has a result. See `find(_:_:)`.
    @inlinable
    public func check<each Argument: QueryArgument>(
        _ query: InterpolatedQuery, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool where Self: QueryableElement {
        let (query, values) = try query.compiled(with: argumentValues(repeat each arguments))
        return try check(query, arguments: values)
    }

    /// All results of a query with interpolations, as values of one type. See `find(_:_:)`.
    ///
    /// - Throws: `ResultTypeError` if the query's results are of another type, and the errors of `find(_:_:)`.
    @inlinable
    public func find<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: InterpolatedQuery, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> [Value] where Self: QueryableElement {
        let (query, values) = try query.compiled(with: argumentValues(repeat each arguments))
        try query.checkResults(are: type, on: Self.self)
        return try find(query, arguments: values).compactMap(type.value)
    }

    /// The first result of a query with interpolations, as a value of a type. See `find(_:_:as:)`.
    @inlinable
    public func findFirst<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: InterpolatedQuery, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> Value? where Self: QueryableElement {
        let (query, values) = try query.compiled(with: argumentValues(repeat each arguments))
        try query.checkResults(are: type, on: Self.self)
        return try findFirst(query, arguments: values).flatMap(type.value)
    }
}

extension InterpolatedQuery {
    /// The compiled query, and its arguments: the interpolated values, or the values that follow the query.
    @usableFromInline
    func compiled(with arguments: [QueryArgumentValue]) throws(QueryError) -> (Query, [QueryArgumentValue]) {
        if text.slots.isEmpty { return (try Query(cached: text.source), arguments) }
        let template = try TemplateCache.template(text)
        // A query with all its values takes no arguments, and reports any that it gets.
        return arguments.isEmpty ? template.binding(values) : (try template.query(binding: values), arguments)
    }
}

@inlinable
func argumentValues<each Argument: QueryArgument>(_ arguments: repeat each Argument) -> [QueryArgumentValue] {
    var values: [QueryArgumentValue] = []
    for argument in repeat each arguments { values.append(argument.queryArgument) }
    return values
}
