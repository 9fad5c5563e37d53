// Ending a session for good, or suspending it.

extension StreamSession {
    /// Closes the stream and the session: acknowledges the handled stanzas (rule R17) and removes the session from the
    /// storage (D34). This also removes a suspended session, unless another owner has it now.
    ///
    /// If the storage fails, such as on a full disk, the session is closed and stays stored. For the next
    /// ``StreamSession`` of the account, it is a session whose process was killed: the server does not resume it, and
    /// ``StreamManagementConfiguration/failurePolicy`` decides whether its stanzas are sent again.
    ///
    /// The session cuts a connection that accepts no more bytes after
    /// ``StreamManagementConfiguration/closingTimeout``. Another call waits for the same connection. With no time to
    /// wait, it also ends the first call's wait for acknowledgements.
    ///
    /// - Parameter waiting: how long to wait first until sent stanzas are acknowledged, or written where the server
    ///   does not acknowledge.
    public func close(waiting: Duration = .zero) async {
        await closeSession(waiting: waiting)?.task.value
    }

    /// Closes the session like ``close(waiting:)``, without waiting for the connection.
    ///
    /// - Returns: The connection that is being closed, if any.
    package func closeSession(waiting: Duration) async -> ClosingTransport? {
        if isClosed { return closingTransport }
        waitsForClaim = false
        // The stream is closed even if the storage fails or has another owner.
        try? takeUp()
        if waiting > .zero, core.isSending { await drain(waiting) }
        if isClosed { return closingTransport }
        // A call that suspended the session during the wait could not know of its end.
        waitsForClaim = false
        try? takeUp()
        isClosed = true
        streamCount += 1
        stopConnecting(because: .closed)
        do {
            // Another owner keeps the session: this stream is cut. If the storage cannot name the owner, it is closed.
            do { try checkOwner() } catch  where !error.isOfAnotherOwner {}
            // Without the storage, the stream is closed nevertheless, without the count (D49).
            try? acknowledgeHandled()
            try handle(.close)
            try flush()
        } catch  where error.isTemporaryStorageError {
            logger.error("the closed session is still stored", metadata: ["error": "\(Self.loggable(error))"])
        } catch {
            // The session has given its storage up, and logged why.
        }
        giveUpStore()
        for stanza in sent.values { stanza.update(.unknown, isFinal: true) }
        sent = [:]
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        wakeWaiters()
        return closingTransport
    }

    /// The connection of a closed session, until the connection is closed, too. Every call to close waits for it.
    private var closingTransport: ClosingTransport? {
        stream.map { stream in
            ClosingTransport(transport: stream.transport, task: Task { await closeTransport(of: stream) })
        }
    }

    /// Waits for acknowledgements, at most for the given time.
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

    /// Ends the wait of ``close(waiting:)`` for acknowledgements.
    package func endDrain() { drainWaiters.resumeAll() }

    /// Suspends the session, so that this or another process can resume it. ``run(on:features:resuming:inline:)``
    /// continues it.
    ///
    /// The session acknowledges the handled stanzas, stores everything, gives up the storage, and cuts the connection
    /// without closing the stream. After the resumption the server delivers unhandled stanzas again; until then the
    /// session does not offer them. ``SentStanza``s report nothing until then. The session cuts a connection that
    /// accepts no more bytes after ``StreamManagementConfiguration/closingTimeout``.
    ///
    /// - Throws: the storage's errors; the stream has ended then, too.
    public func suspend() async throws { try await suspend(untilClaimed: false) }

    /// Suspends the session like ``suspend()``, with two more settings.
    ///
    /// - Parameters:
    ///   - untilClaimed: whether only ``claim(takingOver:)`` can continue the session. Until then, sending throws
    ///     `StorageError.takenOver`, as if another process had the session already.
    ///   - end: the uptime at which a connection that accepts no more bytes is cut.
    package func suspend(untilClaimed: Bool, by end: Duration? = nil) async throws {
        if isClosed { return }
        if untilClaimed { waitsForClaim = true }
        // Tasks that wait for room wake up, and throw.
        defer { if untilClaimed { roomQueue.wakeAll() } }
        stopConnecting(because: .suspended)
        if store == nil {
            streamCount += 1
            return
        }
        restoreIfNeeded()
        try acknowledgeHandled()
        if let stream { await finishWriting(stream, by: end) }
        if isClosed { return }
        // A call that was about to begin another stream does not begin it.
        streamCount += 1
        // Another stream may have begun during the write.
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

    /// Acknowledges the handled stanzas before the stream ends. A count that cannot be stored for now is not sent.
    private func acknowledgeHandled() throws {
        guard core.state == .enabled else { return }
        do { try handle(.sendAcknowledgement) } catch  where error.isTemporaryStorageError {}
    }

    private func layAside() throws {
        try handle(.transportLost)
        // A suspension during the handling of a stanza is not a failed attempt (rule R40).
        if core.resumption != nil, core.unhandledCount > 0 {
            try write([.handlingAttempts(core.failedAttempts)], .deferrable)
        }
        try flush()
    }
}

/// A connection that is being closed.
package struct ClosingTransport: Sendable {
    package let transport: any StanzaTransport
    /// Ends when the connection is closed or cut.
    package let task: Task<Void, Never>
}
