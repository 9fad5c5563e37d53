// `element.find("items<node=\(node)>")`: a literal with interpolations is not read as a text where it stands in a call,
// either.
//
// It has to be preferred to a `String`, and a literal without interpolations must go on to `StaticString`, which costs
// least. Swift decides that so: the forms for `String` are disfavoured, so that they take only what nothing else takes.
// A literal without interpolations fits `StaticString` and `InterpolatedQuery` equally well; of two such functions, the
// one in the extension of the narrower protocol is preferred. So these stand in an extension of the wider one. All
// forms of calls are tried in OverloadTests. Queries in the text are QueryableElement+Literals.swift.

public import FormModel

extension DataFormNode {
    /// All results of a query with interpolations, in document order. What is interpolated is never read as a part of
    /// it.
    ///
    /// - Throws: `QueryError` also for arguments behind the query: values stand in the text, or behind it.
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
    /// - Throws: `ResultTypeError` when the query's results are of another type, and what `find(_:_:)` throws.
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
    /// The compiled query, and the arguments that it takes: what is interpolated, or what stands behind it.
    @usableFromInline
    func compiled(with arguments: [QueryArgumentValue]) throws(QueryError) -> (Query, [QueryArgumentValue]) {
        if text.slots.isEmpty { return (try Query(cached: text.source), arguments) }
        let template = try TemplateCache.template(text)
        // With all its values it takes no arguments, and says so if there are any.
        return arguments.isEmpty ? template.binding(values) : (try template.query(binding: values), arguments)
    }
}

@inlinable
func argumentValues<each Argument: QueryArgument>(_ arguments: repeat each Argument) -> [QueryArgumentValue] {
    var values: [QueryArgumentValue] = []
    for argument in repeat each arguments { values.append(argument.queryArgument) }
    return values
}
