// Running, suspending and closing the session.

import Persistence
import SessionCore
public import StreamManagement
import XMLTree

extension DurableSession {
    /// Connects, handles stanzas, and connects again until the session ends.
    ///
    /// The run ends when the session is closed, suspended or taken over, when the database is broken, when the task is
    /// canceled, or when connecting fails for good.
    ///
    /// Handlers run one after the other, in the order of the stanzas. A handler may wait for `request(_:timeout:)`,
    /// whose answer does not wait for its turn. After `suspend`, the former run ends first. No run waits for a handler
    /// that ignores its cancellation: the session drops its changes.
    ///
    /// Each run also ends the requests that an earlier program has deferred, and offers held stanzas again, each in a
    /// transaction of its own beside the stanzas that arrive. One that fails waits for the next run.
    ///
    /// The session reads `maximumHandlingAttempts` and `maximumHandlingTime` when a run begins.
    ///
    /// - Parameters:
    ///   - connector: Makes connections. XMPPTransport has one.
    ///   - tag: The name of the software in the resource of the address, if the resource is bound during
    ///     authentication.
    ///   - policy: How long to wait before connecting again.
    ///   - takingOver: Whether to take the session from another process that has it by now.
    /// - Returns: The reason why the run ended.
    /// - Throws: The errors of `StreamSession.run(connecting:tag:policy:)`, such as a final `StreamConnectionError`;
    ///   `StorageError.inUse` if another process has the session and `takingOver` is `false`; `StorageError.takenOver`;
    ///   a `StanzaDatabaseError`; ``RouteError/otherwiseIsMissing``; `RequestError.running` if the session already
    ///   runs; `StreamManagementError.ended` if the session was closed; `CancellationError`.
    public func run(
        connecting connector: some StreamConnector, tag: String? = nil,
        policy: ReconnectionPolicy = ReconnectionPolicy(), takingOver: Bool = false
    ) async throws -> StreamEnd {
        if otherwise == nil { throw RouteError.otherwiseIsMissing }
        let call: Core.Call = makeNumber()
        let run = SessionRun(takingOver: takingOver) { [stream] in
            try await stream.run(connecting: connector, tag: tag, policy: policy) { preparation in
                switch preparation {
                case .isGone: try await self.streamIsGone(in: call)
                case .isConnected: try await self.streamIsConnected(in: call)
                }
            }
        }
        update { $0.runs[call] = run }
        let answer = await withTaskCancellationHandler {
            await self.answer(to: call, .run(call))
        } onCancel: {
            Task { await self.cancelRun(call) }
        }
        guard let run = update({ $0.runs.removeValue(forKey: call) }) else { return .closed }
        let end = await run.task?.result
        switch answer {
        case .alreadyRunning: throw RequestError.running
        case .notClaimed: throw run.error ?? CancellationError()
        case .failed(.notOwner), .failed(.staleStanza):
            // The stream may have ended before, for a reason of its own.
            guard case .success(let end)? = end else { return .takenOver }
            if case .suspended = end { return .takenOver }
            return end
        case .failed(.busy), .failed(.broken):
            return .storageFailed(update(\.databaseError) ?? StanzaDatabaseError.busy)
        case .closed:
            guard let end else {
                if run.wasClaimed { return .closed }
                throw StreamManagementError.ended
            }
            return try end.get()
        case .suspended, .streamEnded: return try end?.get() ?? .suspended
        }
    }

    /// Suspends the session, so that another process or a later run of this one can continue it.
    ///
    /// The session sends the handled count to the server, stores everything, and cuts the connection without closing
    /// the stream. Then it freezes the database, so that the process holds no lock.
    ///
    /// A running handler or invalidation may finish within the grace period. Then the session cancels it, and offers
    /// its stanza again or repeats the invalidation later. All the rest takes at most ``storingTime`` more, even if the
    /// connection is blocked or another process holds the database. Until the next run, the session refuses
    /// stanzas and requests (`RequestError.suspended`).
    ///
    /// `run(connecting:tag:policy:takingOver:)` continues the session. A session that is being closed is closed within
    /// that time instead, and waits for acknowledgements for the grace period at most. A later call of
    /// `close(waiting:)`, or the next process, does the work that could not be stored by then. If a handler calls this
    /// while the session is being closed, this returns before the session is closed. The database is frozen afterwards.
    ///
    /// - Parameters:
    ///   - gracePeriod: The time that running handlers may take.
    ///   - freezing: Whether to freeze the database, too. Suspend other sessions on it first.
    /// - Throws: A `StanzaDatabaseError`, or `StorageError.takenOver`. The session is suspended nevertheless.
    public func suspend(gracePeriod: Duration = .seconds(5), freezing: Bool = true) async throws {
        try await suspend(gracePeriod: gracePeriod, storingTime: Self.storingTime, freezing: freezing)
    }

