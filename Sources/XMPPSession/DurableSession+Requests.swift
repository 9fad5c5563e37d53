// Sending and asking: requests whose answer calls a handler, and requests that a task waits for.

public import Handlers
import Persistence
public import Promises
import SessionCore
public import StreamManagement
import Synchronization
public import XMLTree

extension DurableSession {
    /// How long answers are waited for unless something else is said: longer than any server takes that answers at all.
    public static let requestTimeout: Duration = .seconds(120)

    /// Whether the session stores and sends nothing until its next run, or is being closed.
    var isSuspended: Bool {
        if case .closing = phase { return true }
        return phase.isSuspended
    }

    // MARK: Transactions

    /// Stores changes and sends stanzas in one transaction, as handlers do: to make a promise, say, and send the
    /// request that it stands for.
    ///
    /// - Throws: What `body` throws, and what the database throws. Nothing is sent or stored then.
    @discardableResult
    public nonisolated func together<Result: Sendable>(
        _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        try await unlessSuspended {
            let work = StanzaWork(database.beginWork(), in: workContext)
            do {
                let result = try await body(work)
                let count = work.takeStanzas().count
                repeat {
                    if count > 0 { try await stream.waitUntilRoom(for: count) }
                    // The commit ends the work. Others may have taken the room.
                } while try await !store(work)
                return result
            } catch {
                await work.database.end(isCommitted: false)
                throw error
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

    // MARK: Requests with a handler

    /// Sends a request. Its answer calls the handler, in this process or another one that runs the session by then.
    ///
    /// Request, handler and stanza are stored in one transaction before this returns. Exactly one of these happens: the
    /// handler is called with the answer, as its arguments `iq` and `stanza`; or it is invalidated, because no answer
    /// came in time (`timedOut`), because the session was lost (`disconnected`), because handling the answer failed
    /// again and again (`answerNotHandled`), or because the answer is beyond a limit of the parser (`answerRejected`).
    /// Only whom the request was sent to can answer it. A request that has timed out before it was sent is not sent,
    /// unless its time is over just while a stream begins, or `StreamSession.decide(resend:)` has it sent.
    ///
    /// A handler may wait for the answers of several requests. It is called, or its invalidation, once for each of
    /// them, and ends with the last, also if it is single-shot. Copies to which different values are bound cannot wait
    /// at the same time: that is refused (`RequestError.boundDifferently`).
    ///
    /// - Parameters:
    ///   - iq: An `iq` of type `get` or `set`. Without an `id` it gets one.
    ///   - handler: What to call. Besides what is bound, it may declare `iq`, `stanza`, `work` (`DatabaseWork`),
    ///     `session` (`StanzaWork`), `promises` (`PromiseCentre`) and what the session was given.
    ///   - timeout: How long to wait, also while there is no connection and no process; `nil` for ever.
    /// - Returns: The `id` of the request.
    /// - Throws: `RequestError`, `HandlerError` for a handler that cannot be stored, and what the database throws.
    ///   Nothing is sent or stored then.
    @discardableResult
    public nonisolated func request(
        _ iq: Element, handler: Handler, timeout: Duration? = requestTimeout
    ) async throws -> String {
        try await together { work in try await work.request(iq, handler: handler, kind: .iq, timeout: timeout) }
    }

    public nonisolated var pubsub: PubSub {
        PubSub { [self] iq, handler, kind, timeout in
            try await together { work in
                try await work.request(iq, handler: handler, kind: kind, timeout: timeout)
            }
        }
    }

    // MARK: Sending

    /// Gives a stanza to be sent that needs no answer. See `StreamSession.send(_:id:)`.
    ///
    /// - Throws: What that throws; `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that could not
    ///   be stored or read back; `RequestError.suspended`.
    @discardableResult
    public nonisolated func send(_ stanza: Element) async throws -> SentStanza {
        try await unlessSuspended {
            try stanza.checkIsStanza()
            try stanza.checkCanBeStored()
            // What earlier stanzas send leaves first.
            try await UncommittedBatch.commit?()
            return try await stream.send(checked: stanza)
        }
    }

    /// Has somebody told what becomes of stanzas that were sent, by this process or an earlier one. `SentStanza` tells
    /// the same of one stanza; this misses none of them, and comes before anything is sent again.
    ///
    /// - Parameter body: Is called on the session's own thread: it must not wait. `nil` for nobody.
    public nonisolated func report(to body: (@Sendable (StanzaReport) -> Void)?) { observer.setReporter(body) }

    /// A stream that is suspended for another process is not taken up again.
    private nonisolated func unlessSuspended<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        if await isSuspended { throw RequestError.suspended }
        do {
            return try await body()
        } catch let error as StorageError {
            if await isSuspended { throw RequestError.suspended }
            throw error
        }
    }

    // MARK: Requests of tasks

    /// Sends a request, and waits for the answer. The answer is lost if the process is. A request that waits to be sent
    /// is not sent when the time is over, or the task cancelled.
    ///
    /// - Throws: `StanzaError` if it was refused, `RequestError` if no answer came, `CancellationError`; what the
    ///   database throws.
    public nonisolated func request(
        _ iq: Element, timeout: Duration = requestTimeout
    ) async throws -> Element {
        if await isSuspended { throw RequestError.suspended }
        let (iq, name) = try Requests.identified(iq)
        let id = StanzaID(rawValue: name)
        let tasks = Mutex<(alarm: Task<Void, Never>, sending: Task<SentStanza?, Never>)?>(nil)
        defer { tasks.withLock { $0 }?.alarm.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard awaited.add(id, to: iq["to"], continuation) else {
                        return continuation.resume(throwing: RequestError.duplicateID(name))
                    }
                    let alarm = Task { [clock, awaited] in
                        do { try await clock.sleep(until: clock.now.uptime + timeout) } catch { return }
                        awaited.fail(id, RequestError.timedOut)
                    }
                    let sending = Task { await send(iq, as: id) }
                    tasks.withLock { $0 = (alarm, sending) }
                    if Task.isCancelled { awaited.fail(id, CancellationError()) }
                }
            } onCancel: {
                awaited.fail(id, CancellationError())
            }
        } catch let error as StanzaError {
            throw error
        } catch {
            // No task waits any more: a request that waits to be sent is not sent.
            if let sending = tasks.withLock({ $0 })?.sending {
                sending.cancel()
                if let sent = await sending.value { await withdraw(sent) }
            }
            throw error
        }
    }

    /// Takes back a request that no task waits for. If the stream cannot do that now, it does before the next stream
    /// begins.
    nonisolated func withdraw(_ sent: SentStanza) async {
        try? await stream.withdraw(sent)
        if sent.state == .queued { awaited.keep(sent) }
    }

    /// Takes back the requests that could not be taken back before.
    func withdrawKept() async throws {
        for sent in awaited.allKept {
            try await stream.withdraw(sent)
            awaited.forget(sent)
        }
    }

    private nonisolated func send(_ iq: Element, as id: StanzaID) async -> SentStanza? {
        do {
            let sent = try await send(iq)
            awaited.note(sent, for: id)
            return sent
        } catch {
            awaited.fail(id, error)
            return nil
        }
    }
}
