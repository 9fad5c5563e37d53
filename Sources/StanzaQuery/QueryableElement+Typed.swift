// Results as values of a Swift type: `findFirst("…|int", as: Int.self)`.
//
// The query alone decides whether the type can fit, before its evaluation.

/// A Swift type for the results of some kinds of queries.
public protocol QueryResultType {
    /// The kinds of results that are values of this type, when a query is evaluated on an element of type `node`.
    static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds

    /// The value in a result of one of those kinds.
    static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Self?
}

/// The requested type is one that the results of the query never have.
public struct ResultTypeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The query's text.
    public let source: String
    /// The kind of its results.
    public let resultKind: ResultKind
    /// The requested type.
    public let requestedType: String
    /// The type of the element on which the query was to run.
    public let elementType: String
    /// The kinds of results on such an element that have the requested type.
    public let acceptedKinds: ResultKinds

    public var description: String {
        let accepted = ResultKind.allCases.filter { acceptedKinds.contains(ResultKinds($0)) }
            .map(\.rawValue).sorted().joined(separator: ", ")
        return "the query '\(source)' gives results of kind '\(resultKind.rawValue)' on \(elementType), "
            + (accepted.isEmpty ? "which never gives \(requestedType)" : "but \(requestedType) takes: \(accepted)")
    }
}

extension QueryableElement {
    /// All results of a query, as values of one type.
    ///
    /// - Throws: `ResultTypeError` if the query's results are of another type, and the errors of `find(_:)`.
    @inlinable
    public func find<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: Query, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> [Value] {
        try query.checkResults(are: type, on: Self.self)
        return try find(query, repeat each arguments).compactMap(type.value)
    }

    /// The first result of a query, as a value of a type. See `find(_:_:as:)`.
    @inlinable
    public func findFirst<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: Query, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> Value? {
        try query.checkResults(are: type, on: Self.self)
        return try findFirst(query, repeat each arguments).flatMap(type.value)
    }

    /// All results of a literal query, as values of one type. See `find(_:_:as:)`.
    @inlinable
    public func find<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: StaticString, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> [Value] {
        try find(Query(literal: query), repeat each arguments, as: type)
    }

    /// The first result of a literal query, as a value of a type. See `find(_:_:as:)`.
    @inlinable
    public func findFirst<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: StaticString, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> Value? {
        try findFirst(Query(literal: query), repeat each arguments, as: type)
    }

    /// All results of a query made at run time, as values of one type. See `find(_:_:as:)`.
    @_disfavoredOverload @inlinable
    public func find<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> [Value] {
        try find(Query(cached: query), repeat each arguments, as: type)
    }

    /// The first result of a query made at run time, as a value of a type. See `find(_:_:as:)`.
    @_disfavoredOverload @inlinable
    public func findFirst<Value: QueryResultType, each Argument: QueryArgument>(
        _ query: String, _ arguments: repeat each Argument, as type: Value.Type
    ) throws -> Value? {
        try findFirst(Query(cached: query), repeat each arguments, as: type)
    }
}

extension Query {
    @inlinable
    func checkResults<Value: QueryResultType, Node: QueryableElement>(
        are type: Value.Type, on node: Node.Type
    ) throws(ResultTypeError) {
        let acceptedKinds = type.queryResultKinds(on: node)
        if acceptedKinds.isDisjoint(with: storage.resultKinds) {
            throw ResultTypeError(self, type, on: node, acceptedKinds)
        }
    }
}

extension ResultTypeError {
    @usableFromInline @inline(never)
    init(_ query: Query, _ type: Any.Type, on node: Any.Type, _ acceptedKinds: ResultKinds) {
        source = query.source
        resultKind = query.resultKind
        requestedType = String(describing: type)
        elementType = String(describing: node)
        self.acceptedKinds = acceptedKinds
    }
}
