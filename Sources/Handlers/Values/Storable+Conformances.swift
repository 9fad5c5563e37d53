// Conformances of the storable types: one case of StoredValue each, and arrays and dictionaries of them.

public import Foundation
public import XMLTree

extension Bool: StorableCase {
    public static var storableType: StorableType { .bool }
    public func storedValue() -> StoredValue { .bool(self) }
}

extension Int32: StorableCase {
    public static var storableType: StorableType { .int32 }
    public func storedValue() -> StoredValue { .int32(self) }
}

extension Int: StorableCase {
    public static var storableType: StorableType { .int }
    public func storedValue() -> StoredValue { .int(self) }
}

extension UInt: StorableCase {
    public static var storableType: StorableType { .uint }
    public func storedValue() -> StoredValue { .uint(self) }
}

extension Double: StorableCase {
    public static var storableType: StorableType { .double }
    public func storedValue() -> StoredValue { .double(self) }
}

extension String: StorableCase {
    public static var storableType: StorableType { .string }
    public func storedValue() -> StoredValue { .string(self) }
}

extension Data: StorableCase {
    public static var storableType: StorableType { .data }
    public func storedValue() -> StoredValue { .data(self) }
}

extension Date: StorableCase {
    public static var storableType: StorableType { .date }
    public func storedValue() -> StoredValue { .date(self) }
}

extension UUID: StorableCase {
    public static var storableType: StorableType { .uuid }
    public func storedValue() -> StoredValue { .uuid(self) }
}

extension URL: StorableCase {
    public static var storableType: StorableType { .url }
    public func storedValue() -> StoredValue { .url(self) }
}

extension Element: StorableCase {
    public static var storableType: StorableType { .element }
    /// The element with its subtree, but without its ancestors.
    public func storedValue() -> StoredValue { .element(self) }
}

extension Handler: StorableCase {
    public static var storableType: StorableType { .handler }
    public func storedValue() -> StoredValue { .handler(self) }
}

extension PromiseReference: StorableCase {
    public static var storableType: StorableType { .promise }
    public func storedValue() -> StoredValue { .promise(self) }
}

/// A type that has a case of `StoredValue`.
protocol StorableCase: Storable {}

extension StorableCase {
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        guard let value = storedValue.payload as? Self else {
            throw StorableMismatch(expected: Self.storableType, actual: storedValue)
        }
        self = value
    }
}

/// Its functions throw `StorableMismatch` for a value that is not an array, and the errors of the elements.
extension Array: Storable where Element: Storable {
    public static var storableType: StorableType { .array(Element.storableType) }
    public static var storableObjects: [any StorableObject.Type] { Element.storableObjects }
    public func storedValue() throws -> StoredValue { .array(try map { try $0.storedValue() }) }
    public init(storedValue: StoredValue) throws { try self.init(storedValue: storedValue, given: [:]) }
    public init(storedValue: StoredValue, given: HandlerArguments) throws {
        guard case .array(let values) = storedValue else {
            throw StorableMismatch(expected: Self.storableType, actual: storedValue)
        }
        self = try values.map { try Element(storedValue: $0, given: given) }
    }
}

/// Its functions throw `StorableMismatch` for a value that is not a dictionary, and the errors of the values.
extension Dictionary: Storable where Key == String, Value: Storable {
    public static var storableType: StorableType { .dictionary(Value.storableType) }
    public static var storableObjects: [any StorableObject.Type] { Value.storableObjects }
    public func storedValue() throws -> StoredValue { .dictionary(try mapValues { try $0.storedValue() }) }
    public init(storedValue: StoredValue) throws { try self.init(storedValue: storedValue, given: [:]) }
    public init(storedValue: StoredValue, given: HandlerArguments) throws {
        guard case .dictionary(let values) = storedValue else {
            throw StorableMismatch(expected: Self.storableType, actual: storedValue)
        }
        self = try values.mapValues { try Value(storedValue: $0, given: given) }
    }
}
