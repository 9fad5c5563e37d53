// Running, suspending and closing the session. `DurableSession` documents the functions.

import Persistence
import SessionCore
import StreamManagement
import XMLTree

extension SessionActor {
    func run(
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

    /// See `DurableSession.suspend(deadline:freezing:)`.
    func suspend(deadline: Duration = .seconds(5), freezing: Bool = true) async throws {
        try await suspend(deadline: deadline, storingTime: DurableSession.storingTime, freezing: freezing)
    }

    func suspend(deadline: Duration, storingTime: Duration, freezing: Bool = true) async throws {
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

    /// See `DurableSession.close(waiting:)`.
    func close(waiting: Duration = .zero) async {
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
    let session: SessionActor

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
