// A value that is bound to a handler, in the form in which it can be stored: a closed set of cases.
//
// Which Swift types become which case is Storable's matter; how the cases are written is Format/'s.

public import Foundation
public import XMLTree

/// A value that can be stored with a handler.
///
/// Strings are compared code point by code point, and numbers bit by bit, so that every value equals itself after a
/// round trip. Elements are compared as elements, and keys and names of types as Swift compares strings.
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

/// A value of a registered Codable type, encoded when it was bound.
public struct StoredObject: Sendable, Hashable {
    /// The name that its type is registered under.
    public let type: String
    /// The version of the type that wrote it.
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
    /// Whether this is a value of that type. An empty array or dictionary is one of every element type.
    public func matches(_ type: StorableType) -> Bool {
        switch (self, type) {
        case (.bool, .bool), (.int32, .int32), (.int, .int), (.uint, .uint), (.double, .double), (.string, .string),
            (.data, .data), (.date, .date), (.uuid, .uuid), (.url, .url), (.element, .element), (.handler, .handler),
            (.promise, .promise):
            true
        case (.array(let values), .array(let type)): values.allSatisfy { $0.matches(type) }
        case (.dictionary(let values), .dictionary(let type)): values.values.allSatisfy { $0.matches(type) }
        case (.object(let object), .object(let name)): object.type == name
        default: false
        }
    }

    /// The type, for messages. Arrays and dictionaries are named after one of their values.
    public var typeDescription: String {
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
        case .array(let values): "[\(values.first?.typeDescription ?? "")]"
        case .dictionary(let values): "[String: \(values.values.first?.typeDescription ?? "")]"
        case .object(let object): object.type
        }
    }
}

extension StoredValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The type alone: values may hold secrets, and descriptions end up in logs. See `Handler.json` for the values.
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

    /// Hashes the case and what is cheap of it; canonically equivalent strings may collide.
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
