// Codable types as stored values: encoded at binding, decoded at a call.

public import Foundation

/// A Codable type whose values can be stored with a handler.
///
/// ```swift
/// struct Upload: StorableObject, Hashable {
///     static let storedName = "Upload"
///     var file: String
///     var size: Int
/// }
/// ```
///
/// A registry knows the types of its handlers' parameters. Pass other types to
/// `HandlerRegistry.init(_:handlers:objects:)`. Binding encodes the value as JSON, and decodes it once to see that a
/// call can: later changes, even of objects with reference semantics, have no effect.
///
/// Its functions throw `StorableMismatch` for a stored value of another type or of a newer version, the errors of
/// `JSONEncoder` and `JSONDecoder`, and those of your migrations.
public protocol StorableObject: Storable, Codable {
    /// The name in stored data. Keep it when you rename the type.
    static var storedName: String { get }

    /// The version of the encoded form; 1 by default.
    static var storedVersion: Int { get }

    /// Converts JSON of an older version to JSON of the next one. Decoding calls it once for each version in between.
    static func migrate(_ json: Data, from version: Int) throws -> Data
}

extension StorableObject {
    public static var storedVersion: Int { 1 }

    /// Returns the JSON unchanged: Codable ignores unknown members, and optional ones may be missing.
    public static func migrate(_ json: Data, from version: Int) -> Data { json }

    public static var storableType: StorableType { .object(storedName) }

    public static var storableObjects: [any StorableObject.Type] { [Self.self] }

    public func storedValue() throws -> StoredValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(self)
        // A value that its type cannot decode, such as an empty URL, is an error now instead of at the call.
        _ = try JSONDecoder().decode(Self.self, from: json)
        return .object(StoredObject(type: Self.storedName, version: Self.storedVersion, json: json))
    }

    public init(storedValue: StoredValue) throws {
        guard case .object(let object) = storedValue, object.type == Self.storedName else {
            throw StorableMismatch(expected: Self.storableType, actual: storedValue)
        }
        guard object.version <= Self.storedVersion else {
            throw StorableMismatch(
                expected: "\(Self.storedName) of version \(Self.storedVersion) at most",
                actual: "version \(object.version)")
        }
        var json = object.json
        for version in object.version..<Self.storedVersion { json = try Self.migrate(json, from: version) }
        self = try JSONDecoder().decode(Self.self, from: json)
    }
}
