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
    /// The stored form of a value without a handler.
    package func data() throws(HandlerError) -> Data { try HandlerEncoder.data(of: self) }

    package init(data: Data) throws(HandlerError) { self = try HandlerDecoder.value(in: data) }

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

    /// The value as Swift's own type.
    var payload: any Hashable & Sendable {
        switch self {
        case .bool(let value): value
        case .int32(let value): value
        case .int(let value): value
        case .uint(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .element(let value): value
        case .handler(let value): value
        case .promise(let value): value
        case .array(let values): values
        case .dictionary(let values): values
        case .object(let value): value
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
    /// The type alone, because values may hold secrets and descriptions end up in logs.
    public var description: String { typeDescription }

    public var debugDescription: String { typeDescription }
}

extension StoredValue: Hashable {
    public static func == (one: StoredValue, other: StoredValue) -> Bool {
        switch (one, other) {
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.date(let one), .date(let other)): one.bitPattern == other.bitPattern
        case (.url(let one), .url(let other)): one.absoluteString.utf8.elementsEqual(other.absoluteString.utf8)
        default: one.simpleType == other.simpleType && AnyHashable(one.payload) == AnyHashable(other.payload)
        }
    }

    /// Canonically equivalent strings collide.
    public func hash(into hasher: inout Hasher) {
        if case .url(let url) = self { return hasher.combine(url.absoluteString) }
        hasher.combine(AnyHashable(payload))
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
