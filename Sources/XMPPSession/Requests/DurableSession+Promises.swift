// Asking by key: a promise and the request that resolves it, once for all processes.

public import Promises

extension DurableSession {
    /// Returns the promise with this key. If there is none, creates it and asks for its value, in one transaction.
    ///
    /// A second call with the same key returns the promise of the first call and sends nothing, also in another
    /// process. A promise whose outcome was acknowledged, or that expired, gives its key up: then the call asks again.
    /// A kill leaves the promise and its request, or neither.
    ///
    /// ```swift
    /// let promise = try await session.promise(String.self, key: "avatar-of-coven", timeout: .seconds(3600)) {
    ///     promise, work in
    ///     let handler = try Avatars.$removed.handler(
    ///         invalidation: Avatars.$notRemoved, binding: #named(promise, room))
    ///     try await work.request(iq, handler: handler, timeout: .seconds(3600))
    /// }
    /// let shown = try await promise.value
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The name of the promise. At most `PromiseLimits.codeLength` bytes.
    ///   - timeout: The time after which the promise times out, even if no process runs then.
    ///   - retention: The time for which the promise is kept if its outcome is not acknowledged.
    ///   - ask: Sends the request, whose handler resolves the promise. Its work is dropped if the key is taken.
    /// - Throws: ``RequestError/withoutPromises`` if the session has no `PromiseCentre`; `PromiseError.wrongType` if
    ///   the key's promise has another type; the errors of `ask` and ``together(_:)``. The session then sends and
    ///     stores nothing.
    public nonisolated func promise<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, key: String, timeout: Duration? = nil,
        retention: Duration = PromiseCentre.retention,
        asking ask: @Sendable (_ promise: Promise<Value>, _ work: StanzaWork) async throws -> Void
    ) async throws -> Promise<Value> {
        guard let promises else { throw RequestError.withoutPromises }
        var attempts = 1
        while true {
            do {
                return try await together { work in
                    let promise = try promises.create(
                        type, key: key, timeout: timeout, retention: retention, in: work.database)
                    try await ask(promise, work)
                    return promise
                }
            } catch PromiseError.keyTaken(let taken) where taken == key {
                if let promise = try await promises.reattach(key: key, as: type) { return promise }
                // The other promise expired after the transaction.
                if attempts == Self.maximumAskingAttempts { throw PromiseError.keyTaken(key) }
                attempts += 1
            }
        }
    }

    /// An `ask` that itself takes the key must not ask for ever.
    private static let maximumAskingAttempts = 3
}
