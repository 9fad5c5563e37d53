// Results as values of a Swift type: `findFirst("…|int", as: Int.self)`.
//
// Whether the type can fit is decided by the query alone, before it is evaluated.

public import DataForms
public import Foundation
public import XMLTree

/// A Swift type that results of some kind of query are values of.
public protocol QueryResultType {
    /// The kinds of results that are values of this type.
    static var queryResultKinds: Set<ResultKind> { get }

    /// The value in a result of one of those kinds.
    init?<Node: QueryableElement>(_ result: QueryValue<Node>)
}

/// A query was asked for values of a type that its results never have.
public struct ResultTypeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The query's text.
    public let source: String
    /// What its results are.
    public let resultKind: ResultKind
    /// The type that was asked for.
    public let requestedType: String
    /// The kinds of results that have this type.
    public let acceptedKinds: Set<ResultKind>

    public var description: String {
        let accepted = acceptedKinds.map(\.rawValue).sorted().joined(separator: ", ")
        return "the query '\(source)' gives results of kind '\(resultKind.rawValue)', "
            + "but \(requestedType) takes: \(accepted)"
    }
}

extension QueryableElement {
    /// All results of a query, as values of one type.
    ///
    /// - Throws: `ResultTypeError` when the query's results are of another type, and what `find(_:arguments:)` throws.
    public func find<Value: QueryResultType>(
        _ query: Query, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> [Value] {
        try query.checkResults(are: type)
        return try find(query, arguments: arguments).compactMap(type.init)
    }

    /// The first result of a query, as a value of a type. See `find(_:_:as:)`.
    public func findFirst<Value: QueryResultType>(
        _ query: Query, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> Value? {
        try query.checkResults(are: type)
        return try findFirst(query, arguments: arguments).flatMap(type.init)
    }

    /// All results of a query, as values of one type. See `find(_:_:as:)`.
    public func find<Value: QueryResultType>(
        _ query: String, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> [Value] {
        let query = try QueryCache.shared.query(query)
        try query.checkResults(are: type)
        return try find(query, arguments: arguments).compactMap(type.init)
    }

    /// The first result of a query, as a value of a type. See `find(_:_:as:)`.
    public func findFirst<Value: QueryResultType>(
        _ query: String, _ arguments: any QueryArgument..., as type: Value.Type
    ) throws -> Value? {
        let query = try QueryCache.shared.query(query)
        try query.checkResults(are: type)
        return try findFirst(query, arguments: arguments).flatMap(type.init)
    }
}

extension Query {
    fileprivate func checkResults<Value: QueryResultType>(are type: Value.Type) throws(ResultTypeError) {
        if type.queryResultKinds.contains(resultKind) { return }
        throw ResultTypeError(
            source: source, resultKind: resultKind, requestedType: String(describing: type),
            acceptedKinds: type.queryResultKinds)
    }
}

extension String: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.string] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.string else { return nil }
        self = value
    }
}

extension Bool: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.bool] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.bool else { return nil }
        self = value
    }
}

extension Int: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.int] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.int else { return nil }
        self = value
    }
}

extension UInt: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.uint] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.uint else { return nil }
        self = value
    }
}

extension Double: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.double] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.double else { return nil }
        self = value
    }
}

extension Date: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.datetime] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.date else { return nil }
        self = value
    }
}

extension Data: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.base64] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.data else { return nil }
        self = value
    }
}

extension UUID: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.uuid] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.uuid else { return nil }
        self = value
    }
}

extension StringMap: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.attributes] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.attributes else { return nil }
        self = value
    }
}

extension FormField: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.field] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.field else { return nil }
        self = value
    }
}

extension Element: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.element] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.element as? Element else { return nil }
        self = value
    }
}

extension DataForm: QueryResultType {
    public static var queryResultKinds: Set<ResultKind> { [.form] }
    public init?<Node: QueryableElement>(_ result: QueryValue<Node>) {
        guard let value = result.form as? DataForm else { return nil }
        self = value
    }
}
