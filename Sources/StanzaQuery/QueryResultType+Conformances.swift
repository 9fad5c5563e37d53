// The types of query results, each with the kinds of results that fit it.

public import FormModel
public import Foundation
public import XMLTree

extension String: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        .string
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> String? {
        result.string
    }
}

extension Bool: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .bool }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Bool? { result.bool }
}

extension Int: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .int }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Int? { result.int }
}

extension UInt: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .uint }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> UInt? { result.uint }
}

extension Double: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        .double
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Double? {
        result.double
    }
}

extension Date: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        .datetime
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Date? { result.date }
}

extension Data: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        .base64
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Data? { result.data }
}

extension UUID: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .uuid }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> UUID? { result.uuid }
}

extension StringMap: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        .attributes
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> StringMap? {
        result.attributes
    }
}

extension FormField: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .field }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> FormField? {
        result.field
    }
}

// Elements and forms of frozen trees come from frozen elements, editable ones from editable ones.

extension Element: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        node == Element.self ? .element : []
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> Element? {
        result.element as? Element
    }
}

extension MutableElement: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds {
        node == MutableElement.self ? .element : []
    }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> MutableElement? {
        result.element as? MutableElement
    }
}

extension DataFormElement: QueryResultType where Node: QueryableElement {
    @inlinable public static func queryResultKinds<Other: QueryableElement>(on node: Other.Type) -> ResultKinds {
        node == Node.self ? .form : []
    }
    @inlinable public static func value<Other: QueryableElement>(of result: QueryValue<Other>) -> DataFormElement? {
        result.form as? DataFormElement
    }
}

// A form that owns its content can come from either.

extension DataForm: QueryResultType {
    @inlinable public static func queryResultKinds<Node: QueryableElement>(on node: Node.Type) -> ResultKinds { .form }
    @inlinable public static func value<Node: QueryableElement>(of result: QueryValue<Node>) -> DataForm? {
        result.form.map { DataForm($0) }
    }
}