    /// The time that ``suspend(gracePeriod:freezing:)`` may take beyond its grace period: enough for slow disks and
    /// networks, and a small part of the time that systems give an app.
    public static let storingTime = Duration.seconds(5)

    /// Suspends the session as ``suspend(gracePeriod:freezing:)`` does, with another time for storing. A system may
    /// leave less time, and a slow disk or network may need more.
    ///
    /// - Parameters:
    ///   - gracePeriod: The time that running handlers may take.
    ///   - storingTime: The time that all the rest may take after the grace period.
    ///   - freezing: Whether to freeze the database, too.
    /// - Throws: A `StanzaDatabaseError`, or `StorageError.takenOver`. The session is suspended nevertheless.
    public func suspend(gracePeriod: Duration, storingTime: Duration, freezing: Bool = true) async throws {
        let now = now
        let storing = ContinuousClock.now + gracePeriod + storingTime
        update { $0.patience = .init(end: storing, isForAll: freezing || $0.patience?.isForAll == true) }
        database.limitWaiting(for: freezing ? nil : account, until: storing)
        let suspension = SuspensionRequest(end: now + gracePeriod + storingTime, freezes: freezing)
        if await suspend(by: now + gracePeriod, suspension) == .suspended {
            // A call of `close` may have come first.
            guard case .closing = phase else {
                if let error = update(\.suspensionError) { throw error }
                return
            }
            _ = await suspend(by: now + gracePeriod, suspension)
        }
        guard case .closing = phase else {
            await waitForConnection(until: suspension.end)
            if freezing { await freezeInTurn() }
            return
        }
        // A handler does not wait for the closing.
        if freezing { update { $0.freezesWhenClosed = true } }
    }

    private func suspend(by deadline: Duration, _ suspension: SuspensionRequest) async -> Core.Answer {
        let call: Core.Call = makeNumber()
        // The error of an earlier suspension does not concern this one.
        if case .suspended = phase { update { $0.suspensionError = nil } }
        update { $0.suspensions[call] = suspension }
        let answer = await answer(
            to: call, .suspend(call, deadline: deadline, end: suspension.end, isWithin: HandlingScope.isWithin(self)))
        // The stream was suspended before.
        let isLate = update { $0.suspensions.removeValue(forKey: call) } != nil
        if isLate, suspension.freezes, answer == .suspended { await freezeInTurn() }
        return answer
    }

    /// Waits for the connection of a closed session, and cuts it at a time.
    private func waitForConnection(until end: Duration) async {
        guard let connection = update(\.connection) else { return }
        let cut = schedule(at: end) { await connection.transport.abort() }
        await connection.task.value
        cut.cancel()
    }

    /// Closes the session for good. Waiting requests are lost, and their handlers are invalidated.
    ///
    /// A running handler may finish, for some seconds. So may each invalidation; then the next one begins. The session
    /// does not wait longer for an invalidation, but stores its outcome when it returns. The session drops the stanzas
    /// that these invalidations send, and their requests throw `StreamManagementError.ended`.
    ///
    /// Waiting stanzas are not handled. The server gets no acknowledgement for them or for any later stanza, so it
    /// delivers them again.
    ///
    /// A handler may close the session itself. This then returns at once, also in tasks that the running handler has
    /// started. The session is closed when the handler has returned and its changes are stored. To wait for that, such
    /// as before you close the database, call this again elsewhere.
    ///
    /// Some work may be left, because ``suspend(gracePeriod:freezing:)`` left no time or the database failed. Call this
    /// again to do the rest. It does nothing if another process has had the session since.
    ///
    /// - Parameter waiting: The time to wait for the acknowledgement of sent stanzas before closing.
    public func close(waiting: Duration = .zero) async {
        let call: Core.Call = makeNumber()
        let isWithin = HandlingScope.isWithin(self)
        switch phase {
        case .closing, .closed: break
        case .suspending: update { $0.closingWait = waiting }
        // The limit of an earlier suspension has passed.
        case .idle, .claiming, .running, .suspended: update { ($0.closingWait, $0.patience) = (waiting, nil) }
        }
        _ = await answer(to: call, .close(call, isWithin: isWithin))
        if !isWithin { await waitForConnection(until: now + Self.connectionTime) }
    }

    /// A connection is cut after this time if its own timeouts do not cut it.
    private static let connectionTime = Duration.seconds(86_400)
}
