// Repeats three steps: connect, run the stream, wait. ReconnectionPolicy.swift decides how long to wait; the connector
// connects.

import Logging
import SafeText
import XMLTree
import XMPPCore

/// A call of ``StreamSession/run(connecting:tag:policy:)``. Belongs to the session.
final class ConnectingLoop {
    let id: UInt64
    private let tag: String?
    private let connector: any StreamConnector
    private let policy: ReconnectionPolicy
    /// Prepares the session's user for the next stream: first when the previous stream is gone, and again when the next
    /// one is connected.
    private let prepare: @Sendable (StreamPreparation) async throws -> Void
    private let clock: any MachineClock
    private let logger: Logger
    /// The place to which the server has redirected the session.
    private var redirection: ServerLocation?
    /// The connection, or the attempt, is to a place that the server has named, not to the ordinary one.
    private(set) var isElsewhere = false
    /// The last stream failed at the server's location: the ordinary place is next (rule R13).
    private var avoidsLocation = false
    /// The session's own error while an authentication asked it for the inline elements.
    private var inlineFailure: (any Error)?
    /// When the last attempt began.
    private var lastAttempt: Duration = .zero
    /// The end of the current wait; `nil` if the loop does not wait.
    private var pauseEnd: Duration?
    /// Why the loop is over; `nil` if it continues.
    private var end: StreamEnd?
    private var redirectionCount = 0
    private var failures = 0
    /// The refused logins since the last successful one; `nil` before the first successful one.
    private var refusedLogins: Int?
    private var cancelCurrent: (() -> Void)?
    /// The attempt that may replace the running stream after a change of the network.
    private var replacement: Replacement?
    private var replacementCount: UInt64 = 0
    /// The network has changed during the attempt, which may hang: another one follows.
    private var restarts = false

    init(
        id: UInt64, connector: any StreamConnector, tag: String?, policy: ReconnectionPolicy, clock: any MachineClock,
        logger: Logger, prepare: @escaping @Sendable (StreamPreparation) async throws -> Void
    ) {
        self.id = id
        self.connector = connector
        self.tag = tag
        self.policy = policy
        self.prepare = prepare
        self.clock = clock
        self.logger = logger
    }

    /// Connects and runs streams until the loop is over, and returns why.
    func run(for session: isolated StreamSession) async throws -> StreamEnd {
        defer { replacement?.discard() }
        while true {
            try Task.checkCancellation()
            if let end { return end }
            if replacement == nil { lastAttempt = clock.uptime }
            inlineFailure = nil
            restarts = false
            // After a stream that redirects, the next one begins at once. A failed attempt always waits.
            var waits = true
            do {
                // Another owner ends the loop, and without room for its changes, no stream could begin.
                try await session.record.flush(always: true, for: session)
                if let end { return end }
                if let connected = try await connect(for: session) {
                    if let end = try await runStream(on: connected, for: session) { return end }
                    waits = redirection == nil && replacement == nil
                }
            } catch  where end != nil {
                // The session has ended for this call, and the loop knows why.
            } catch  where error.isTemporaryStorageError {
                logger.warning("the session cannot be stored for now", metadata: ["error": "\(error.loggable)"])
                session.send(.notConnected(ConnectionFailure(error: error)))
            } catch  where error.isOfAnotherOwner {
                return .takenOver
            }
            if end == nil, waits { try await pause(for: session) }
        }
    }

    /// Ends the loop: at once while it waits or connects, otherwise with its stream. The first reason counts.
    func stop(because reason: StreamEnd) {
        if end == nil { end = reason }
        cancelCurrent?()
        replacement?.discard()
        replacement = nil
    }

    // MARK: Changes of the network

    /// The time from which the next attempt may begin.
    private var earliest: Duration { max(clock.uptime, lastAttempt + policy.shortest) }

    /// Ends a wait, begins a running attempt again, or has a running stream prove that it is alive, with an attempt
    /// beside it. Attempts stay at least ``ReconnectionPolicy/shortest`` apart.
    func networkChanged(for session: isolated StreamSession) {
        if let pauseEnd {
            guard earliest < pauseEnd else { return }
            self.pauseEnd = earliest
            cancelCurrent?()
        } else if let cancelCurrent {
            restarts = true
            cancelCurrent()
        } else if session.hasStream {
            session.askForSignOfLife(within: policy.signOfLifeTimeout)
            beginReplacement(for: session)
        }
    }

    /// The running stream is alive: nothing replaces it.
    func streamIsAlive() {
        replacement?.discard()
        replacement = nil
    }

