// The promises that there are, for a program that was started anew and does not know what it has asked.

import Foundation

/// A promise that somebody may still want to know the outcome of.
public struct OpenPromise: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// The name by which it is found again, if it has one.
    public let key: String?
    /// The name of the type that its value has (`PromiseTypes`).
    public let type: String
    public let state: PromiseState
    /// For how long there is the promise.
    public let age: Duration
}

extension PromiseCentre {
    /// The promises whose outcome nobody has acknowledged, the oldest first, pending or not. Take them up with
    /// `reattach(id:as:)`. Those that cannot be read are left out.
    ///
    /// ```swift
    /// for open in try await promises.openPromises() { show(open.key ?? "\(open.id)") }
    /// ```
    ///
    /// - Throws: What the store throws.
    public func openPromises() async throws -> [OpenPromise] {
        let now = time.now
        return try await store.allPromises().compactMap { record in
            if record.isOver(at: now) { return nil }
            var record = record
            record.expire(at: now)
            return OpenPromise(
                id: record.id, key: record.key, type: record.type, state: record.state,
                age: .seconds(now.timeIntervalSince(record.created)))
        }
    }
}
