// Asking: requests whose answer calls a handler, in whatever process, and requests that a task waits for.

import Foundation
public import Handlers
import Persistence
import StreamManagement
import Synchronization
public import XMLTree

extension DurableSession {
    /// How long answers are waited for unless something else is said: longer than any server takes that answers at all.
    public static let requestTimeout: Duration = .seconds(120)

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
        try await together { work in
            try await work.request(iq, handler: handler, kind: .iq, timeout: timeout)
        }
    }

    /// Stores changes and sends stanzas in one transaction, as handlers do: to make a promise, say, and send the
    /// request that it stands for.
    ///
    /// - Throws: What `body` throws, and what the database throws. Nothing is sent or stored then.
    @discardableResult
    public nonisolated func together<Result: Sendable>(
        _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        try await unlessSuspended { try await settle(body) }
    }

    nonisolated func settle<Result: Sendable>(
        withdrawing: Bool = false, _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        do {
            return try await settleAsOne(withdrawing: withdrawing, body)
        } catch let error as EffectsError {
            throw error.underlying
        }
    }

    /// The same, which tells what a change throws from what the session and the database throw: as `EffectsError`.
    ///
    /// - Parameters:
    ///   - withdrawing: Whether requests are not to be sent any more because of it.
    ///   - body: The work.
    @discardableResult
    nonisolated func settleAsOne<Result: Sendable>(
        withdrawing: Bool, _ body: @Sendable (StanzaWork) async throws -> Result
    ) async throws -> Result {
        try await database.collect { database in
            let work = StanzaWork(database, in: workContext)
            return (try await body(work), work)
        } commit: { database, result in
            // A handler commits after the handlers before it.
            try await UncommittedBatch.commit?()
            let entry = BatchEntry(
                stanza: nil, effects: database, outgoing: result.1.takeStanzas(),
                isWithdrawn: withdrawing ? result.1.withdrawals.contain : nil)
            try await stream.commit(entry, in: storage)
            result.1.didCommit()
        }.0
    }

    /// Sends a request, and waits for the answer. The answer is lost if the process is. A request that waits to be sent
    /// is not sent when the time is over, or the task cancelled.
    ///
    /// - Throws: `StanzaError` if it was refused, `RequestError` if no answer came, `CancellationError`; what the
    ///   database throws.
    public nonisolated func request(_ iq: Element, timeout: Duration = requestTimeout) async throws -> Element {
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
            // Nobody waits any more: what waits to be sent is not sent.
            if let sending = tasks.withLock({ $0 })?.sending {
                sending.cancel()
                if let sent = await sending.value { await withdraw(sent) }
            }
            throw error
        }
    }

    /// Takes back what nobody waits for any more. What cannot be taken back now is when this process has the session
    /// again, before a stream begins; another process that has it first sends what waits.
    nonisolated func withdraw(_ sent: SentStanza) async {
        try? await stream.withdraw(sent)
        if sent.state == .queued { awaited.keep(sent) }
    }

    /// Takes back what could not be taken back before.
    func withdrawKept() async throws {
        for sent in awaited.allKept {
            try await stream.withdraw(sent)
            awaited.forget(sent)
        }
    }

    /// Sends what a task waits for.
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
