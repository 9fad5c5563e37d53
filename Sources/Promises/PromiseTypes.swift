// The types of promised values, by name. The center decodes only types in this list.

import Foundation

/// The types of promised values, each with a name and a version.
///
/// ```swift
/// var types = PromiseTypes()
/// try types.register(Avatar.self, as: "Avatar", version: 2, migrations: [1: { old in try Avatar.upgrade(old) }])
/// ```
///
/// Values are stored as JSON. `Bool`, `Int`, `Double`, `String`, `Data`, `Date`, `UUID`, `URL` and `NoValue` are
/// registered already. Arrays, optionals and dictionaries by `String` of registered types need no registration. The
/// registered types must be of version 1, because nested values are not migrated.
public struct PromiseTypes: Sendable {
    /// Converts the JSON of one version to the JSON of the next one.
    public typealias Migration = @Sendable (Data) throws -> Data

    private struct Registration: Sendable {
        let name: String
        let version: Int
        let migrations: [Int: Migration]
    }

    private var registrations: [ObjectIdentifier: Registration] = [:]
    private var names: Set<String> = []

    public init() {
        // The names are stored.
        let simple: [(any (Codable & Sendable).Type, String)] = [
            (Bool.self, "Bool"), (Int.self, "Int"), (Double.self, "Double"), (String.self, "String"),
            (Data.self, "Data"), (Date.self, "Date"), (UUID.self, "UUID"), (URL.self, "URL"), (NoValue.self, "Nothing"),
        ]
        for (type, name) in simple {
            registrations[ObjectIdentifier(type)] = Registration(name: name, version: 1, migrations: [:])
            names.insert(name)
        }
    }

    /// Adds a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: The name in stored values. Keep it when the type is renamed.
    ///   - version: Counts up from 1 whenever the JSON of the type changes in a way that old JSON does not fit.
    ///   - migrations: For every earlier version, a function from its JSON to the next version's.
    /// - Throws: `PromiseError.invalidRegistration` if the name or the type is registered already, or if a migration is
    ///   missing.
    public mutating func register<Value: Codable & Sendable>(
        _ type: Value.Type, as name: String, version: Int = 1, migrations: [Int: Migration] = [:]
    ) throws(PromiseError) {
        func refuse(_ reason: String) -> PromiseError { .invalidRegistration(name, reason: reason) }
        if name.isEmpty || name.utf8.count > PromiseLimits.codeLength { throw refuse("its name is empty or too long") }
        if version < 1 { throw refuse("versions begin with 1") }
        if name.first == "[" || name.last == "?" {
            throw refuse("such names are those of arrays, dictionaries, optionals")
        }
        if let missing = (1..<version).first(where: { migrations[$0] == nil }) {
            throw refuse("the migration from version \(missing) to \(missing + 1) is missing")
        }
        if registrations[ObjectIdentifier(type)] != nil { throw refuse("the type has a name already") }
        if !names.insert(name).inserted { throw refuse("another type has this name") }
        registrations[ObjectIdentifier(type)] = Registration(name: name, version: version, migrations: migrations)
    }

    /// The name of a type.
    /// - Throws: `PromiseError.unregisteredType`.
    func name<Value>(of type: Value.Type) throws(PromiseError) -> String {
        try registration(of: type).name
    }

    /// Encodes a value.
    func payload<Value: Codable & Sendable>(of value: Value) throws(PromiseError) -> PromisePayload {
        let registration = try registration(of: Value.self)
        let bytes: Data
        do {
            bytes = try JSONEncoder().encode(value)
        } catch {
            throw .unencodable(type: registration.name, reason: PromiseRejection(bridging: error).code)
        }
        if bytes.count > PromiseLimits.payloadLength {
            throw .tooLong(what: "the promised value", length: bytes.count, limit: PromiseLimits.payloadLength)
        }
        return PromisePayload(type: registration.name, version: registration.version, bytes: bytes)
    }

    /// Decodes a stored value, and migrates it to the current version.
    func value<Value: Codable & Sendable>(
        of payload: PromisePayload, as type: Value.Type
    ) throws(PromiseError) -> Value {
        let registration = try registration(of: type)
        if payload.type != registration.name {
            throw .wrongType(expected: registration.name, actual: payload.type)
        }
        guard (1...registration.version).contains(payload.version) else {
            throw .unknownVersion(type: payload.type, version: payload.version)
        }
        do {
            var bytes = payload.bytes
            for version in payload.version..<registration.version {
                guard let migration = registration.migrations[version] else {
                    throw PromiseError.unknownVersion(type: payload.type, version: version)
                }
                bytes = try migration(bytes)
            }
            return try JSONDecoder().decode(type, from: bytes)
        } catch {
            // The decoder's message may quote the value.
            throw .undecodable(type: payload.type, reason: PromiseRejection(bridging: error).code)
        }
    }

    private func registration<Value>(of type: Value.Type) throws(PromiseError) -> Registration {
        if let registration = registrations[ObjectIdentifier(type)] { return registration }
        if let composed = type as? any ComposedType.Type {
            return Registration(name: try composed.name(in: self), version: 1, migrations: [:])
        }
        throw .unregisteredType(String(describing: type))
    }

    /// The name of the type of nested values, which must be of version 1.
    fileprivate func partName<Value>(of type: Value.Type) throws(PromiseError) -> String {
        let registration = try registration(of: type)
        if registration.version != 1 { throw .unregisteredType("a type of values with \(registration.name) within") }
        return registration.name
    }
}

/// The value of promises that only report that an event has happened.
public struct NoValue: Codable, Sendable, Hashable {
    public init() {}
}

/// A type whose name contains the names of its parts.
private protocol ComposedType {
    static func name(in types: PromiseTypes) throws(PromiseError) -> String
}

extension Array: ComposedType {
    fileprivate static func name(in types: PromiseTypes) throws(PromiseError) -> String {
        "[\(try types.partName(of: Element.self))]"
    }
}

extension Optional: ComposedType {
    fileprivate static func name(in types: PromiseTypes) throws(PromiseError) -> String {
        "\(try types.partName(of: Wrapped.self))?"
    }
}

extension Dictionary: ComposedType where Key == String {
    fileprivate static func name(in types: PromiseTypes) throws(PromiseError) -> String {
        "[String: \(try types.partName(of: Value.self))]"
    }
}
