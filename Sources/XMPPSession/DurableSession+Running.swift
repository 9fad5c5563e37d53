// Running: connections on one side, stanzas and ends of requests on the other.

public import StreamManagement
public import XMLTree

extension DurableSession {
    /// Connects, handles what comes, and connects again, until the session is closed, suspended or taken over, the database
    /// cannot store it, the task is cancelled, or connecting fails for good.
    ///
    /// Handlers run one after the other, in the order of the stanzas. A handler may wait for `request(_:timeout:)`, which
    /// does not wait for its turn. After `suspend`, the former run ends first: a handler that ignores its cancellation
    /// holds up this one.
    ///
    /// - Parameters:
    ///   - connector: Makes connections, such as XMPPTransport's.
    ///   - tag: What the resource's address shall tell of the software, where it is bound with the authentication.
    ///   - policy: How long to wait before connecting again.
    ///   - takingOver: Whether to take the session from another process that has it by now.
    /// - Returns: Why it ended.
    /// - Throws: The error of a connection that failed for good; what the database throws; `RequestError.running` if it runs
    ///   already.
    public func run(
        connecting connector: some StreamConnector, tag: String? = nil,
        policy: ReconnectionPolicy = ReconnectionPolicy(), takingOver: Bool = false
    ) async throws -> StreamEnd {
        while isRunning || suspensionCount > 0 {
            // A run that is being suspended ends by itself.
            guard isSuspended, !isBeginning else { throw RequestError.running }
            await withCheckedContinuation { whenEnded.append($0) }
        }
        if isClosed || closing != nil { throw StreamManagementError.ended }
        isRunning = true
        isBeginning = true
        defer {
            isRunning = false
            isBeginning = false
            handling = nil
            ending = nil
            metEnded = []
            tellOfEnd()
        }
        try await unfreeze()
        if !isBeginning { return .suspended }
        try await stream.claim(takingOver: takingOver)
        if !isBeginning { return try await laidAside() }
        isBeginning = false
        isSuspended = false
        let (endings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        observer.tellOfEndings(by: continuation)
        let handling = Task { await handleStanzas() }
        let ending = Task { await endRequests(when: endings) }
        self.handling = handling
        self.ending = ending
        let watched = WatchedConnector(connector, of: self)
        let result: Result<StreamEnd, any Error>
        do {
            result = .success(
                try await withTaskCancellationHandler {
                    try await stream.run(connecting: watched, tag: tag, policy: policy)
                } onCancel: {
                    handling.cancel()
                    ending.cancel()
                })
        } catch {
            result = .failure(error)
        }
        handling.cancel()
        ending.cancel()
        await handling.value
        await ending.value
        await failAwaited()
        // What was taken and not handled comes again on the next run.
        if !isClosed { _ = try? await laidAside() }
        return try result.get()
    }

    /// Lays the stream's session aside, also when the task was cancelled.
    private func laidAside() async throws -> StreamEnd {
        let isSuspended = isSuspended
        try await Task { [stream] in try await stream.suspend(untilClaimed: isSuspended) }.value
        return .suspended
    }

    /// Gives a stanza to be sent that needs no answer. See `StreamSession.send(_:id:)`.
    ///
    /// - Throws: What that throws; `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that could not be
    ///   stored or read back; `RequestError.suspended`.
    @discardableResult
    public nonisolated func send(_ stanza: Element) async throws -> SentStanza {
        try await unlessSuspended { try await stream.send(stanza) }
    }

    /// Asks the stream for something, if the session is not suspended, nor meanwhile: a stream that was laid aside for another
    /// process is not taken up again by who asks.
    nonisolated func unlessSuspended<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        if await isSuspended { throw RequestError.suspended }
        do {
            return try await body()
        } catch let error as StorageError {
            if await isSuspended { throw RequestError.suspended }
            throw error
        }
    }

    /// Lays the session aside for another process, or for this one's next life: the server is told what was handled,
    /// everything is stored, the connection is cut without closing the stream, and the database is frozen, so that no lock is
    /// held.
    ///
    /// A handler that is at work may finish until the deadline; then it is cancelled, and its stanza comes again. Laying
    /// aside takes a little longer: what is left to be written may take `StreamManagementConfiguration.closingTimeout`. Until
    /// the session is run again, nothing can be asked.
    ///
    /// `run(connecting:tag:policy:takingOver:)` goes on with the session.
    ///
    /// - Parameters:
    ///   - deadline: How long handlers may take.
    ///   - freezing: Whether the database is frozen, too. Other sessions on it have to be suspended before.
    /// - Throws: What the database throws; the session is laid aside all the same.
    public func suspend(deadline: Duration = .seconds(5), freezing: Bool = true) async throws {
        let deadline = clock.now.uptime + deadline
        if let closing, !HandlingScope.isWithin(self) {
            await wait(for: closing, until: deadline)
            if freezing { try await freeze() }
            return
        }
        suspensionCount += 1
        defer {
            suspensionCount -= 1
            tellOfEnd()
        }
        await finishHandling(until: deadline)
        await stopEnding(until: deadline)
        await failAwaited()
        do {
            try await stream.suspend(untilClaimed: true)
        } catch {
            if freezing { try? await freeze() }
            throw error
        }
        if freezing { try await freeze() }
    }

    /// A run or a suspension is over.
    private func tellOfEnd() {
        for waiter in whenEnded { waiter.resume() }
        whenEnded = []
    }

    /// Ends the task that ends requests, unless that asks for it. An invalidation that ignores its cancellation is not waited
    /// for for ever: what it has collected cannot be stored then.
    func stopEnding(until deadline: Duration) async {
        guard let ending else { return }
        ending.cancel()
        if !HandlingScope.isWithin(self) { await wait(for: ending, until: deadline) }
    }

    /// Those who wait for answers wait no longer, and what they wanted to have sent is not sent any more.
    private func failAwaited() async {
        for sent in awaited.sent { try? await stream.withdraw(sent) }
        awaited.failAll()
    }

    private func wait(for task: Task<Void, Never>, until deadline: Duration) async {
        let (over, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = Task {
            await task.value
            continuation.finish()
        }
        await wait(for: over, continuation, until: deadline)
        watch.cancel()
    }

    private func wait(
        for end: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation, until deadline: Duration
    ) async {
        let alarm = Task { [clock] in
            try? await clock.sleep(until: deadline)
            continuation.finish()
        }
        for await _ in end {}
        alarm.cancel()
    }

    /// Lets the handler that is at work finish, but not for ever.
    func finishHandling(until deadline: Duration) async {
        isSuspended = true
        isBeginning = false
        if isAtWork, !HandlingScope.isWithin(self) {
            let (idle, continuation) = AsyncStream.makeStream(of: Void.self)
            whenIdle.append(continuation)
            await wait(for: idle, continuation, until: deadline)
        }
        handling?.cancel()
    }

    private func freeze() async throws {
        if let promises { try await promises.freeze() } else { try await database.freeze() }
    }

    func unfreeze() async throws {
        if let promises { try await promises.unfreeze() } else { try await database.unfreeze() }
    }
}

/// Sees to requests between two connections.
private struct WatchedConnector<Connector: StreamConnector>: StreamConnector {
    let connector: Connector
    let session: DurableSession

    init(_ connector: Connector, of session: DurableSession) {
        self.connector = connector
        self.session = session
    }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await session.streamIsGone()
        return try await connector.connect(to: location, inline: inline)
    }
}
