// Conformances of the storable types: one case of StoredValue each, and arrays and dictionaries of them.

public import Foundation
public import XMLTree

extension Bool: Storable {
    public static var storableType: StorableType { .bool }
    public func storedValue() -> StoredValue { .bool(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .bool(let value) = $0 { value } else { nil } }
    }
}

extension Int32: Storable {
    public static var storableType: StorableType { .int32 }
    public func storedValue() -> StoredValue { .int32(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .int32(let value) = $0 { value } else { nil } }
    }
}

extension Int: Storable {
    public static var storableType: StorableType { .int }
    public func storedValue() -> StoredValue { .int(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .int(let value) = $0 { value } else { nil } }
    }
}

extension UInt: Storable {
    public static var storableType: StorableType { .uint }
    public func storedValue() -> StoredValue { .uint(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .uint(let value) = $0 { value } else { nil } }
    }
}

extension Double: Storable {
    public static var storableType: StorableType { .double }
    public func storedValue() -> StoredValue { .double(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .double(let value) = $0 { value } else { nil } }
    }
}

extension String: Storable {
    public static var storableType: StorableType { .string }
    public func storedValue() -> StoredValue { .string(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .string(let value) = $0 { value } else { nil } }
    }
}

extension Data: Storable {
    public static var storableType: StorableType { .data }
    public func storedValue() -> StoredValue { .data(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .data(let value) = $0 { value } else { nil } }
    }
}

extension Date: Storable {
    public static var storableType: StorableType { .date }
    public func storedValue() -> StoredValue { .date(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .date(let value) = $0 { value } else { nil } }
    }
}

extension UUID: Storable {
    public static var storableType: StorableType { .uuid }
    public func storedValue() -> StoredValue { .uuid(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .uuid(let value) = $0 { value } else { nil } }
    }
}

extension URL: Storable {
    public static var storableType: StorableType { .url }
    public func storedValue() -> StoredValue { .url(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .url(let value) = $0 { value } else { nil } }
    }
}

extension Element: Storable {
    public static var storableType: StorableType { .element }
    /// The element with its subtree, but without its ancestors.
    public func storedValue() -> StoredValue { .element(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .element(let value) = $0 { value } else { nil } }
    }
}

extension Handler: Storable {
    public static var storableType: StorableType { .handler }
    public func storedValue() -> StoredValue { .handler(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .handler(let value) = $0 { value } else { nil } }
    }
}

extension PromiseReference: Storable {
    public static var storableType: StorableType { .promise }
    public func storedValue() -> StoredValue { .promise(self) }
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        self = try storedValue.payload { if case .promise(let value) = $0 { value } else { nil } }
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

extension StoredValue {
    /// Returns the payload that the closure extracts, or throws `StorableMismatch` for another case.
    fileprivate func payload<Payload: Storable>(
        _ payload: (StoredValue) -> Payload?
    ) throws(StorableMismatch) -> Payload {
        guard let value = payload(self) else { throw StorableMismatch(expected: Payload.storableType, actual: self) }
        return value
    }
}
