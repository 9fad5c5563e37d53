// Creates promises, finds them again and resolves them.

import Foundation

extension PromiseCenter {
    // MARK: Making and finding promises

    /// Creates a promise and stores it. A promise that is acknowledged or expired gives up its key to the new one.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: A name that finds the promise again after a restart. At most `PromiseLimits.codeLength` bytes.
    ///   - timeout: The time after which the promise times out, even if no process runs then.
    ///   - retention: The time for which the promise is kept if its outcome is not acknowledged.
    /// - Throws: `PromiseError.keyTaken`, `.unregisteredType` or `.tooLong`, and errors of the store.
    public func create<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, key: String? = nil, timeout: Duration? = nil,
        retention: Duration = PromiseCenter.retention
    ) async throws -> Promise<Value> {
        try await store.writePromises {
            try self.create(type, key: key, timeout: timeout, retention: retention, in: $0)
        }
    }

    /// Creates a promise as part of a transaction, for example the one that stores the handler that fulfills it.
    @discardableResult
    public nonisolated func create<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, key: String? = nil, timeout: Duration? = nil,
        retention: Duration = PromiseCenter.retention, in transaction: any PromiseTransaction
    ) throws -> Promise<Value> {
        let record = try record(of: type, key: key, timeout: timeout, retention: retention)
        try Self.insert(record, in: transaction)
        return Promise(id: record.id, center: self)
    }

    /// Makes the record of a new promise. `insert(_:in:)` stores it.
    package nonisolated func record<Value: Codable & Sendable>(
        of type: Value.Type, key: String?, timeout: Duration?, retention: Duration
    ) throws -> PromiseRecord {
        if let key, key.utf8.count > PromiseLimits.codeLength {
            throw PromiseError.tooLong(what: "the key", length: key.utf8.count, limit: PromiseLimits.codeLength)
        }
        return PromiseRecord(
            id: UUID(), key: key, type: try types.name(of: type), created: time.now, timeout: timeout?.inSeconds,
            retention: retention.inSeconds)
    }

    /// Stores a new promise. An acknowledged or expired promise gives up its key to it.
    package static func insert(_ record: PromiseRecord, in transaction: any PromiseTransaction) throws {
        if let key = record.key, let old = try transaction.promise(key: key), old.isOver(at: record.created) {
            try transaction.remove(old.id)
        }
        try transaction.insert(record)
    }

    /// The default time for which a promise is kept: a week.
    public static let retention = Duration.seconds(7 * 86_400)

    /// Finds the promise with this key, such as after a restart; `nil` for none.
    /// - Throws: `PromiseError.wrongType` if its values have another type, and errors of the store.
    public func reattach<Value: Codable & Sendable>(
        key: String, as type: Value.Type = Value.self
    ) async throws -> Promise<Value>? {
        try promise(of: try await store.promise(key: key))
    }

    /// Finds the promise with this identity; `nil` for none.
    /// - Throws: `PromiseError.wrongType` if its values have another type, and errors of the store.
    public func reattach<Value: Codable & Sendable>(
        id: UUID, as type: Value.Type = Value.self
    ) async throws -> Promise<Value>? {
        try promise(of: try await record(id))
    }

    /// Reads a record without a lock that blocks others.
    func record(_ id: UUID) async throws -> PromiseRecord? { try await store.promises([id])[id] }

    private func promise<Value>(of record: PromiseRecord?) throws(PromiseError) -> Promise<Value>? {
        guard let record else { return nil }
        let name = try types.name(of: Value.self)
        if record.type != name { throw .wrongType(expected: name, actual: record.type) }
        return Promise(id: record.id, center: self)
    }

    /// Makes the promise that a handler gets as an argument. It does not look the promise up, so that a handler can
    /// always be called.
    public nonisolated func promise<Value: Codable & Sendable>(
        _ id: UUID, of type: Value.Type = Value.self
    ) -> Promise<Value> {
        Promise(id: id, center: self)
    }

    // MARK: Resolving

    func resolve(_ id: UUID, _ outcome: PromiseOutcome) async throws -> PromiseResolution {
        let now = time.now
        let resolution = try await store.writePromises { try Self.resolve(id, outcome, at: now, in: $0) }
        if role == .consumer { collect() }
        return resolution
    }

    /// Resolves a promise inside the caller's transaction.
    static func resolve(
        _ id: UUID, _ outcome: PromiseOutcome, at now: Date, in transaction: any PromiseTransaction
    ) throws -> PromiseResolution {
        guard var record = try transaction.promise(id) else { throw PromiseError.unknownPromise(id) }
        if case .fulfilled(let payload) = outcome, payload.type != record.type {
            throw PromiseError.wrongType(expected: payload.type, actual: record.type)
        }
        let before = record
        let resolution = record.resolve(outcome, at: now)
        if record != before { try transaction.update(record) }
        return resolution
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
