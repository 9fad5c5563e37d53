// The types that results can have, each with the kinds of results that fit it.

public import FormModel
public import XMLTree

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type that the results of some queries can have, on frozen and editable elements alike.
///
/// | the query ends in | its results |
/// | --- | --- |
/// | no extraction | `Element` |
/// | `@name`, `#`, `$`, `\@field\` | `String` |
/// | `@@` | `StringMap` |
/// | `\…\` | `DataForm` |
/// | `\&field\` | `FormField` |
/// | a conversion | `Bool`, `Int`, `UInt`, `Double`, `Date`, `Data` or `UUID` |
///
/// Other integers take the results of `|int` or `|uint` that fit them, and `URL` takes strings. `Data` and `URL` need
/// the package's trait `Foundation`. An enumeration with raw values takes those that are one of its cases, and conforms
/// by its name alone:
///
/// ```swift
/// enum Role: String, QueryDecodable {
///     case moderator, participant, visitor
/// }
/// ```
///
/// Then write `find("…/item@role", as: Role.self)`. A type of another kind needs the two requirements.
public protocol QueryDecodable {
    /// `Void` if `check` takes queries with these results, `Never` if it does not: for `Bool`.
    @_documentation(visibility: internal)
    associatedtype _Existence = Void

    /// The kinds of results that can be values of this type.
    static var queryResultKinds: ResultKinds { get }

    /// The value of a result of one of those kinds; `nil` leaves the result out.
    static func decode<Node: QueryableElement>(queryResult: QueryResult<Node>) -> Self?
}

extension String: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .string }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> String? { queryResult.string }
}

extension Bool: QueryDecodable {
    public typealias _Existence = Never
    @inlinable public static var queryResultKinds: ResultKinds { .bool }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Bool? { queryResult.bool }
}

extension QueryDecodable where Self: FixedWidthInteger & SignedInteger {
    @inlinable public static var queryResultKinds: ResultKinds { .int }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Self? {
        queryResult.int.flatMap { Self(exactly: $0) }
    }
}

extension QueryDecodable where Self: FixedWidthInteger & UnsignedInteger {
    @inlinable public static var queryResultKinds: ResultKinds { .uint }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Self? {
        queryResult.uint.flatMap { Self(exactly: $0) }
    }
}

extension Int: QueryArgument, QueryDecodable {}
extension Int8: QueryArgument, QueryDecodable {}
extension Int16: QueryArgument, QueryDecodable {}
extension Int32: QueryArgument, QueryDecodable {}
extension Int64: QueryArgument, QueryDecodable {}
extension UInt: QueryArgument, QueryDecodable {}
extension UInt8: QueryArgument, QueryDecodable {}
extension UInt16: QueryArgument, QueryDecodable {}
extension UInt32: QueryArgument, QueryDecodable {}
extension UInt64: QueryArgument, QueryDecodable {}

extension QueryDecodable where Self: RawRepresentable, RawValue: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { RawValue.queryResultKinds }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Self? {
        RawValue.decode(queryResult: queryResult).flatMap { Self(rawValue: $0) }
    }
}

extension Double: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .double }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Double? { queryResult.double }
}

extension Date: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .datetime }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Date? { queryResult.date }
}

extension UUID: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .uuid }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> UUID? { queryResult.uuid }
}

extension StringMap: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .attributes }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> StringMap? { queryResult.attributes }
}

extension FormField: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .field }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> FormField? { queryResult.field }
}

extension DataForm: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .form }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> DataForm? {
        queryResult.form.map { DataForm($0) }
    }
}

// MARK: Elements, as copies where the query runs on elements of the other kind

extension Element: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .element }
    public static func decode<Node>(queryResult: QueryResult<Node>) -> Element? {
        guard case .element(let element) = queryResult else { return nil }
        return element as? Element ?? (element as? MutableElement)?.freeze()
    }
}

extension MutableElement: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .element }
    public static func decode<Node>(queryResult: QueryResult<Node>) -> MutableElement? {
        guard case .element(let element) = queryResult else { return nil }
        return element as? MutableElement ?? (element as? Element)?.thaw()
    }
}

extension DataFormElement: QueryDecodable where Node: QueryableElement & QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .form }
    public static func decode<Other>(queryResult: QueryResult<Other>) -> DataFormElement? {
        guard case .form(let form) = queryResult else { return nil }
        return form as? DataFormElement
            ?? Node.decode(queryResult: QueryResult.element(form.element)).flatMap { DataFormElement($0) }
    }
}

// MARK: Results of any kind

extension QueryResult: QueryDecodable where Node == Element {
    public static var queryResultKinds: ResultKinds { ResultKinds(ResultKind.allCases.map { ResultKinds($0) }) }
    public static func decode<Other>(queryResult: QueryResult<Other>) -> QueryResult? {
        switch queryResult {
        case .element: Element.decode(queryResult: queryResult).map { .element($0) }
        case .form: DataFormElement<Element>.decode(queryResult: queryResult).map { .form($0) }
        case .string(let string): .string(string)
        case .attributes(let attributes): .attributes(attributes)
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .uint(let uint): .uint(uint)
        case .double(let double): .double(double)
        case .date(let date): .date(date)
        case .data(let data): .data(data)
        case .uuid(let uuid): .uuid(uuid)
        case .field(let field): .field(field)
        }
    }
}
