// Codable types as stored values: encoded when they are bound, decoded when a handler asks for them.

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
/// A type is registered by being the type of a parameter of a registered handler, or by name in
/// `HandlerRegistry.init(_:handlers:objects:)`. Values are encoded as JSON when they are bound: later changes, even of
/// objects with reference semantics, do not show.
public protocol StorableObject: Storable, Codable {
    /// The name in stored data. It must stay when the type is renamed.
    static var storedName: String { get }

    /// The version of what is encoded; 1 unless declared.
    static var storedVersion: Int { get }

    /// Makes JSON of an older version into JSON of the next one. Called for each version in between.
    static func migrate(_ json: Data, from version: Int) throws -> Data
}

extension StorableObject {
    public static var storedVersion: Int { 1 }

    /// Leaves the JSON as it is: Codable itself ignores members that it does not know, and optional ones may be
    /// missing.
    public static func migrate(_ json: Data, from version: Int) throws -> Data { json }

    public static var storableType: StorableType { .object(storedName) }

    public static var storableObjects: [any StorableObject.Type] { [Self.self] }

    public func storedValue() throws -> StoredValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .object(
            StoredObject(type: Self.storedName, version: Self.storedVersion, json: try encoder.encode(self)))
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
