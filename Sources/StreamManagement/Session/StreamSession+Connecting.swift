// Repeats three steps: connect, run the stream, wait. ReconnectionPolicy.swift decides how long to wait; the connector
// connects.

import XMLTree

extension StreamSession {
    /// Connects, runs the stream, and connects again after a lost stream, until the session ends for this call.
    ///
    /// The call ends when the session is closed or suspended, or when the task is canceled. It also ends when another
    /// process or a later call takes the session over.
    ///
    /// The session tries ``location`` first (rule R13), then the ordinary place. The ordinary place is next also after
    /// a stream at ``location`` that ended before the server resumed the session or refused to. After a
    /// `see-other-host` on an encrypted stream, the session tries the named place first.
    ///
    /// - Parameters:
    ///   - connector: makes the connections.
    ///   - tag: the software's name for the resource's address, where the resource is bound with the authentication
    ///     (XEP-0386).
    ///   - policy: how long to wait between connections.
    /// - Returns: why it was the last stream: `closed`, `suspended`, `superseded`, `takenOver` or `storageFailed`.
    /// - Throws: a ``StreamConnectionError`` that is final, such as a ``ReceivedStreamError``; `CancellationError`;
    ///   `StreamManagementError.ended` if the session was closed before; the connector's error if it serves another
    ///   account; and the storage's errors. A ``TemporaryStorageError`` only fails an attempt (D51), as
    ///   ``SessionEvent/notConnected(_:)`` reports. So does another error of a storage that cannot name the session's
    ///   owner, but the tenth such attempt in a row is the last.
    public func run(
        connecting connector: some StreamConnector, tag: String? = nil,
        policy: ReconnectionPolicy = ReconnectionPolicy()
    ) async throws -> StreamEnd {
        if isClosed { throw StreamManagementError.ended }
        try connector.check(account: account)
        // An earlier call makes no more connections.
        stopConnecting(because: .superseded)
        connectingCount += 1
        let loop = ConnectingLoop(id: connectingCount, tag: tag, policy: policy)
        connecting = loop
        defer { if connecting === loop { connecting = nil } }
        while true {
            try Task.checkCancellation()
            if let end = loop.end { return end }
            loop.begin(at: clock.now.uptime)
            // After a stream that redirects, the next one begins at once. A failed attempt always waits.
            var waits = true
            do {
                try checkOwner()
                // Without room for them, no stream could begin.
                try flush()
                if let connected = try await connect(connector, loop) {
                    if let end = try await runStream(on: connected, loop) { return end }
                    waits = loop.redirection == nil
                }
                loop.uncheckedAttempts = 0
            } catch  where loop.end != nil {
                // The session has ended for this call, and the loop knows why.
            } catch  where error.isTemporaryStorageError {
                loop.uncheckedAttempts = 0
                logger.warning("the session cannot be stored for now", metadata: ["error": "\(Self.loggable(error))"])
                report(.notConnected(ConnectionFailure(error: error)))
            } catch  where loop.ownerIsUnknown {
                loop.uncheckedAttempts += 1
                if loop.uncheckedAttempts == ConnectingLoop.maximumUncheckedAttempts { throw error }
                logger.warning("the owner of the session is not known", metadata: ["error": "\(Self.loggable(error))"])
                report(.notConnected(ConnectionFailure(error: error)))
            } catch  where error.isOfAnotherOwner {
                return .takenOver
            }
            if loop.end == nil, waits { try await pause(loop) }
        }
    }

    /// Connects now instead of at the end of a wait: call this when the network is back.
    ///
    /// A running attempt or stream continues, and so does the call of
    /// ``run(connecting:tag:policy:)``. Attempts stay at least ``ReconnectionPolicy/shortest`` apart, however often you
    /// call this. An attempt that fails counts like any other for the next wait.
    public func reconnectNow() { connecting?.hurry(at: clock.now.uptime) }

    /// Ends the loop of connections: at once while it waits or connects, otherwise with its stream.
    func stopConnecting(because end: StreamEnd) {
        connecting?.stop(because: end)
        connecting = nil
    }

    // MARK: Connecting

    /// Connects to the preferred place, or else to the ordinary one. Returns `nil` if this attempt failed.
    private func connect(_ connector: some StreamConnector, _ loop: ConnectingLoop) async throws -> ConnectedStream? {
        let preferred = loop.redirection ?? (loop.avoidsLocation ? nil : location)
        loop.redirection = nil
        loop.avoidsLocation = false
        if let preferred {
            do {
                return try await attempt(connector, at: preferred, loop)
            } catch {
                endInlineResumption(loop)
                reportFailure(error, at: preferred, loop)
            }
        }
        do {
            // The preferred place may have failed because the session or the task has ended.
            if let failure = loop.inlineFailure { throw failure }
            try Task.checkCancellation()
            return loop.end == nil ? try await attempt(connector, at: nil, loop) : nil
        } catch {
            endInlineResumption(loop)
            if loop.end != nil { return nil }
            if let failure = loop.inlineFailure { throw failure }
            try Task.checkCancellation()
            reportFailure(error, at: nil, loop)
            if error.isFinal { throw error }
            return nil
        }
    }

