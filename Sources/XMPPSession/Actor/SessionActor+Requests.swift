// Sending and asking. `DurableSession` documents the functions.

import Handlers
import Persistence
import Promises
import SessionCore
import StreamManagement
import Synchronization
import XMLTree

extension SessionActor {
    /// Whether the session stores and sends nothing until its next run, or is being closed.
    var isSuspended: Bool {
        if case .closing = phase { return true }
        return phase.isSuspended
    }

    // MARK: Transactions

    @discardableResult
    nonisolated func together<Result: Sendable>(
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

    nonisolated func promise<Value: Codable & Sendable>(
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

    @discardableResult
    nonisolated func request(
        _ iq: Element, handler: Handler, timeout: Duration? = DurableSession.requestTimeout
    ) async throws -> String {
        try await together { work in try await work.request(iq, handler: handler, kind: .iq, timeout: timeout) }
    }

    nonisolated var pubsub: PubSub {
        PubSub { [self] iq, handler, kind, timeout in
            try await together { work in
                try await work.request(iq, handler: handler, kind: kind, timeout: timeout)
            }
        }
    }

    // MARK: Sending

    @discardableResult
    nonisolated func send(_ stanza: Element) async throws -> SentStanza {
        try await unlessSuspended {
            try stanza.checkIsStanza()
            try stanza.checkCanBeStored()
            return try await stream.send(checked: stanza)
        }
    }

    nonisolated func report(to body: (@Sendable (StanzaReport) -> Void)?) { observer.setReporter(body) }

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

    nonisolated func request(
        _ iq: Element, timeout: Duration = DurableSession.requestTimeout
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
