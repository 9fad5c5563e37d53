// Running streams: one, or one after another.

public import XMLTree

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
    ///   ``SessionEvent/notConnected(_:)`` reports.
    public func run(
        connecting connector: some StreamConnector, tag: String? = nil,
        policy: ReconnectionPolicy = ReconnectionPolicy()
    ) async throws -> StreamEnd {
        try await run(connecting: connector, tag: tag, policy: policy) { _ in }
    }

    /// Runs the session like ``run(connecting:tag:policy:)``.
    ///
    /// - Parameter prepare: runs between two streams. Its error fails the attempt.
    package func run(
        connecting connector: some StreamConnector, tag: String?, policy: ReconnectionPolicy,
        preparing prepare: @escaping @Sendable (StreamPreparation) async throws -> Void
    ) async throws -> StreamEnd {
        try checkOpen()
        try connector.check(account: account)
        let loop = beginConnecting(connector, tag: tag, policy: policy, prepare: prepare)
        defer { endConnecting(loop) }
        return try await loop.run(for: self)
    }

    /// Finds a working connection after a change of the network: call this when the device has another path or address,
    /// or is awake again.
    ///
    /// A session that waits to connect connects now. An attempt that runs begins again. A running stream is asked for a
    /// sign of life, and another connection is made beside it. If the answer comes first, the stream continues. If the
    /// other connection is ready first, the session is resumed there. Without either, the stream ends after
    /// ``ReconnectionPolicy/signOfLifeTimeout``.
    ///
    /// The call of ``run(connecting:tag:policy:)`` continues. Attempts stay at least ``ReconnectionPolicy/shortest``
    /// apart, however often you call this. Without such a call, this does nothing.
    public func networkChanged() { noteNetworkChange() }

    /// Runs a stream until it ends: resumes the session, or binds a resource and enables stream management, and then
    /// receives. Returns at the end of the stream; the session continues on the next one.
    ///
    /// - Parameters:
    ///   - transport: an authenticated stream without a bound resource.
    ///   - features: the server's features on it.
    ///   - resuming: whether to resume the session if possible; `nil` uses
    ///     ``StreamManagementConfiguration/resumesAutomatically``.
    ///   - inline: the result of resuming and enabling within the authentication
    ///     (``inlineElements(features:tag:resuming:)``).
    /// - Returns: why the stream ended. A canceled task ends it as ``StreamEnd/lost(_:)``.
    /// - Throws: `StreamManagementError.ended` if the session was closed, and the storage's errors.
    public func run(
        on transport: some StanzaTransport, features: StreamFeatures, resuming: Bool? = nil,
        inline: InlineNegotiation.Result? = nil
    ) async throws -> StreamEnd {
        try await run(on: transport, features: features, resuming: resuming, inline: inline, probingEvery: .zero)
    }

    /// Runs a stream like ``run(on:features:resuming:inline:)``.
    ///
    /// - Parameter interval: how long the server may be silent before it is asked for a sign of life; zero for never.
    func run(
        on transport: some StanzaTransport, features: StreamFeatures, resuming: Bool? = nil,
        inline: InlineNegotiation.Result?, probingEvery interval: Duration
    ) async throws -> StreamEnd {
        try checkOpen()
        let id = countStream()
        // An inline negotiation began on a stream that had no transport yet.
        if hasStream || inline == nil { await supersede() }
        // While this call cut the previous stream, a later call or the end of the session may have come.
        guard isLastCounted(id) else {
            await transport.abort()
            try checkOpen()
            return .superseded
        }
        try await takeUpForStream()
        guard isLastCounted(id) else {
            await transport.abort()
            return isClosed ? .closed : .superseded
        }
        // The server sends no features after an inline resumption.
        let stream = begin(id, on: transport, features: features, keepsLimit: inline?.isResumed == true)
        do {
            try await stream.run(
                resuming: resuming ?? configuration.resumesAutomatically, inline: inline, probingEvery: interval,
                for: self)
        } catch {
            stream.end(.lost(error))
        }
        let end = stream.end ?? .closed
        // Closing and cutting take time, and another stream may begin in between.
        if isCurrent(stream) { report(end) }
        switch end {
        // An end tag would end the session that the client keeps.
        case .closedByPeer where canResume, .violation where canResume: await transport.abort()
        case .closed, .closedByPeer, .violation: await stream.close(for: self)
        case .lost, .abandoned, .takenOver, .storageFailed: await transport.abort()
        case .superseded, .suspended: break  // The caller that ended it has cut it.
        }
        isOver(stream)
        return end
    }

    /// Ends the stream now, and reports its end, unless it has ended before.
    func abandonAndReport(_ end: StreamEnd) {
        if abandon(end) { report(end) }
    }

    /// Reports an end that the app did not cause. The core first reports the effects on the session.
    private func report(_ end: StreamEnd) {
        switch end {
        case .lost, .abandoned, .takenOver, .storageFailed:
            try? handle(isOfServer(end) ? .connectionReset : .transportLost)
            report(.disconnected(end))
        case .closedByPeer, .violation: report(.disconnected(end))
        case .closed, .superseded, .suspended: break
        }
    }

    /// Whether the server may have ended the connection because of a stanza, or of `<resume/>`: then any error of the
    /// connection leaves that unanswered (rule R32).
    private func isOfServer(_ end: StreamEnd) -> Bool {
        guard !Task.isCancelled, case .lost(let error as any StreamConnectionError) = end else { return false }
        if case .resuming = state { return true }
        return error.isReset
    }

    /// Ends the previous stream: only one is current.
    func supersede() async {
        let transport = endStream(because: .superseded)
        try? handle(.transportLost)
        await transport?.abort()
    }

    /// Claims the session again for a new stream, and stores the changes that earlier streams could not store (D51). A
    /// session with another owner must not resume: its counters are old.
    func takeUpForStream() async throws {
        try await record.flush(always: true, for: self)
        try takeUp()
        // The core may have ended the stream before.
        try await record.flush(for: self)
    }

    // MARK: Negotiating

    /// Asks the server for stream management, where ``StreamManagementConfiguration/enablesAutomatically`` is off.
    /// ``SessionEvent/enabled(_:_:)`` or ``SessionEvent/notEnabled(_:)`` reports its answer.
    ///
    /// - Parameters:
    ///   - resumption: whether to ask for a session that can be resumed.
    ///   - maximum: the requested resumption time, of which whole positive seconds are sent (rule R41).
    /// - Throws: `StreamManagementError` if no stream runs or has a resource, or if this stream has asked already (rule
    ///   R9), and the storage's errors.
    public func enable(resumption: Bool = true, maximum: Duration? = nil) throws {
        switch state {
        case .disabled(.unbound), .suspended, .resuming: throw StreamManagementError.notBound
        case .disabled(.bound), .disabled(.refused), .enabling, .enabled, .ended:
            try handle(.enable(resumption: resumption, maximum: maximum, address: nil))
        }
    }

    /// Returns the elements for SASL2's `<authenticate/>` that the server accepts there (rule R37). Run the stream that
    /// follows with the server's ``InlineNegotiation/Result``.
    ///
    /// - Throws: `StreamManagementError.ended` if the session was closed, `XMLTreeError` for a tag that XML cannot
    ///   hold, and the storage's errors.
    public func inlineElements(
        features: StreamFeatures, tag: String? = nil, resuming: Bool? = nil
    ) async throws -> [Element] {
        try checkOpen()
        await supersede()
        try await takeUpForStream()
        let resumes = (resuming ?? configuration.resumesAutomatically) && features.supportsInlineResumption && canResume
        let resume = resumes ? try await record.resume(for: self) : nil
        if resume != nil {
            // While the count was stored, the session may have been suspended or closed.
            guard case .resuming = state else { throw CancellationError() }
        }
        let enable = Nonza.enable(
            resumption: configuration.requestsResumption,
            maximum: Core.wholeSeconds(configuration.requestedResumptionTime))
        return try InlineNegotiation.elements(
            resume: resume, enable: configuration.enablesAutomatically ? enable : nil, tag: tag, features: features)
    }

    /// Ends a resumption inside an authentication that failed.
    ///
    /// - Parameter isOfServer: Whether the server may have failed because of `<resume/>`; otherwise the session can be
    ///   resumed again (rule R32).
    func inlineResumptionFailed(isOfServer: Bool) {
        if !hasStream { try? handle(isOfServer ? .connectionReset : .transportLost) }
    }
}