    /// Ends a resumption inside an authentication that failed. The session can be resumed again.
    private func endInlineResumption(_ loop: ConnectingLoop) {
        if loop.end == nil, stream == nil { try? handle(.transportLost) }
    }

    /// Reports a failed attempt, unless the session, its storage or the task ended it.
    private func reportFailure(_ error: any Error, at place: ServerLocation?, _ loop: ConnectingLoop) {
        if loop.end != nil || loop.inlineFailure != nil || Task.isCancelled { return }
        let isFinal = place == nil && error.isFinal
        logger.debug("no connection", metadata: ["error": "\(Self.loggable(error))", "final": "\(isFinal)"])
        report(.notConnected(ConnectionFailure(error: error, place: place, isFinal: isFinal)))
    }

    private func attempt(
        _ connector: some StreamConnector, at place: ServerLocation?, _ loop: ConnectingLoop
    ) async throws -> ConnectedStream {
        let id = loop.id
        loop.isElsewhere = place != nil
        let connected = try await loop.run(grace: closingGrace, discard: { await $0.transport.abort() }) {
            try await connector.connect(to: place) { features in try await self.inlineElements(features, loop: id) }
        }
        if loop.end == nil, !Task.isCancelled { return connected }
        // The connection came after the loop's end.
        await connected.transport.abort()
        throw CancellationError()
    }

    private func inlineElements(_ features: StreamFeatures, loop id: UInt64) async throws -> [Element] {
        // A connection attempt that still runs must not continue a suspended session.
        guard let loop = connecting, loop.id == id else { throw CancellationError() }
        do {
            return try await inlineElements(features: features, tag: loop.tag)
        } catch {
            loop.inlineFailure = error
            throw error
        }
    }

    // MARK: Running

    /// Runs the stream. Returns why the loop is over; `nil` if it continues.
    private func runStream(on connected: ConnectedStream, _ loop: ConnectingLoop) async throws -> StreamEnd? {
        let start = clock.now.uptime
        let probing = probing(every: loop.policy.probeInterval)
        defer { probing?.cancel() }
        let end: StreamEnd
        do {
            end = try await run(on: connected.transport, features: connected.features, inline: connected.inline)
        } catch {
            await connected.transport.abort()
            if let end = loop.end { return end }
            throw error
        }
        loop.streamLived(clock.now.uptime - start)
        // That place has not answered the resumption, and might never answer.
        loop.avoidsLocation = loop.isElsewhere && lastResumption == nil
        switch end {
        case .closed, .superseded, .suspended, .takenOver, .storageFailed: return end
        case .lost(let error): try checkTrying(after: error, loop)
        case .abandoned(.streamError(let element)):
            guard let error = ReceivedStreamError(element) else { break }
            if !error.isOfAddress { try checkTrying(after: error, loop) }
            if connected.isEncrypted { loop.redirect(to: error.otherHost) }
        case .abandoned, .closedByPeer, .violation: break
        }
        return nil
    }

    /// Throws a final error. An error from another place than the ordinary one is not final.
    private func checkTrying(after error: any Error, _ loop: ConnectingLoop) throws {
        if error.isFinal, !loop.isElsewhere { throw error }
    }

    /// Limits the wait for a canceled connector: one that ignores its cancellation delays the caller no longer.
    private var closingGrace: @Sendable () async throws -> Void {
        { [weak self, clock] in
            guard let time = await self?.configuration.closingTimeout else { return }
            // This limit applies even if the app turned the timeout off: no stanza is written here that could be lost.
            let limit = time > .zero ? time : StreamManagementConfiguration.usualClosingTimeout
            try await clock.sleep(until: clock.now.uptime + limit)
        }
    }

    private func pause(_ loop: ConnectingLoop) async throws {
        let clock = clock
        let delay = loop.beginPause(at: clock.now.uptime)
        logger.debug("connecting again", metadata: ["in": "\(delay)"])
        defer { loop.endPause() }
        // Others may use the session even if the policy has no wait.
        await Task.yield()
        while loop.end == nil, let end = loop.pauseEnd, clock.now.uptime < end {
            do {
                try await loop.run(grace: closingGrace, discard: { _ in }) { try await clock.sleep(until: end) }
            } catch {
                // The end of the loop and `hurry` both cancel the sleep.
                try Task.checkCancellation()
                if loop.end == nil, loop.pauseEnd == end { throw error }
            }
        }
    }
}

extension Error {
    /// Whether another attempt would fail the same way.
    fileprivate var isFinal: Bool { (self as? any StreamConnectionError)?.isFinal ?? false }
}
