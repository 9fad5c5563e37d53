// Ending a session for good, or laying it aside.

extension StreamSession {
    /// Closes the stream and the session: the server is told what was handled (rule R17), and nothing stays stored (D34).
    ///
    /// - Parameter waiting: how long to wait before for what was sent to be acknowledged.
    public func close(waiting: Duration = .zero) async {
        if isClosed { return }
        restoreIfNeeded()
        if waiting > .zero, core.state == .enabled { await drain(waiting) }
        if isClosed { return }
        isClosed = true
        // A storage that fails cannot keep the stream from being closed.
        try? handle(.close)
        if let stream {
            await stream.writer?.value
            await stream.transport.close()
        }
        try? store?.flush()
        store?.close()
        store = nil
        cancelTimers()
        for stanza in sent.values { stanza.update(.unknown, isFinal: true) }
        sent = [:]
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        wakeWaiters()
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
        if !core.unacknowledged.isEmpty, core.state == .enabled {
            await withCheckedContinuation { drainWaiters.add(drainWaiters.makeID(), $0) }
        }
        alarm.cancel()
    }

    private func endDrain() {
        drainWaiters.resumeAll()
    }

    /// Lays the session aside for this or another process to take up: the server is told what was handled, everything is
    /// stored, the connection is cut without closing the stream, and the storage is given up. ``run(on:features:resuming:inline:)``
    /// takes the session up again.
    public func suspend() async throws {
        if isClosed { return }
        restoreIfNeeded()
        if core.state == .enabled { try handle(.sendAcknowledgement) }
        if let stream {
            await stream.writer?.value
            stream.end(.suspended)
            self.stream = nil
            try handle(.transportLost)
            await stream.transport.abort()
        }
        guard let store else { return }
        try store.flush()
        store.close()
        self.store = nil
        cancelTimers()
        logger.debug("session suspended")
    }
}
