// Running: connections on one side, stanzas and ends of requests on the other.

import Persistence
public import StreamManagement
public import XMLTree

extension DurableSession {
    /// Connects, handles what comes, and connects again, until the session is closed, suspended or taken over, the
    /// database cannot store it, the task is cancelled, or connecting fails for good.
    ///
    /// Handlers run one after the other, in the order of the stanzas. A handler may wait for `request(_:timeout:)`,
    /// which does not wait for its turn. After `suspend`, the former run ends first: a handler that ignores its
    /// cancellation holds up this one.
    ///
    /// - Parameters:
    ///   - connector: Makes connections, such as XMPPTransport's.
    ///   - tag: What the resource's address shall tell of the software, where it is bound with the authentication.
    ///   - policy: How long to wait before connecting again.
    ///   - takingOver: Whether to take the session from another process that has it by now.
    /// - Returns: Why it ended.
    /// - Throws: The error of a connection that failed for good; what the database throws; `RequestError.running` if it
    ///   runs already.
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
            tellOfEnd()
        }
        database.limitWaiting(for: account, until: nil)
        try await database.unfreeze()
        if !isBeginning { return closing == nil ? .suspended : .closed }
        try await stream.claim(takingOver: takingOver)
        if !isBeginning { return closing == nil ? try await laidAside() : .closed }
        isBeginning = false
        isSuspended = false
        let (endings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        observer.tellOfEndings(by: continuation)
        let (sessions, sessionSignals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        observer.tellOfSessions(by: sessionSignals)
        let greeting = Task { await greetSessions(when: sessions) }
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
                    greeting.cancel()
                })
        } catch {
            result = .failure(error)
        }
        handling.cancel()
        ending.cancel()
        greeting.cancel()
        await handling.value
        await ending.value
        await greeting.value
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
    /// - Throws: What that throws; `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that could not
    ///   be stored or read back; `RequestError.suspended`.
    @discardableResult
    public nonisolated func send(_ stanza: Element) async throws -> SentStanza {
        try await unlessSuspended {
            try stanza.checkIsStanza()
            try stanza.checkCanBeStored()
            // A handler's stanza leaves after the replies of the handlers before it.
            try await UncommittedBatch.commit?()
            return try await stream.send(checked: stanza)
        }
    }

    /// Asks the stream for something, if the session is not suspended, nor meanwhile: a stream that was laid aside for
    /// another process is not taken up again by who asks.
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
}

/// Sees to requests between two connections.
private struct WatchedConnector<Connector: StreamConnector>: StreamConnector {
    let connector: Connector
    let session: DurableSession

    init(_ connector: Connector, of session: DurableSession) {
        self.connector = connector
        self.session = session
    }

    func check(account: String) throws { try connector.check(account: account) }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await session.streamIsGone()
        let stream = try await connector.connect(to: location, inline: inline)
        do {
            // Connecting takes its time.
            try await session.withdrawTimedOut()
            return stream
        } catch {
            await stream.transport.abort()
            throw error
        }
    }
}
