// Lists open promises for a program that has restarted and does not know its earlier requests.

import Foundation

/// A promise whose outcome is not acknowledged yet.
public struct OpenPromise: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// The key that finds the promise again, if it has one.
    public let key: String?
    /// The name of the value's type (`PromiseTypes`).
    public let type: String
    public let state: PromiseState
    /// The time since the promise was created.
    public let age: Duration
}

extension PromiseCenter {
    /// Returns the promises whose outcome is not acknowledged, pending ones included, the oldest first. Resume one with
    /// `reattach(id:as:)`. Promises that have expired or cannot be read are left out.
    ///
    /// ```swift
    /// for open in try await promises.openPromises() { show(open.key ?? "\(open.id)") }
    /// ```
    ///
    /// - Throws: Errors of the store.
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
