// Closing: every request that waits has its outcome before it is done, or when the handler ends that was not waited
// for.

import StreamManagement

extension DurableSession {
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
        let closing: Task<Void, Never>
        if let begun = self.closing, isClosing || !hasRequestsLeft {
            closing = begun
        } else {
            isClosing = true
            closingEnd = nil
            // In a task that nobody cancels, and that does not belong to a handler.
            closing = Task.detached { [isClosed] in
                if isClosed { await self.closeRest() } else { await self.closeNow(waiting: waiting) }
            }
            self.closing = closing
        }
        if HandlingScope.isWithin(self) { return }
        await closing.value
    }

    private func closeNow(waiting: Duration) async {
        // What lays the session aside does so first.
        while suspensionCount > 0 { await withCheckedContinuation { whenEnded.append($0) } }
        // One task at a time ends requests, so that no handler is called in vain.
        let deadline = clock.now.uptime + handlersGrace
        await finishHandling(until: deadline)
        await stopEnding(until: deadline)
        isSuspended = false
        await open()
        do {
            try await stream.claim()
            try await loseUnresumable()
        } catch {
            logger.error("requests were not lost", metadata: ["error": "\(type(of: error))"])
        }
        let connection = await stream.closeSession(waiting: closingEnd == nil ? waiting : .zero)
        isClosed = true
        // What has to be stored does not wait for the connection.
        await closeRest()
        awaited.failAll()
        guard let connection else { return }
        if await hasEnded(connection.task, by: clock.now.uptime + Self.connectionGrace, isLast: true) { return }
        await connection.transport.abort()
        await connection.task.value
    }

    /// Ends the requests of a session that was closed.
    private func closeRest() async {
        await open()
        let ending = Task { await endThoseLeft() }
        // It goes on by itself.
        _ = await hasEnded(ending, by: clock.now.uptime + handlersGrace * 2, isLast: true)
        if freezesWhenClosed {
            freezesWhenClosed = false
            try? await database.freeze()
        }
        // Whoever has the account's session next has patience.
        database.limitWaiting(for: account, until: nil)
        isClosing = false
    }

    /// Makes the database usable, with as much patience as there is time.
    private func open() async {
        do {
            try await database.unfreeze()
        } catch {
            logger.error("the database cannot be opened", metadata: ["error": "\(type(of: error))"])
        }
        database.limitWaiting(for: account, until: nil)
        if let closingEnd {
            database.limitWaiting(for: closingEnd.isForAll ? nil : account, until: closingEnd.storing)
        }
    }

    /// Ends the requests of a session that was closed: what waited to be sent is not sent any more.
    func endThoseLeft() async {
        // A task that was cancelled has to do this, too.
        await Task {
            hasRequestsLeft = true
            let deadline = clock.now.uptime + Self.usualHandlersGrace
            let limit = await stream.configuration.maximumHandlingAttempts
            var attempts = 0
            var hasMetClaim = false
            while true {
                do {
                    try await forgetSession()
                    hasMetClaim = try await endRequestsNow().outcomes.contains(.metClaim)
                    if failedEndings.isEmpty, !hasMetClaim {
                        // The others are at work, and come by here when they are done.
                        hasRequestsLeft = try await endedRequests().ended.contains(where: isToBeEnded)
                        return
                    }
                } catch {
                    logger.error("requests were not ended", metadata: ["error": "\(type(of: error))"])
                }
                attempts += 1
                // Whoever is about to end a handler gets a little more time for that.
                if attempts >= limit, !hasMetClaim || clock.now.uptime >= deadline { return }
                await pause(Self.pauseAfterFailure)
            }
        }.value
    }

    /// Forgets what is stored of the session, unless it has had another owner since; once, whoever wants it: what is
    /// stored later is of a session that has begun since.
    func forgetSession() async throws {
        if requestsAtClosing != nil { return }
        let forgetting =
            forgetting
            ?? Task { [database, account, storage] in
                guard let owner = storage.lastOwner else { return [] }
                return Set(try await database.forgetClosed(account, of: owner).map(\.serial))
            }
        self.forgetting = forgetting
        do {
            requestsAtClosing = try await forgetting.value
        } catch {
            if self.forgetting == forgetting { self.forgetting = nil }
            throw error
        }
    }

    /// When a connection is cut that neither its own timeouts have cut nor whoever suspends the session.
    private static let connectionGrace = Duration.seconds(86_400)

    /// How long a handler may take to finish when the session is closed: an app that has to end soon waits for that.
    static let usualHandlersGrace = Duration.seconds(5)

    /// Sets how long; for tests, which share few threads and so may wait long for their turn.
    func setHandlersGrace(_ grace: Duration) { handlersGrace = grace }
}
