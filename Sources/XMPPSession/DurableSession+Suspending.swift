// Laying the session aside, for another process or for this one's next life, and waiting no longer than there is time.

import StreamManagement

extension DurableSession {
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
        let time = deadline + storingTime
        let (deadline, end) = (clock.now.uptime + deadline, clock.now.uptime + time)
        let storing = ContinuousClock.now + time
        // A task that was cancelled waits for handlers, too.
        try await Task {
            try await suspend(until: deadline, end, storing: storing, freezing: freezing)
        }.value
    }

    private func suspend(
        until deadline: Duration, _ end: Duration, storing: ContinuousClock.Instant, freezing: Bool
    ) async throws {
        database.limitWaiting(for: freezing ? nil : account, until: storing)
        var failure: (any Error)?
        if closing == nil {
            suspensionCount += 1
            do { try await layAside(until: deadline, end) } catch { failure = error }
            if freezing { do { try await database.freeze() } catch { failure = failure ?? error } }
            suspensionCount -= 1
            tellOfEnd()
        }
        // Perhaps only since then.
        if let closing {
            closingEnd = (end, storing, freezing || closingEnd?.isForAll == true)
            if HandlingScope.isWithin(self) {
                freezesWhenClosed = freezesWhenClosed || freezing
            } else {
                await finish(closing, by: deadline, end)
                if freezing { do { try await database.freeze() } catch { failure = failure ?? error } }
            }
        }
        if let failure { throw failure }
    }

    private func layAside(until deadline: Duration, _ end: Duration) async throws {
        await finishHandling(until: deadline, end)
        await stopEnding(until: deadline)
        await failAwaited()
        try await stream.suspend(untilClaimed: true, by: end)
    }

    /// Has the session closed with less patience.
    private func finish(_ closing: Task<Void, Never>, by deadline: Duration, _ end: Duration) async {
        if await hasEnded(closing, by: deadline) { return }
        for wait in waits.values where !wait.isLast { wait.continuation.finish() }
        await stream.endDrain()
        if await hasEnded(closing, by: end) { return }
        for wait in waits.values { wait.continuation.finish() }
        await closing.value
    }

    /// A run or a suspension is over.
    func tellOfEnd() {
        for waiter in whenEnded { waiter.resume() }
        whenEnded = []
    }

    /// Ends the task that ends requests. An invalidation that is at work may finish until the deadline, unless it is
    /// who asks for that: what it has collected afterwards cannot be stored.
    func stopEnding(until deadline: Duration) async {
        guard let ending else { return }
        // It looks whether it is to go on.
        observer.tellOfEndings()
        if !HandlingScope.isWithin(self) { _ = await hasEnded(ending, by: deadline) }
        ending.cancel()
    }

    /// Those who wait for answers wait no longer, and what they wanted to have sent is not sent any more.
    func failAwaited() async {
        for sent in awaited.sent { await withdraw(sent) }
        awaited.failAll()
    }

    /// How long a suspension waits for a batch: longer than a disk needs, and a fraction of ``storingTime``. A batch
    /// whose outgoing stanzas find no room comes again.
    private static let batchGrace = Duration.seconds(1)

    /// Lets the handler that is at work finish, but not for ever.
    ///
    /// - Parameters:
    ///   - deadline: When it is canceled.
    ///   - end: When everything has to be stored.
    func finishHandling(until deadline: Duration, _ end: Duration? = nil) async {
        isSuspended = true
        isBeginning = false
        // The stanzas before a slow handler commit without it.
        if !batch.isEmpty || committing != nil {
            let commit = Task { await batchIsDue() }
            let limit = clock.now.uptime + Self.batchGrace
            _ = await hasEnded(commit, by: end.map { min($0, limit) } ?? limit)
        }
        if isAtWork, !HandlingScope.isWithin(self) {
            let (idle, continuation) = AsyncStream.makeStream(of: Void.self)
            whenIdle.append(continuation)
            await wait(for: idle, continuation, until: deadline)
        }
        handling?.cancel()
    }

    // MARK: Waiting

    /// Waits for a task, but not for ever.
    ///
    /// - Parameters:
    ///   - task: What is waited for.
    ///   - deadline: Until when.
    ///   - isLast: Whether it may go on when the time of handlers is over for whoever suspends a session that is being
    ///     closed.
    /// - Returns: Whether it has ended.
    func hasEnded<Success: Sendable, Failure: Error>(
        _ task: Task<Success, Failure>, by deadline: Duration, isLast: Bool = false
    ) async -> Bool {
        let (over, continuation) = AsyncStream.makeStream(of: Void.self)
        let isOver = Flag()
        let watch = Task {
            _ = await task.result
            isOver.set()
            continuation.finish()
        }
        await wait(for: over, continuation, until: deadline, isLast: isLast)
        watch.cancel()
        return isOver.isSet
    }

    private func wait(
        for end: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation, until deadline: Duration,
        isLast: Bool = false
    ) async {
        let deadline = closingEnd.map { min($0.uptime, deadline) } ?? deadline
        let alarm = Task { [clock] in
            try? await clock.sleep(until: deadline)
            continuation.finish()
        }
        waitCount += 1
        let id = waitCount
        waits[id] = (continuation, isLast)
        for await _ in end {}
        waits[id] = nil
        alarm.cancel()
    }
}