    private func beginReplacement(for session: isolated StreamSession) {
        // The attempt before has only begun, or the stream has just ended in its favor.
        if let replacement, replacement.isCurrent || earliest > clock.uptime { return }
        replacement?.discard()
        let (begin, place) = (earliest, session.location)
        lastAttempt = begin
        replacementCount += 1
        let number = replacementCount
        replacement = Replacement(number: number, place: place) { [session, id, clock, connector, prepare] in
            do {
                try await clock.sleep(until: begin)
                let connected = try await connector.connect(to: place) { features in
                    try await session.replaceStream(by: number, loop: id)
                    return try await session.inlineElements(features, loop: id)
                }
                return try await discarding(connected) {
                    try await session.replaceStream(by: number, loop: id)
                    try await prepare(.isConnected)
                }
            } catch {
                await session.replacementFailed(number, loop: id)
                throw error
            }
        }
    }

    /// Ends the running stream, if it still runs, in favor of the attempt with this number.
    func replaceStream(by number: UInt64, for session: isolated StreamSession) async throws {
        guard replacement?.number == number else { throw CancellationError() }
        if replacement?.isCurrent == true { return }
        replacement?.isCurrent = true
        session.abandonAndReport(.lost(ReplacedConnection()))
        await session.supersede()
        try await prepare(.isGone)
    }

    /// Forgets a replacement that has failed, unless the stream has ended: then the loop waits for it.
    func replacementFailed(_ number: UInt64) {
        if replacement?.number == number, replacement?.isCurrent == false { replacement = nil }
    }

    // MARK: Connecting

    /// Connects to the preferred place, or else to the ordinary one. Returns `nil` if this attempt failed.
    ///
    /// A replacement that has begun continues as the first attempt.
    private func connect(for session: isolated StreamSession) async throws -> ConnectedStream? {
        var replacement = replacement
        let preferred = replacement.map(\.place) ?? redirection ?? (avoidsLocation ? nil : session.location)
        redirection = nil
        avoidsLocation = false
        if let preferred {
            do {
                return try await attempt(at: preferred, continuing: replacement, for: session)
            } catch {
                attemptFailed(error, at: preferred, for: session)
                replacement = nil
            }
        }
        do {
            // The preferred place may have failed because the session or the task has ended.
            if let inlineFailure { throw inlineFailure }
            try Task.checkCancellation()
            if end != nil || restarts { return nil }
            return try await attempt(at: nil, continuing: replacement, for: session)
        } catch {
            let isFinal = isFinal(error)
            attemptFailed(error, at: nil, isFinal: isFinal, for: session)
            if end != nil || restarts { return nil }
            if let inlineFailure { throw inlineFailure }
            try Task.checkCancellation()
            if isFinal { throw error }
            return nil
        }
    }

    /// Ends a resumption inside the authentication: the session can be resumed again. Reports the failed attempt,
    /// unless the session, its storage or the task ended it.
    private func attemptFailed(
        _ error: any Error, at place: ServerLocation?, isFinal: Bool = false, for session: isolated StreamSession
    ) {
        let isOfAttempt = end == nil && !restarts && inlineFailure == nil && !Task.isCancelled
        if end == nil {
            session.inlineResumptionFailed(
                isOfServer: isOfAttempt && error is any StreamConnectionError && !error.isFinal)
        }
        if !isOfAttempt { return }
        logger.debug("no connection", metadata: ["error": "\(error.loggable)", "final": "\(isFinal)"])
        session.report(.notConnected(ConnectionFailure(error: error, place: place, isFinal: isFinal)))
    }

    /// Whether an error at the ordinary place ends the run. Counts a refused login.
    private func isFinal(_ error: any Error) -> Bool {
        guard error.isFinal else { return false }
        guard error.isRefusedLogin, let refused = refusedLogins, refused < policy.maximumRefusedLogins else {
            return true
        }
        refusedLogins = refused + 1
        return false
    }

    private func attempt(
        at place: ServerLocation?, continuing replacement: Replacement?, for session: isolated StreamSession
    ) async throws -> ConnectedStream {
        isElsewhere = place != nil
        defer { if let replacement, self.replacement?.number == replacement.number { self.replacement = nil } }
        let connected = try await untilStopped(for: session, discard: { await $0.transport.abort() }) {
            [session, id, connector, prepare] in
            if let replacement { return try await replacement.connected() }
            try await prepare(.isGone)
            let connected = try await connector.connect(to: place) { features in
                try await session.inlineElements(features, loop: id)
            }
            return try await discarding(connected) { try await prepare(.isConnected) }
        }
        refusedLogins = 0
        if end == nil, !restarts, !Task.isCancelled { return connected }
        // The connection came after the loop's end, or after a change of the network.
        await connected.transport.abort()
        throw CancellationError()
    }

