// Running, suspending and closing the session.

import Persistence
import SessionCore
public import StreamManagement
import XMLTree

extension DurableSession {
    /// Connects, handles what comes, and connects again, until the session is closed, suspended or taken over, the
    /// database cannot store it, the task is cancelled, or connecting fails for good.
    ///
    /// Handlers run one after the other, in the order of the stanzas. A handler may wait for `request(_:timeout:)`,
    /// which does not wait for its turn. After `suspend`, the former run ends first: a handler that ignores its
    /// cancellation holds up this one.
    ///
    /// - Parameters:
    ///   - connector: Makes connections, such as XMPPTransport's.
    ///   - tag: What the resource's address shall tell of the software, where it is bound with the authentication.
    ///   - policy: How long to wait before connecting again.
    ///   - takingOver: Whether to take the session from another process that has it by now.
    /// - Returns: Why it ended.
    /// - Throws: The error of a connection that failed for good; what the database throws; `RequestError.running` if it
    ///   runs already.
    public func run(
        connecting connector: some StreamConnector, tag: String? = nil,
        policy: ReconnectionPolicy = ReconnectionPolicy(), takingOver: Bool = false
    ) async throws -> StreamEnd {
        let call: Core.Call = makeNumber()
        let watched = WatchedConnector(connector: connector, session: self)
        let run = SessionRun(takingOver: takingOver) { [stream] in
            try await stream.run(connecting: watched, tag: tag, policy: policy)
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
        case .failed(.notOwner): return .takenOver
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

    /// Lays the session aside for another process, or for this one's next life: the server is told what was handled,
    /// everything is stored, the connection is cut without closing the stream, and the database is frozen, so that no
    /// lock is held.
    ///
    /// A handler that is at work may finish until the deadline, and so may an invalidation; then it is cancelled, and
    /// its stanza comes again, or the invalidation is made again. All the rest takes no longer than ``storingTime``
    /// after that: neither a connection that takes nothing nor another process that holds the database is waited for
    /// beyond. Until the session is run again, nothing can be asked.
    ///
    /// `run(connecting:tag:policy:takingOver:)` goes on with the session. One that is being closed is closed in that
    /// time instead of being laid aside: acknowledgements are not waited for beyond the deadline. What could not be
    /// stored by then is done when `close(waiting:)` is called again, or by the next process. A handler that suspends a
    /// session that is being closed is not told of the end; the database is frozen then.
    ///
    /// - Parameters:
    ///   - deadline: How long handlers may take.
    ///   - freezing: Whether the database is frozen, too. Other sessions on it have to be suspended before.
    /// - Throws: What the database throws; the session is laid aside all the same.
    public func suspend(deadline: Duration = .seconds(5), freezing: Bool = true) async throws {
        try await suspend(deadline: deadline, storingTime: Self.storingTime, freezing: freezing)
    }

    /// How long ``suspend(deadline:freezing:)`` may take beyond its deadline: enough for slow disks and slow networks,
    /// and little of what systems leave to an application.
    public static let storingTime = Duration.seconds(5)

    /// The same as ``suspend(deadline:freezing:)``, with another time for storing: for a system that leaves less, or a
    /// disk or a network that needs more.
    ///
    /// - Parameters:
    ///   - deadline: How long handlers may take.
    ///   - storingTime: How long all the rest may take after that.
    ///   - freezing: Whether the database is frozen, too.
    /// - Throws: What the database throws; the session is laid aside all the same.
    public func suspend(deadline: Duration, storingTime: Duration, freezing: Bool = true) async throws {
        let now = clock.now.uptime
        let storing = ContinuousClock.now + deadline + storingTime
        update { $0.patience = .init(end: storing, isForAll: freezing || $0.patience?.isForAll == true) }
        database.limitWaiting(for: freezing ? nil : account, until: storing)
        let wish = SuspensionWish(end: now + deadline + storingTime, freezes: freezing)
        if await suspend(by: now + deadline, wish) == .suspended {
            // A call of `close` may have come first.
            guard case .closing = phase else { return try checkSuspension() }
            _ = await suspend(by: now + deadline, wish)
        }
        guard case .closing = phase else { return try await waitForConnection(wish) }
        // A handler waits for no closing.
        if freezing { update { $0.freezesWhenClosed = true } }
    }

    private func checkSuspension() throws {
        if let error = update(\.suspensionError) { throw error }
    }

    private func suspend(by deadline: Duration, _ wish: SuspensionWish) async -> Core.Answer {
        let call: Core.Call = makeNumber()
        update { $0.wishes[call] = wish }
        let answer = await answer(
            to: call, .suspend(call, deadline: deadline, end: wish.end, isWithin: HandlingScope.isWithin(self)))
        // The stream was suspended before.
        let isLate = update { $0.wishes.removeValue(forKey: call) } != nil
        if isLate, wish.freezes, answer == .suspended {
            do {
                try await operations.run { [database] in try await database.freeze() }
            } catch {
                update { $0.suspensionError = error }
            }
        }
        return answer
    }

    /// Waits for the connection of a closed session until the end of the suspension.
    private func waitForConnection(_ wish: SuspensionWish) async throws {
        if let connection = update(\.connection) {
            let cut = Task { [clock] in
                try await clock.sleep(until: wish.end)
                await connection.transport.abort()
            }
            await connection.task.value
            cut.cancel()
        }
        if wish.freezes { try await operations.run { [database] in try await database.freeze() } }
    }

    /// Closes the session for good: requests that wait are lost, and their handlers invalidated.
    ///
    /// A handler that is at work may finish, for some seconds, and so may each invalidation; then the next one begins.
    /// What outlives that is not waited for, but its outcome is stored when it returns. What an invalidation sends then
    /// is dropped, and it cannot ask any more: that throws `StreamManagementError.ended`.
    ///
    /// Stanzas that wait for their handling are not handled. The server gets no acknowledgement for them or for any
    /// later stanza, so it delivers them again.
    ///
    /// A handler may close the session itself: then this returns at once, also in tasks that it has begun and while it
    /// is at work, and the session is closed when the handler has returned and what it wanted is stored. Call this
    /// again elsewhere to wait for that: before the database is closed, say.
    ///
    /// If not everything could be stored, because ``suspend(deadline:freezing:)`` left no time or the database failed,
    /// calling this again does the rest, unless another process has had the session since.
    ///
    /// - Parameter waiting: How long to wait before for what was sent to be acknowledged.
    public func close(waiting: Duration = .zero) async {
        let call: Core.Call = makeNumber()
        let isWithin = HandlingScope.isWithin(self)
        switch phase {
        case .closing, .closed: break
        case .idle, .claiming, .running, .suspending, .suspended:
            update { $0.closingWait = waiting }
        }
        _ = await answer(to: call, .close(call, isWithin: isWithin))
        if isWithin { return }
        guard let connection = update(\.connection) else { return }
        let cut = Task { [clock] in
            try await clock.sleep(until: clock.now.uptime + Self.connectionTime)
            await connection.transport.abort()
        }
        await connection.task.value
        cut.cancel()
    }

    /// A connection is cut after this time if its own timeouts do not cut it.
    private static let connectionTime = Duration.seconds(86_400)
}

/// Ends requests between two connections.
private struct WatchedConnector<Connector: StreamConnector>: StreamConnector {
    let connector: Connector
    let session: DurableSession

    func check(account: String) throws { try connector.check(account: account) }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await session.streamIsGone()
        let stream = try await connector.connect(to: location, inline: inline)
        do {
            try await session.streamIsConnected()
            return stream
        } catch {
            await stream.transport.abort()
            throw error
        }
    }
}
