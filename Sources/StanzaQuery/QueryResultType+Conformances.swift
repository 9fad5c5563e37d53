// The types that results of queries are values of, each with the kinds of results that it fits.

public import DataForms
public import Foundation
public import XMLTree

extension String: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.string] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> String? { result.string }
}

extension Bool: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.bool] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Bool? { result.bool }
}

extension Int: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.int] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Int? { result.int }
}

extension UInt: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.uint] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> UInt? { result.uint }
}

extension Double: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.double] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Double? { result.double }
}

extension Date: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.datetime] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Date? { result.date }
}

extension Data: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.base64] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Data? { result.data }
}

extension UUID: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.uuid] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> UUID? { result.uuid }
}

extension StringMap: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.attributes] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> StringMap? { result.attributes }
}

extension FormField: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> { [.field] }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> FormField? { result.field }
}

// Elements and forms of frozen trees come from frozen elements, editable ones from editable ones.

extension Element: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> {
        node == Element.self ? [.element] : []
    }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Element? {
        result.element as? Element
    }
}

extension MutableElement: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> {
        node == MutableElement.self ? [.element] : []
    }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> MutableElement? {
        result.element as? MutableElement
    }
}

extension DataForm: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> {
        node == Element.self ? [.form] : []
    }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> DataForm? {
        result.form as? DataForm
    }
}

extension MutableDataForm: QueryResultType {
    public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> Set<ResultKind> {
        node == MutableElement.self ? [.form] : []
    }
    public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> MutableDataForm? {
        result.form as? MutableDataForm
    }
}
