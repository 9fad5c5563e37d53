// A bound value in its storable form: a closed set of cases.
//
// Storable maps Swift types to cases; Format/ encodes the cases as bytes.

public import Foundation
public import XMLTree

/// A value that can be stored with a handler.
///
/// `==` compares strings code point by code point and numbers bit by bit, so that every value equals itself after a
/// round trip. It compares elements as elements, and keys and type names as Swift compares strings.
public enum StoredValue: Sendable {
    case bool(Bool)
    case int32(Int32)
    case int(Int)
    case uint(UInt)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case element(Element)
    indirect case handler(Handler)
    case promise(PromiseReference)
    case array([StoredValue])
    case dictionary([String: StoredValue])
    case object(StoredObject)
}

/// A value of a registered Codable type, encoded as JSON at binding.
public struct StoredObject: Sendable, Hashable {
    /// The registered name of its type.
    public let type: String
    /// The version of the type that encoded it.
    public let version: Int
    /// The value as JSON.
    public let json: Data

    public init(type: String, version: Int, json: Data) {
        self.type = type
        self.version = version
        self.json = json
    }
}

extension StoredValue {
    /// Whether this value has the type. An empty array or dictionary matches every element type.
    public func matches(_ type: StorableType) -> Bool {
        switch (self, type) {
        case (.array(let values), .array(let type)): values.allSatisfy { $0.matches(type) }
        case (.dictionary(let values), .dictionary(let type)): values.values.allSatisfy { $0.matches(type) }
        default: simpleType == type
        }
    }

    /// The type, for messages. For an array or dictionary, the type of one of its values is the element type.
    public var typeDescription: String {
        switch self {
        case .array(let values): "[\(values.first?.typeDescription ?? "")]"
        case .dictionary(let values): "[String: \(values.values.first?.typeDescription ?? "")]"
        default: simpleType?.description ?? ""
        }
    }

    /// The type of a value without elements.
    private var simpleType: StorableType? {
        switch self {
        case .bool: .bool
        case .int32: .int32
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .url: .url
        case .element: .element
        case .handler: .handler
        case .promise: .promise
        case .object(let object): .object(object.type)
        case .array, .dictionary: nil
        }
    }
}

extension StoredValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The type alone, because values may hold secrets and descriptions end up in logs. `Handler.json` has the values.
    public var description: String { typeDescription }

    public var debugDescription: String { typeDescription }
}

extension StoredValue: Hashable {
    public static func == (one: StoredValue, other: StoredValue) -> Bool {
        switch (one, other) {
        case (.bool(let one), .bool(let other)): one == other
        case (.int32(let one), .int32(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.uint(let one), .uint(let other)): one == other
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.data(let one), .data(let other)): one == other
        case (.date(let one), .date(let other)): one.bitPattern == other.bitPattern
        case (.uuid(let one), .uuid(let other)): one == other
        case (.url(let one), .url(let other)): one.absoluteString.utf8.elementsEqual(other.absoluteString.utf8)
        case (.element(let one), .element(let other)): one == other
        case (.handler(let one), .handler(let other)): one == other
        case (.promise(let one), .promise(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// Hashes the case and the cheap part of its value; canonically equivalent strings may collide.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let value): hasher.combine(value)
        case .int32(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .uint(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.bitPattern)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value.absoluteString)
        case .element(let value): hasher.combine(value)
        case .handler(let value): hasher.combine(value)
        case .promise(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .dictionary(let values): hasher.combine(values.count)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension Date {
    fileprivate var bitPattern: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

/// A reference to a promise. A stored handler keeps nothing else of the promise.
public struct PromiseReference: Sendable, Hashable, Identifiable {
    public let id: UUID

    public init(id: UUID) {
        self.id = id
    }
}
