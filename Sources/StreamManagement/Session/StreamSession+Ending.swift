// Ending a session for good, or laying it aside.

extension StreamSession {
    /// Closes the stream and the session: the server is told what was handled (rule R17), and nothing stays stored
    /// (D34), also of a session that was suspended, unless somebody else owns it now.
    ///
    /// A connection that takes nothing any more is cut after ``StreamManagementConfiguration/closingTimeout``. Calling
    /// this again waits for the same connection, and with no time to wait does not let the first call wait, either.
    ///
    /// - Parameter waiting: how long to wait before for what was sent to be acknowledged, or written where the server
    ///   acknowledges nothing.
    public func close(waiting: Duration = .zero) async {
        await closeSession(waiting: waiting)?.task.value
    }

    /// The same, but the connection is not waited for.
    ///
    /// - Returns: The connection, if there is one, which is being closed.
    package func closeSession(waiting: Duration) async -> ClosingTransport? {
        if isClosed { return closingTransport }
        waitsForClaim = false
        // Neither a storage that fails nor another owner can keep the stream from being closed.
        try? takeUp()
        if waiting > .zero, core.isSending { await drain(waiting) }
        if isClosed { return closingTransport }
        // Whoever has laid it aside meanwhile did not know that it ends.
        waitsForClaim = false
        try? takeUp()
        isClosed = true
        streamCount += 1
        stopConnecting(because: .closed)
        try? handle(.close)
        try? store?.flush()
        giveUpStore()
        for stanza in sent.values { stanza.update(.unknown, isFinal: true) }
        sent = [:]
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        wakeWaiters()
        return closingTransport
    }

    /// The connection of a session that is closed, until that is closed, too: whoever closes again waits for the same.
    private var closingTransport: ClosingTransport? {
        stream.map { stream in
            ClosingTransport(transport: stream.transport, task: Task { await closeTransport(of: stream) })
        }
    }

    /// Waits for acknowledgements, but not for ever.
    private func drain(_ time: Duration) async {
        try? handle(.requestAcknowledgement)
        let clock = clock
        let deadline = clock.now.uptime + time
        let alarm = Task { [weak self] in
            try? await clock.sleep(until: deadline)
            await self?.endDrain()
        }
        if !core.unacknowledged.isEmpty, core.isSending {
            await withCheckedContinuation { drainWaiters.add(drainWaiters.makeID(), $0) }
        }
        alarm.cancel()
    }

    /// Whoever closes the session has no more time to wait for acknowledgements.
    package func endDrain() { drainWaiters.resumeAll() }

    /// Lays the session aside for this or another process to take up: the server is told what was handled, everything
    /// is stored, the storage is given up, and the connection is cut without closing the stream.
    /// ``run(on:features:resuming:inline:)`` takes the session up again.
    ///
    /// What was received and not handled comes again then, and is not offered here before. ``SentStanza``s say nothing
    /// more until then. A connection that takes nothing any more is cut after
    /// ``StreamManagementConfiguration/closingTimeout``.
    ///
    /// - Throws: what the storage throws; the stream has ended then, too.
    public func suspend() async throws { try await suspend(untilClaimed: false) }

    /// The same; with `untilClaimed`, nothing takes the session up again but ``claim(takingOver:)``: what is given to
    /// be sent meanwhile is refused with `StorageError.takenOver`, as if another process had the session already. At
    /// `end` a connection that takes nothing is cut.
    package func suspend(untilClaimed: Bool, by end: Duration? = nil) async throws {
        if isClosed { return }
        if untilClaimed { waitsForClaim = true }
        // Who waits for room waits for nothing.
        defer { if untilClaimed { roomQueue.wakeAll() } }
        stopConnecting(because: .suspended)
        if store == nil {
            streamCount += 1
            return
        }
        restoreIfNeeded()
        if core.state == .enabled { try handle(.sendAcknowledgement) }
        if let stream { await finishWriting(stream, by: end) }
        if isClosed { return }
        // Who was about to begin another stream does not.
        streamCount += 1
        // Whatever the stream is by now.
        let stream = stream
        stream?.end(.suspended)
        self.stream = nil
        do {
            try layAside()
        } catch {
            giveUpStore()
            await stream?.transport.abort()
            throw error
        }
        giveUpStore()
        await stream?.transport.abort()
        logger.debug("session suspended")
    }

    private func layAside() throws {
        try handle(.transportLost)
        // Who begins to handle a stanza and is suspended has not failed (rule R40).
        if core.resumption != nil, core.unhandledCount > 0 {
            try write([.handlingAttempts(core.failedAttempts)], .deferrable)
        }
        try flush()
    }
}

/// A connection that is being closed.
package struct ClosingTransport: Sendable {
    package let transport: any StanzaTransport
    /// Ends when the connection is closed, or was cut.
    package let task: Task<Void, Never>
}
