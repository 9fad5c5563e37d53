// One connection after another: connecting, running the stream, waiting, and that again. How long to wait is
// ReconnectionPolicy.swift's; how to connect the connector's.

import XMLTree

extension StreamSession {
    /// Connects, runs the stream, and connects again when it was lost, until the session is closed or suspended,
    /// another process or a later call takes it over, or the task is cancelled.
    ///
    /// ``location`` is tried first (rule R13), then the ordinary place: also after a stream that ended there before the
    /// session was resumed, or refused. After a `see-other-host` on an encrypted stream,
    /// the place that it names is tried first.
    ///
    /// - Parameters:
    ///   - connector: makes the connections.
    ///   - tag: what the resource's address shall tell of the software, where it is bound with the authentication
    ///     (XEP-0386).
    ///   - policy: how long to wait between connections.
    /// - Returns: why it was the last stream: `closed`, `suspended`, `superseded`, `takenOver` or `storageFailed`.
    /// - Throws: a ``StreamConnectionError`` that is final, a ``ReceivedStreamError`` for instance,
    ///   `CancellationError`, `StreamManagementError.ended` if the session was closed before, what the connector throws
    ///   if it is for another account than the session, and what the storage throws. If that cannot say whose the
    ///   session is, the attempt has failed, and only the tenth such attempt in a row is the last.
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
            do {
                try checkOwner()
                if let connected = try await connect(connector, loop) {
                    if let end = try await runStream(on: connected, loop) { return end }
                }
                loop.uncheckedAttempts = 0
            } catch  where loop.end == nil && loop.ownerIsUnknown {
                loop.uncheckedAttempts += 1
                if loop.uncheckedAttempts == ConnectingLoop.maximumUncheckedAttempts { throw error }
                logger.warning("the owner of the session is not known", metadata: ["error": "\(error)"])
            } catch  where error.isOfAnotherOwner {
                return .takenOver
            }
            if loop.end == nil, loop.redirection == nil { try await pause(loop) }
        }
    }

    /// Connects now instead of at the end of a wait: call this when the network is back.
    ///
    /// An attempt or a stream that is under way continues, and so does the call of
    /// ``run(connecting:tag:policy:)``. Attempts stay at least ``ReconnectionPolicy/shortest`` apart, however often you
    /// call this. An attempt that fails counts like any other for the next wait.
    public func reconnectNow() { connecting?.hurry(at: clock.now.uptime) }

    /// Ends the loop that makes connections: at once while it waits or connects, otherwise with its stream.
    func stopConnecting(because end: StreamEnd) {
        connecting?.stop(because: end)
        connecting = nil
    }

    // MARK: Connecting

    /// A connection, to the preferred place or to the ordinary one; `nil` if there is none now.
    private func connect(_ connector: some StreamConnector, _ loop: ConnectingLoop) async throws -> ConnectedStream? {
        let preferred = loop.redirection ?? (loop.avoidsLocation ? nil : location)
        loop.redirection = nil
        loop.avoidsLocation = false
        if let preferred {
            do {
                return try await attempt(connector, at: preferred, loop)
            } catch {
                endInlineResumption(loop)
                tellOfFailure(error, at: preferred, loop)
            }
        }
        do {
            // The first place may have failed because there is no more to do.
            if let failure = loop.inlineFailure { throw failure }
            try Task.checkCancellation()
            return loop.end == nil ? try await attempt(connector, at: nil, loop) : nil
        } catch {
            endInlineResumption(loop)
            if loop.end != nil { return nil }
            if let failure = loop.inlineFailure { throw failure }
            try Task.checkCancellation()
            tellOfFailure(error, at: nil, loop)
            if error.isFinal { throw error }
            return nil
        }
    }

    /// A resumption that was part of an authentication which came to nothing is over: the session can be resumed again.
    private func endInlineResumption(_ loop: ConnectingLoop) {
        if loop.end == nil, stream == nil { try? handle(.transportLost) }
    }

    /// Tells that there is no connection, unless that was the session's own doing.
    private func tellOfFailure(_ error: any Error, at place: ServerLocation?, _ loop: ConnectingLoop) {
        if loop.end != nil || loop.inlineFailure != nil || Task.isCancelled { return }
        let isFinal = place == nil && error.isFinal
        logger.debug("no connection", metadata: ["error": "\(error)", "final": "\(isFinal)"])
        tell(.notConnected(ConnectionFailure(error: error, place: place, isFinal: isFinal)))
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
        // It came too late.
        await connected.transport.abort()
        throw CancellationError()
    }

    private func inlineElements(_ features: StreamFeatures, loop id: UInt64) async throws -> [Element] {
        // A session that was laid aside is not taken up again by a connection that was under way.
        guard let loop = connecting, loop.id == id else { throw CancellationError() }
        do {
            return try await inlineElements(features: features, tag: loop.tag)
        } catch {
            loop.inlineFailure = error
            throw error
        }
    }

    // MARK: Running

    /// Runs the stream; why the loop is over, `nil` if it is not.
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
        // Whatever answers there has said nothing to the session's resumption, and might go on so.
        loop.avoidsLocation = loop.isElsewhere && lastResumption == nil
        switch end {
        case .closed, .superseded, .suspended, .takenOver, .storageFailed: return end
        case .lost(let error): try checkTrying(after: error, loop)
        case .abandoned(.streamError(let element)):
            guard let error = ReceivedStreamError(element) else { break }
            try checkTrying(after: error, loop)
            if connected.isEncrypted { loop.redirect(to: error.otherHost) }
        case .abandoned, .closedByPeer, .violation: break
        }
        return nil
    }

    /// Throws an error that would only come again. What another place says than the ordinary one does not count for
    /// that.
    private func checkTrying(after error: any Error, _ loop: ConnectingLoop) throws {
        if error.isFinal, !loop.isElsewhere { throw error }
    }

    /// How long what was cancelled is waited for: a connector that does not hear of it holds nobody up for longer.
    private var closingGrace: @Sendable () async throws -> Void {
        { [weak self, clock] in
            guard let time = await self?.configuration.closingTimeout else { return }
            // Whoever has turned that off has a limit here all the same: nothing is written that would be lost.
            let limit = time > .zero ? time : StreamManagementConfiguration.usualClosingTimeout
            try await clock.sleep(until: clock.now.uptime + limit)
        }
    }

    private func pause(_ loop: ConnectingLoop) async throws {
        let clock = clock
        let delay = loop.beginPause(at: clock.now.uptime)
        logger.debug("connecting again", metadata: ["in": "\(delay)"])
        defer { loop.endPause() }
        while loop.end == nil, let end = loop.pauseEnd, clock.now.uptime < end {
            do {
                try await loop.run(grace: closingGrace, discard: { _ in }) { try await clock.sleep(until: end) }
            } catch {
                // The end of the loop cuts its sleep short, and so does a hurry.
                try Task.checkCancellation()
                if loop.end == nil, loop.pauseEnd == end { throw error }
            }
        }
    }
}

extension Error {
    /// Whether trying again makes no sense.
    fileprivate var isFinal: Bool { (self as? any StreamConnectionError)?.isFinal ?? false }
}
