// Swift types whose values can be bound to a handler when it is created.
//
// The conformances are Storable+Conformances.swift; Codable types are StorableObject.swift.

/// A type whose values can be stored with a handler.
///
/// `Bool`, `Int32`, `Int`, `UInt`, `Double`, `String`, `Data`, `Date`, `UUID`, `URL`, `Element`, `Handler` and
/// `PromiseReference` are, and arrays and string dictionaries of storable types. Enumerations with such a raw value
/// become storable by declaring it, Codable types by `StorableObject`:
///
/// ```swift
/// enum Kind: String, Storable { case direct, group }
/// ```
public protocol Storable: BindableValue {
    /// The type of the stored form.
    static var storableType: StorableType { get }

    /// The Codable types in the stored form, which a registry has to know.
    static var storableObjects: [any StorableObject.Type] { get }

    /// The stored form. Throws what encoding a Codable type throws.
    func storedValue() throws -> StoredValue

    /// The value of a stored form.
    ///
    /// - Throws: `StorableMismatch` for a value of another type, and what decoding a Codable type throws.
    init(storedValue: StoredValue) throws

    /// The value of a stored form, at a call. A type of which only an identity is stored, such as a promise, finds what
    /// it belongs to among the arguments that were given at the call.
    init(storedValue: StoredValue, given: HandlerArguments) throws
}

extension Storable {
    public static var storableObjects: [any StorableObject.Type] { [] }

    public init(storedValue: StoredValue, given: HandlerArguments) throws { try self.init(storedValue: storedValue) }
}

/// A stored value was not of the type that was asked for.
public struct StorableMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type that was asked for.
    public let expected: String
    /// What was there.
    public let actual: String

    public init(expected: String, actual: String) {
        self.expected = expected
        self.actual = actual
    }

    public init(expected: StorableType, actual: StoredValue) {
        self.init(expected: expected.description, actual: actual.typeDescription)
    }

    public var description: String { "expected \(expected), got \(actual)" }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    public static var storableType: StorableType { RawValue.storableType }

    public static var storableObjects: [any StorableObject.Type] { RawValue.storableObjects }

    public func storedValue() throws -> StoredValue { try rawValue.storedValue() }

    public init(storedValue: StoredValue) throws {
        guard let value = Self(rawValue: try RawValue(storedValue: storedValue)) else {
            throw StorableMismatch(expected: "\(Self.self)", actual: "a raw value that is none of its cases")
        }
        self = value
    }
}
