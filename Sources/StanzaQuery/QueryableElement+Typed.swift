// Results as values of a Swift type: `findFirst("…|int", as: Int.self)`.
//
// Whether the type can fit is decided by the query alone, before it is evaluated.

/// A Swift type that results of some kind of query are values of.
public protocol QueryResultType {
    /// The kinds of results that are values of this type, when a query is evaluated on an element of type `node`.
    static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind>

    /// The value in a result of one of those kinds.
    static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Self?
}

/// A query was asked for values of a type that its results never have.
public struct ResultTypeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The query's text.
    public let source: String
    /// What its results are.
    public let resultKind: ResultKind
    /// The type that was asked for.
    public let requestedType: String
    /// The type of the element that the query was to be evaluated on.
    public let elementType: String
    /// The kinds of results on such an element that have the type that was asked for.
    public let acceptedKinds: Set<ResultKind>

    public var description: String {
        let accepted = acceptedKinds.map(\.rawValue).sorted().joined(separator: ", ")
        return "the query '\(source)' gives results of kind '\(resultKind.rawValue)' on \(elementType), "
            + (accepted.isEmpty ? "which never gives \(requestedType)" : "but \(requestedType) takes: \(accepted)")
    }
}

extension QueryableElement {
    /// All results of a query, as values of one type.
    ///
    /// - Throws: `ResultTypeError` when the query's results are of another type, and what `find(_:arguments:)` throws.
    public func find<Value: QueryResultType>(
        _ query: Query, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> [Value] {
        try values(of: query, arguments, type)
    }

    /// The first result of a query, as a value of a type. See `find(_:_:as:)`.
    public func findFirst<Value: QueryResultType>(
        _ query: Query, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> Value? {
        try firstValue(of: query, arguments, type)
    }

    /// All results of a literal query, as values of one type. See `find(_:_:as:)`.
    public func find<Value: QueryResultType>(
        _ query: StaticString, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> [Value] {
        try values(of: QueryCache.shared.query(query), arguments, type)
    }

    /// The first result of a literal query, as a value of a type. See `find(_:_:as:)`.
    public func findFirst<Value: QueryResultType>(
        _ query: StaticString, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> Value? {
        try firstValue(of: QueryCache.shared.query(query), arguments, type)
    }

    /// All results of a query made at run time, as values of one type. See `find(_:_:as:)`.
    @_disfavoredOverload
    public func find<Value: QueryResultType>(
        _ query: String, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> [Value] {
        try values(of: QueryCache.shared.query(query), arguments, type)
    }

    /// The first result of a query made at run time, as a value of a type. See `find(_:_:as:)`.
    @_disfavoredOverload
    public func findFirst<Value: QueryResultType>(
        _ query: String, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> Value? {
        try firstValue(of: QueryCache.shared.query(query), arguments, type)
    }

    private func values<Value: QueryResultType>(
        of query: Query, _ arguments: [any QueryArgument], _ type: Value.Type
    ) throws -> [Value] {
        try query.checkResults(are: type, on: Self.self)
        return try find(query, arguments: arguments).compactMap(type.value)
    }

    private func firstValue<Value: QueryResultType>(
        of query: Query, _ arguments: [any QueryArgument], _ type: Value.Type
    ) throws -> Value? {
        try query.checkResults(are: type, on: Self.self)
        return try findFirst(query, arguments: arguments).flatMap(type.value)
    }
}

extension Query {
    fileprivate func checkResults<Value: QueryResultType, Node: QueryableElement>(
        are type: Value.Type, on node: Node.Type
    ) throws(ResultTypeError) {
        let acceptedKinds = type.queryResultKinds(on: node)
        if acceptedKinds.contains(resultKind) { return }
        throw ResultTypeError(
            source: source, resultKind: resultKind, requestedType: String(describing: type),
            elementType: String(describing: node), acceptedKinds: acceptedKinds)
    }
}
