// Closing: every request that waits has its outcome before it is done, or when the handler ends that was not waited for.

import StreamManagement

extension DurableSession {
    /// Closes the session for good: requests that wait are lost, and their handlers invalidated.
    ///
    /// A handler that is at work may finish, for some seconds. One may close the session itself: then this returns at once,
    /// and the session is closed when the handler has returned and what it wanted is stored.
    ///
    /// - Parameter waiting: How long to wait before for what was sent to be acknowledged.
    public func close(waiting: Duration = .zero) async {
        // In a task that nobody cancels, and that does not belong to a handler.
        let closing = closing ?? Task.detached { await self.closeNow(waiting: waiting) }
        self.closing = closing
        if HandlingScope.isWithin(self) { return }
        await closing.value
    }

    private func closeNow(waiting: Duration) async {
        // What lays the session aside does so first.
        while suspensionCount > 0 { await withCheckedContinuation { whenEnded.append($0) } }
        // One task at a time ends requests, so that no handler is called in vain.
        let deadline = clock.now.uptime + Self.handlersGrace
        await finishHandling(until: deadline)
        await stopEnding(until: deadline)
        isSuspended = false
        do {
            try await unfreeze()
            try await stream.claim()
            try await loseUnresumable()
        } catch {
            logger.error("requests were not lost", metadata: ["error": "\(type(of: error))"])
        }
        await stream.close(waiting: waiting)
        isClosed = true
        await endThoseLeft()
        awaited.failAll()
    }

    /// Ends the requests of a session that was closed: what waited to be sent is not sent any more.
    func endThoseLeft() async {
        // A task that was cancelled has to do this, too.
        await Task {
            for _ in 0..<(await stream.configuration.maximumHandlingAttempts) {
                do {
                    let account = account
                    try await database.write { try $0.requests.loseClosed(of: account) }
                    try await endRequestsNow()
                    if failedEndings.isEmpty { return }
                } catch {
                    logger.error("requests were not ended", metadata: ["error": "\(type(of: error))"])
                }
            }
        }.value
    }

    /// How long a handler may take to finish when the session is closed.
    private static let handlersGrace = Duration.seconds(5)
}