    /// The elements of an authentication. Their failure fails the attempt.
    func inlineElements(_ features: StreamFeatures, for session: isolated StreamSession) async throws -> [Element] {
        do {
            return try await session.inlineElements(features: features, tag: tag)
        } catch {
            inlineFailure = error
            throw error
        }
    }

    // MARK: Running

    /// Runs the stream. Returns why the loop is over; `nil` if it continues.
    private func runStream(
        on connected: ConnectedStream, for session: isolated StreamSession
    ) async throws -> StreamEnd? {
        let start = clock.uptime
        let end: StreamEnd
        do {
            end = try await session.run(
                on: connected.transport, features: connected.features, inline: connected.inline,
                probingEvery: policy.probeInterval)
        } catch {
            await connected.transport.abort()
            if let end = self.end { return end }
            throw error
        }
        if clock.uptime - start >= policy.stableTime {
            failures = 0
            redirectionCount = 0
        }
        // That place has not answered the resumption, and might never answer.
        avoidsLocation = isElsewhere && session.lastResumption == nil
        switch end {
        case .superseded: return self.end ?? end
        case .closed, .suspended, .takenOver, .storageFailed: return end
        case .lost(let error):
            // A new owner of the session ends this connection by a conflict (rule R35).
            if error.isFinal {
                do {
                    try await session.record.flush(always: true, for: session)
                } catch  where error.isTemporaryStorageError {
                    // The error of the connection counts.
                }
            }
            try checkTrying(after: error)
        case .abandoned(.streamError(let element)):
            guard let error = ReceivedStreamError(element) else { break }
            if !error.isOfAddress { try checkTrying(after: error) }
            if connected.isEncrypted { redirect(to: error.otherHost) }
        case .abandoned, .closedByPeer, .violation: break
        }
        return nil
    }

    /// Throws a final error. An error from another place than the ordinary one is not final.
    private func checkTrying(after error: any Error) throws {
        if error.isFinal, !isElsewhere { throw error }
    }

    /// Notes a server's redirection, up to the policy's maximum in a row.
    private func redirect(to other: ServerLocation?) {
        guard let other, redirectionCount < policy.maximumRedirections else { return }
        redirectionCount += 1
        redirection = other
        // An attempt beside the stream goes to the place that the server does not want any more.
        replacement?.discard()
        replacement = nil
    }

    // MARK: Waiting

    private func pause(for session: isolated StreamSession) async throws {
        let delay: Duration
        if restarts {
            delay = earliest - clock.uptime
        } else {
            delay = policy.delay(afterFailures: failures, random: Double.random(in: 0...1))
            failures += 1
        }
        pauseEnd = clock.uptime + delay
        defer { pauseEnd = nil }
        logger.debug("connecting again", metadata: ["in": "\(delay)"])
        // Others may use the session even if the policy has no wait.
        await Task.yield()
        while end == nil, let pauseEnd, clock.uptime < pauseEnd {
            do {
                try await untilStopped(for: session, discard: { _ in }) { [clock] in
                    try await clock.sleep(until: pauseEnd)
                }
            } catch {
                // The end of the loop and `hurry` both cancel the sleep.
                try Task.checkCancellation()
                if end == nil, self.pauseEnd == pauseEnd { throw error }
            }
        }
    }

    /// Runs `body` until the loop is stopped or the task is canceled. A canceled `body` that ignores its cancellation
    /// delays the caller only for a limited time; `discard` takes a result that comes after that.
    private func untilStopped<Value: Sendable>(
        for session: isolated StreamSession, discard: @escaping @Sendable (Value) async -> Void,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        let task = Task {
            do {
                let value = try await body()
                if !race.end(.success(value)) { await discard(value) }
            } catch {
                race.end(.failure(error))
            }
        }
        let cancel: @Sendable () -> Void = { [weak session, clock] in
            task.cancel()
            race.giveUp { [weak session] in
                guard let time = await session?.configuration.closingTimeout else { return }
                // This limit applies even if the app turned the timeout off: no stanza is written here that could be
                // lost.
                let limit = time > .zero ? time : StreamManagementConfiguration.usualClosingTimeout
                try await clock.sleep(until: clock.uptime + limit)
            }
        }
        cancelCurrent = cancel
        defer { cancelCurrent = nil }
        return try await withTaskCancellationHandler {
            try await race.value()
        } onCancel: {
            cancel()
        }
    }
}

extension Error {
    /// Whether another attempt would fail the same way.
    fileprivate var isFinal: Bool { (self as? any StreamConnectionError)?.isFinal ?? false }

    fileprivate var isRefusedLogin: Bool { (self as? any StreamConnectionError)?.isRefusedLogin ?? false }
}
