// Sends stanzas and requests. The answer to a request calls a handler, or resumes a task that waits for it.

public import Handlers
import Persistence
import SessionCore
public import StreamManagement
public import XMLTree

extension DurableSession {
    /// The default timeout of a request. A server that answers at all takes less time.
    public static let requestTimeout: Duration = .seconds(120)

    /// The error of a call that stores or sends, while the session does neither.
    ///
    /// - Throws: `RequestError.suspended`; `StreamManagementError.ended` if the session is closed, or being closed.
    func checkIsOpen() throws {
        switch phase.refusal {
        case .suspended: throw RequestError.suspended
        case .closed: throw StreamManagementError.ended
        case nil, .streamEnded, .notClaimed, .failed, .alreadyRunning: break
        }
    }

    // MARK: Transactions

    /// Stores changes and sends stanzas in one transaction, as handlers do. For example, `body` creates a promise and
    /// sends its request.
    ///
    /// - Throws: The errors of `body`; a `StanzaDatabaseError`; `StorageError.takenOver` if another process has taken
    ///   the session; `RequestError.suspended`; `StreamManagementError.ended` if the session is closed, and
    ///   `.queueFull` for more stanzas than the queue can hold; `CancellationError` only if the calling task is
    ///   canceled while the transaction waits, or from `body`. The session then sends and stores nothing.
    @discardableResult
    public nonisolated func transaction<Result: Sendable>(
        _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        try await transaction(in: workContext, body)
    }

    private nonisolated func transaction<Result: Sendable>(
        in context: WorkContext, _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        try await ifOpen {
            let work = StanzaWork(DatabaseWork(database: database), in: context)
            let result = try await work.changes.run { try await body(work) }
            let count = work.takeStanzas().count
            while true {
                if count > 0 { try await stream.waitUntilRoom(for: count) }
                // A run that ends waits for no room.
                if try await store(work) { return result }
                try Task.checkCancellation()
            }
        }
    }

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
    ///     try await work.request(iq, handler: handler)
    /// }
    /// let shown = try await promise.value
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The name of the promise. At most `PromiseLimits.codeLength` bytes.
    ///   - timeout: The time after which the promise times out, even if no process runs then.
    ///   - retention: The time for which the outcome is kept if it is not acknowledged.
    ///   - ask: Sends the request, whose handler resolves the promise. Its work is dropped if the key is taken.
    /// - Throws: ``RequestError/withoutPromises`` if the session has no `PromiseCenter`; the errors of
    ///   `PromiseCenter.create(_:key:timeout:retention:)` and `PromiseCenter.reattach(key:as:)`, such as
    ///   `PromiseError.wrongType` if the key's promise has another type, or `.keyTaken` if `ask` takes the key; the
    ///   errors of `ask` and ``transaction(_:)``. The session then sends and stores nothing.
    public nonisolated func promise<Value: Storable>(
        _ type: Value.Type = Value.self, key: String, timeout: Duration? = nil,
        retention: Duration = PromiseCenter.retention,
        asking ask: @Sendable (_ promise: Promise<Value>, _ work: StanzaWork) async throws -> Void
    ) async throws -> Promise<Value> {
        var context = workContext
        guard let promises = context.promises else { throw RequestError.withoutPromises }
        if let timeout { context.requestTimeout = timeout }
        var attempts = 0
        while true {
            // A transaction would wait for room.
            if let promise = try await promises.reattach(key: key, as: type) { return promise }
            attempts += 1
            do {
                return try await transaction(in: context) { work in
                    let promise = try await promises.create(type, key: key, timeout: timeout, retention: retention)
                    try await ask(promise, work)
                    return promise
                }
            } catch PromiseError.keyTaken(key) where attempts < Self.maximumAskingAttempts {
                // Another task was first, or `ask` has taken the key.
            }
        }
    }

    /// An `ask` that itself takes the key must not repeat forever.
    private static let maximumAskingAttempts = 3

    // MARK: Requests with a handler

    /// Sends a request whose answer calls the handler, in this process or in the one that runs the session by then.
    ///
    /// One transaction stores the request, its handler and its stanza before this returns. Then exactly one of these
    /// happens:
    ///
    /// - The session calls the handler with the answer, as its arguments `iq` and `stanza`.
    /// - The session invalidates the handler. No answer came in time (`timedOut`), the session was lost
    ///   (`disconnected`), handling the answer failed too often (`answerNotHandled`), or the answer exceeds a limit of
    ///   the parser (`answerRejected`).
    ///
    /// Only the recipient of the request can answer it. A request that times out before it is sent is not sent, unless
    /// its time ends just while a stream begins, or `StreamSession.decide(resend:)` has it sent.
    ///
    /// The request keeps a copy of the handler, with the values that are bound to it now. So the same handler can serve
    /// any number of requests, and each of them calls or invalidates its copy once.
    ///
    /// - Parameters:
    ///   - iq: An `iq` of type `get` or `set`. Without an `id` it gets one.
    ///   - handler: The handler of the answer. It may declare its bound arguments, `iq`, `stanza`, `changes`
    ///     (`DatabaseWork`), `work` (`StanzaWork`), `promises` (`PromiseCenter`) and the session's `arguments`.
    ///   - timeout: The time to wait, including time without a connection or a process; `nil` for no limit.
    /// - Returns: The `id` of the request.
    /// - Throws: `RequestError`; `HandlerError` for a handler that cannot be stored, or that the app has invalidated;
    ///   `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that could not be stored or read back;
    ///   the errors of ``transaction(_:)``. The session then sends and stores nothing.
    @discardableResult
    public nonisolated func request(
        _ iq: Element, handler: Handler, timeout: Duration? = requestTimeout
    ) async throws -> String {
        try await transaction { work in try await work.request(iq, handler: handler, kind: .iq, timeout: timeout) }
    }

    /// Sends requests to publish-subscribe services.
    public nonisolated var pubsub: PubSub {
        PubSub { [self] iq, handler, kind, timeout in
            try await transaction { work in
                try await work.request(iq, handler: handler, kind: kind, timeout: timeout)
            }
        }
    }

    // MARK: Sending

    /// Sends a stanza that needs no answer. See `StreamSession.send(_:id:)`.
    ///
    /// - Throws: The errors of that method; `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that
    ///   could not be stored or read back; `RequestError.suspended`; `StreamManagementError.ended`.
    @discardableResult
    public nonisolated func send(_ stanza: Element) async throws -> SentStanza {
        try await ifOpen {
            try stanza.checkIsStanza()
            try stanza.checkCanBeStored()
            // The replies of earlier stanzas are sent first.
            try await EarlierChanges.current?.commit()
            if GreetingScope.isWithin(self) { return try await stream.greet(checked: stanza) }
            return try await stream.send(checked: stanza)
        }
    }

    /// Runs a body if the session is open: a stream that is suspended for another process does not continue.
    private nonisolated func ifOpen<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await checkIsOpen()
        do {
            return try await body()
        } catch let error as StorageError {
            try await checkIsOpen()
            throw error
        }
    }
}
