// Swift types whose values can be bound to a handler when it is created.
//
// Storable+Conformances.swift has the conformances; StorableObject.swift handles Codable types.

public import Foundation

/// A type whose values can be stored with a handler.
///
/// `Bool`, `Int32`, `Int`, `UInt`, `Double`, `String`, `Data`, `Date`, `UUID`, `URL`, `Element`, `Handler` and
/// `PromiseReference` conform, and arrays and string dictionaries of storable types. An enumeration with such a raw
/// value needs only the declaration. A Codable type conforms to `StorableObject`:
///
/// ```swift
/// enum Kind: String, Storable { case direct, group }
/// ```
///
/// Its functions throw `StorableMismatch` for a stored value that is not one of this type: it has another type, a raw
/// value without a case, or a version that is too new. A promise also throws it unless the call has exactly one
/// `PromiseCenter`. A Codable type throws the errors of ``StorableObject``.
public protocol Storable: BindableValue {
    /// The type of the stored form.
    static var storableType: StorableType { get }

    /// The Codable types in the stored form, which a registry must know.
    static var storableObjects: [any StorableObject.Type] { get }

    /// Returns the stored form.
    func storedValue() throws -> StoredValue

    /// Creates a value from its stored form.
    init(storedValue: StoredValue) throws

    /// Creates a value from its stored form during a call. A type that stores only an identity, such as a promise,
    /// finds the object that it belongs to among the arguments of the call.
    init(storedValue: StoredValue, given: HandlerArguments) throws
}

extension Storable {
    public static var storableObjects: [any StorableObject.Type] { [] }

    public init(storedValue: StoredValue, given: HandlerArguments) throws { try self.init(storedValue: storedValue) }
}

/// The error for a stored value that cannot become a value of the requested type.
public struct StorableMismatch: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The requested type.
    public let expected: String
    /// The type of the stored value.
    public let actual: String

    public init(expected: String, actual: String) {
        self.expected = expected
        self.actual = actual
    }

    public init(expected: StorableType, actual: StoredValue) {
        self.init(expected: expected.description, actual: actual.typeDescription)
    }

    public var description: String { "expected \(expected), got \(actual)" }

    public var errorDescription: String? { description }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    public static var storableType: StorableType { RawValue.storableType }

    public static var storableObjects: [any StorableObject.Type] { RawValue.storableObjects }

    public func storedValue() throws -> StoredValue { try rawValue.storedValue() }

    public init(storedValue: StoredValue) throws {
        guard let value = Self(rawValue: try RawValue(storedValue: storedValue)) else {
            throw StorableMismatch(expected: "\(Self.self)", actual: "a raw value without a case")
        }
        self = value
    }
}

/// The type of a stored value, for declarations of parameters and for messages.
public indirect enum StorableType: Sendable, Hashable {
    case bool, int32, int, uint, double, string, data, date, uuid, url
    case element, handler, promise
    case array(StorableType)
    case dictionary(StorableType)
    /// A Codable type, by its registered name.
    case object(String)
}

extension StorableType: CustomStringConvertible {
    /// As in Swift: `[String: Int]`.
    public var description: String {
        switch self {
        case .bool: "Bool"
        case .int32: "Int32"
        case .int: "Int"
        case .uint: "UInt"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .element: "Element"
        case .handler: "Handler"
        case .promise: "PromiseReference"
        case .array(let type): "[\(type)]"
        case .dictionary(let type): "[String: \(type)]"
        case .object(let name): "\(name)"
        }
    }
}
