// A promise for its users: an identity, and the center that has the rest.

import Foundation

/// The outcome of a request that another process, or a later run of this program, can deliver. Its value is `Storable`.
///
/// The store keeps a promise from its creation (`PromiseCenter.create`). Any process may resolve it, and the first
/// outcome is final. The process with the role `.consumer` waits for it:
///
/// ```swift
/// do {
///     show(try await promise.value)
/// } catch let rejection as PromiseRejection {
///     show(rejection.message)
/// }
/// ```
public struct Promise<Value: Storable>: Sendable, Identifiable {
    /// The identity, which finds the promise again in any process.
    public let id: UUID
    /// The center that made or found the promise.
    public let center: PromiseCenter

    // MARK: Waiting

    /// The value, as soon as the promise is fulfilled. Any number of tasks may wait; a canceled task stops waiting, and
    /// the promise stays as it is.
    ///
    /// Reading acknowledges the outcome, in one transaction that writes, and returns the value. If the process is
    /// killed or the task is canceled before, the outcome is offered again, as long as the promise is kept. A value
    /// that this program cannot decode stays unacknowledged, too. If the transaction fails, the value is returned all
    /// the same, and the center repeats the acknowledgement, as for `withValue(_:)`.
    ///
    /// After the acknowledgement, `reattach` does not find the promise. A process that is killed before it uses the
    /// value loses it. If that is too early, use `withValue(_:)`: its cost is the same.
    ///
    /// - Throws: The `PromiseRejection` of a rejected promise; `PromiseError.timedOut` or `.canceled`;
    ///   `.mayNotConsume` in a process that may only resolve; `.unknownPromise` if it was removed; `.undecodable` or
    ///   `.wrongType` if the stored value does not fit; `CancellationError`; errors of the store.
    public var value: Value {
        get async throws { try await withValue(\.self) }
    }

    /// Waits for the value, passes it to `body`, and acknowledges the outcome when `body` returns.
    ///
    /// ```swift
    /// try await promise.withValue { words in show(words) }
    /// ```
    ///
    /// If the process is killed before that, or if `body` throws, the outcome is offered again, to this process or
    /// another one, as long as the promise is kept. Delivery is at least once: `body` may run again for the same
    /// outcome. Until the acknowledgement, no other promise can have the key.
    ///
    /// If the store is frozen or busy when `body` returns, the center repeats the acknowledgement at the next change of
    /// the store. Unfreezing is such a change.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which `body` runs.
    ///   - body: Uses the value. It is not called for an outcome that is an error: such an outcome is acknowledged when
    ///     it is thrown.
    /// - Throws: Errors of `value`, and errors of `body`.
    public func withValue<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Value) async throws -> Result
    ) async throws -> Result {
        let outcome = try await center.outcome(of: id)
        if outcome.state != .fulfilled { await center.acknowledge(id) }
        let result = try await body(try value(of: outcome))
        await center.acknowledge(id)
        return result
    }

    /// Acknowledges the outcome as part of a transaction, for example the one that stores your result.
    ///
    /// - Throws: `PromiseError.unknownPromise`, and errors of the store.
    public func acknowledge(in transaction: any PromiseTransaction) throws {
        try center.acknowledge(id, in: transaction)
    }

    private func value(of outcome: PromiseOutcome) throws -> Value {
        switch outcome {
        case .fulfilled(let payload): return try payload.value()
        case .rejected(let rejection): throw rejection
        case .timedOut: throw PromiseError.timedOut(id)
        case .canceled: throw PromiseError.canceled(id)
        }
    }

    /// The current state. This does not wait and acknowledges nothing, and works in any process.
    /// - Throws: `PromiseError.unknownPromise`, and errors of the store.
    public var state: PromiseState { get async throws { try await center.state(of: id) } }

    // MARK: Resolving

    /// Fulfills the promise with a value.
    ///
    /// In a handler of a session, in `DurableSession.transaction(_:)` and in `StanzaDatabase.collect(_:)`, the outcome
    /// is one of the collected changes: one transaction makes all of them, or none. They do not fail if the promise was
    /// removed. Tasks that outlive the handler store their outcomes at once. `reject(_:)` and `cancel()` do the same.
    ///
    /// - Returns: Whether this outcome counts, or another one came first.
    /// - Throws: `PromiseError.unknownPromise`, `.wrongType`, `.unencodable` or `.tooLong`; errors of the store.
    @discardableResult
    public func fulfill(_ value: Value) async throws -> PromiseResolution {
        try await center.resolve(id, .fulfilled(try PromisePayload(value)))
    }

    /// Rejects the promise with an error. `PromiseRejection.init(bridging:)` documents which parts are stored.
    /// - Throws: `PromiseError.unknownPromise`; errors of the store.
    @discardableResult
    public func reject(_ error: any Error) async throws -> PromiseResolution {
        try await center.resolve(id, .rejected(PromiseRejection(bridging: error)))
    }

    /// Cancels the promise. Call it when the app does not need the outcome.
    /// - Throws: `PromiseError.unknownPromise`; errors of the store.
    @discardableResult
    public func cancel() async throws -> PromiseResolution {
        try await center.resolve(id, .canceled)
    }

    // MARK: Resolving in a transaction

    /// Fulfills the promise with a value as a part of a transaction, which may roll this back. Throws as
    /// `fulfill(_:)` does.
    @discardableResult
    public func fulfill(_ value: Value, in transaction: any PromiseTransaction) throws -> PromiseResolution {
        try center.resolve(id, .fulfilled(try PromisePayload(value)), in: transaction)
    }

    /// Rejects the promise with an error as a part of a transaction. Throws as `reject(_:)` does.
    @discardableResult
    public func reject(_ error: any Error, in transaction: any PromiseTransaction) throws -> PromiseResolution {
        try center.resolve(id, .rejected(PromiseRejection(bridging: error)), in: transaction)
    }

    /// Cancels the promise as a part of a transaction. Throws as `cancel()` does.
    @discardableResult
    public func cancel(in transaction: any PromiseTransaction) throws -> PromiseResolution {
        try center.resolve(id, .canceled, in: transaction)
    }
}

extension Promise where Value == NoValue {
    /// Fulfills a promise that only reports that an event has happened. Throws as `fulfill(_:)` does.
    @discardableResult
    public func fulfill() async throws -> PromiseResolution { try await fulfill(NoValue()) }
}

extension Promise: Hashable {
    public static func == (left: Promise, right: Promise) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A promise as a bound argument of a handler. The handler stores the identity, and the call provides the center.
extension Promise: Storable {
    public static var storableType: StorableType { .promise }

    public func storedValue() -> StoredValue { .promise(PromiseReference(id: id)) }

    /// Always throws: a promise needs its center, which only a call can provide.
    public init(storedValue: StoredValue) throws(StorableMismatch) {
        throw StorableMismatch(expected: "a PromiseCenter among the arguments of the call", actual: "none")
    }

    /// The promise of a stored handler, with the only `PromiseCenter` among the arguments of the call.
    public init(storedValue: StoredValue, given: HandlerArguments) throws(StorableMismatch) {
        guard case .promise(let reference) = storedValue else {
            throw StorableMismatch(expected: .promise, actual: storedValue)
        }
        guard let center = given.only(PromiseCenter.self) else {
            throw StorableMismatch(
                expected: "one PromiseCenter among the arguments of the call", actual: "none or several")
        }
        self = center.promise(reference.id)
    }
}
