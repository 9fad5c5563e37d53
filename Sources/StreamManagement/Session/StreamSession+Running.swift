// Running a stream: negotiation, then reading until it ends.

public import XMLTree

extension StreamSession {
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
        if isClosed { throw StreamManagementError.ended }
        streamCount += 1
        let id = streamCount
        // An inline negotiation began on a stream that had no transport yet.
        if stream != nil || inline == nil { await supersede() }
        // While this call cut the previous stream, a later call or the end of the session may have come.
        guard id == streamCount else {
            await transport.abort()
            if isClosed { throw StreamManagementError.ended }
            return .superseded
        }
        try checkOwner()
        try takeUpForStream()
        let stream = ActiveStream(id: id, transport: transport, features: features)
        self.stream = stream
        lastResumption = nil
        // The server sends no features after an inline resumption: the previous stream's limit holds.
        if inline?.isResumed != true { core.maximumStanzaBytes = features.limits.bytes }
        logger.debug("stream begins", metadata: ["stream": "\(stream.id)"])
        do {
            try await negotiate(stream, resuming: resuming ?? core.configuration.resumesAutomatically, inline)
            try await read(stream)
        } catch {
            stream.end(.lost(error))
        }
        return await finish(stream)
    }

    /// Asks the server for stream management, where ``StreamManagementConfiguration/enablesAutomatically`` is off.
    /// ``SessionEvent/enabled(_:_:)`` or ``SessionEvent/notEnabled(_:)`` reports its answer.
    ///
    /// - Parameters:
    ///   - resumption: whether to ask for a session that can be resumed.
    ///   - maximum: the requested resumption time, of which whole positive seconds are sent (rule R41).
    /// - Throws: `StreamManagementError` if no stream runs or has a resource, or if this stream has asked already (rule
    ///   R9), and the storage's errors.
    public func enable(resumption: Bool = true, maximum: Duration? = nil) throws {
        switch core.state {
        case .disabled(.unbound), .suspended, .resuming: throw StreamManagementError.notBound
        case .disabled(.bound), .disabled(.refused), .enabling, .enabled, .ended:
            try handle(.enable(resumption: resumption, maximum: maximum, address: nil))
        }
    }

    /// Returns the elements for SASL2's `<authenticate/>` that the server accepts there (rule R37). Run the stream that
    /// follows with the server's ``InlineNegotiation/Result``.
    public func inlineElements(
        features: StreamFeatures, tag: String? = nil, resuming: Bool? = nil
    ) async throws -> [Element] {
        if isClosed { throw StreamManagementError.ended }
        await supersede()
        try checkOwner()
        try takeUpForStream()
        var resume: Nonza?
        if resuming ?? core.configuration.resumesAutomatically, features.supportsInlineResumption, canResume {
            // No stream runs yet: the `<resume/>` that the core sends goes into the authentication.
            let actions = try stored { $0 = try core.handle(.resume, at: clock.now) }
            try perform(actions)
            for case .send(let nonza) in actions { resume = nonza }
        }
        let configuration = core.configuration
        let enable = Nonza.enable(
            resumption: configuration.requestsResumption,
            maximum: Core.wholeSeconds(configuration.requestedResumptionTime))
        return try InlineNegotiation.elements(
            resume: resume, enable: configuration.enablesAutomatically ? enable : nil, tag: tag, features: features)
    }

    /// Closes the transport after the outbox is written. The first call closes; all calls wait for that.
    func closeTransport(of stream: ActiveStream) async {
        if stream.closing == nil {
            stream.closing = Task {
                // The end tag would end the session of the new owner.
                if case .takenOver? = stream.end { return await stream.transport.abort() }
                await finishWriting(stream)
                await stream.transport.close()
            }
        }
        await stream.closing?.value
    }

    /// Ends the previous stream: only one is current.
    private func supersede() async {
        guard let old = stream else {
            try? handle(.transportLost)
            return
        }
        old.end(.superseded)
        stream = nil
        try? handle(.transportLost)
        await old.transport.abort()
    }

    // MARK: Negotiation

    private func negotiate(
        _ stream: ActiveStream, resuming: Bool, _ inline: InlineNegotiation.Result?
    ) async throws {
        if let inline { return try await negotiateInline(stream, resuming: resuming, inline) }
        // A server that does not know `<resume/>` ends the stream with an error, so ask only where it is offered.
        if resuming, stream.features.supportsStreamManagement, canResume {
            try handle(.resume)
        } else {
            try await bind(stream)
        }
    }

    private func negotiateInline(
        _ stream: ActiveStream, resuming: Bool, _ inline: InlineNegotiation.Result
    ) async throws {
        if let resumption = inline.resumption {
            try handle(.received(resumption))
        } else if case .resuming = core.state {
            // The server did not answer `<resume/>`: it resumed nothing, and the session stays as it is.
            try handle(.transportLost)
        }
        stream.needsBinding = false
        if inline.isResumed { return }
        guard inline.bound != nil else {
            if inline.resumption == nil { return try await negotiate(stream, resuming: resuming, nil) }
            return try await bind(stream)
        }
        // A server that binds inline need not enable inline.
        guard let enabling = inline.enabling else { return try enable(stream, boundTo: inline.address) }
        stream.enablesInline = true
        // The server has enabled the session already, so this is not to be undone.
        try perform(try core.handle(.enable(resumption: true, maximum: nil, address: inline.address), at: clock.now))
        stream.enablesInline = false
        report(.bound(address: inline.address))
        try handle(.received(enabling))
    }

    private func bind(_ stream: ActiveStream) async throws {
        stream.needsBinding = false
        let address = try await stream.transport.bind()
        guard self.stream === stream, stream.end == nil else { return }
        try enable(stream, boundTo: address)
    }

    private func enable(_ stream: ActiveStream, boundTo address: String?) throws {
        let configuration = core.configuration
        try handle(.newSession)
        // The storage may have failed for now.
        if stream.end != nil { return }
        if stream.features.supportsStreamManagement, configuration.enablesAutomatically {
            try handle(
                .enable(
                    resumption: configuration.requestsResumption, maximum: configuration.requestedResumptionTime,
                    address: address))
        } else {
            try handle(.bound(address: address))
        }
        report(.bound(address: address))
        if !stream.features.supportsStreamManagement { report(.notOffered) }
    }

    // MARK: Reading

    private func read(_ stream: ActiveStream) async throws {
        while stream.end == nil {
            if stream.needsBinding { try await bind(stream) }
            while stream.end == nil, isInputFull(stream) {
                if stream.writeFailure != nil { return endWriting(stream) }
                stream.hasPausedReading = true
                await waitForInputRoom()
            }
            guard stream.end == nil else { return }
            stream.isReceiving = true
            let element: Element?
            do {
                element = try await stream.transport.receive()
            } catch let stanza as RejectedStanza {
                stream.isReceiving = false
                guard stream.end == nil else { return }
                stream.receivedCount &+= 1
                try handle(.rejected(stanza))
                continue
            }
            stream.isReceiving = false
            guard stream.end == nil else { return }
            if let element {
                stream.receivedCount &+= 1
                if isAnswerToPing(element, on: stream) {
                    followers.resumeAll()
                    continue
                }
                if isComplaintElsewhere(element) {
                    abandon(.abandoned(.streamError(element)))
                    try handle(.transportLost)
                } else {
                    try handle(.received(element))
                }
            } else {
                stream.end(.closedByPeer)
                try handle(.peerClosed)
            }
        }
    }

    /// Whether a place that the server has named ends the stream instead of resuming the session. The ordinary place
    /// may still resume it.
    private func isComplaintElsewhere(_ element: Element) -> Bool {
        guard connecting?.isElsewhere == true, case .resuming = core.state else { return false }
        return ElementKind(element) == .streamError
    }

    /// Whether stanzas can come and go on a stream. True also before `<enabled/>` arrives: stanzas may come before it.
    package var isOnline: Bool {
        switch core.state {
        case .enabling, .enabled, .disabled(.bound), .disabled(.refused): stream != nil
        case .disabled(.unbound), .suspended, .resuming, .ended: false
        }
    }

    /// Whether the session reads nothing more from the stream now.
    package var isInputHeldUp: Bool { stream.map(isInputFull) ?? false }

    func isInputFull(_ stream: ActiveStream) -> Bool {
        // Only the answer to `<resume/>` can come then.
        if case .resuming = core.state { return false }
        let (factor, configuration) = (unhandledFactor, core.configuration)
        return !core.wantsInput(times: factor) || stream.isFull
            || received.count >= configuration.maximumUnhandled.multiplied(by: factor)
            || received.weight >= configuration.maximumUnhandledBytes.multiplied(by: factor)
    }

    /// How many times the usual number of stanzas may wait to be handled now.
    private var unhandledFactor: Int {
        // Waiting for room is waiting for an acknowledgement. It, or an awaited answer, may come after more stanzas. A
        // new stream replaces a missing acknowledgement; nothing replaces a missing answer.
        var factor = 1
        if !roomQueue.isEmpty { factor *= StreamManagementConfiguration.roomFactor }
        if delegate?.sessionAwaitsAnswer(self) == true { factor *= StreamManagementConfiguration.answerFactor }
        return factor
    }

    private func waitForInputRoom() async {
        // Without this, the loop of a canceled task would spin and let no other task make room.
        if Task.isCancelled {
            stream?.end(.lost(CancellationError()))
            return
        }
        let id = inputWaiters.makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { inputWaiters.add(id, $0) }
        } onCancel: {
            Task { await self.cancelInputWaiter(id) }
        }
    }

    private func cancelInputWaiter(_ id: UInt64) {
        stream?.end(.lost(CancellationError()))
        inputWaiters.cancel(id)
    }

    // MARK: The end

    private func finish(_ stream: ActiveStream) async -> StreamEnd {
        let end = stream.end ?? .closed
        // Closing and cutting take time, and another stream may begin in between.
        if self.stream === stream { report(end) }
        switch end {
        case .closedByPeer where core.canResume: await stream.transport.abort()
        case .closed, .closedByPeer, .violation: await closeTransport(of: stream)
        case .lost, .abandoned, .takenOver, .storageFailed: await stream.transport.abort()
        case .superseded, .suspended: break  // The caller that ended it has cut it.
        }
        if self.stream === stream {
            self.stream = nil
            try? handle(.transportLost)
        }
        logger.debug("stream ended", metadata: ["stream": "\(stream.id)"])
        return end
    }

    /// Reports an end that the app did not cause. The core first reports the effects on the session.
    private func report(_ end: StreamEnd) {
        switch end {
        case .lost, .abandoned, .takenOver, .storageFailed:
            try? handle(end.isReset && !Task.isCancelled ? .connectionReset : .transportLost)
            report(.disconnected(end))
        case .closedByPeer, .violation: report(.disconnected(end))
        case .closed, .superseded, .suspended: break
        }
    }
}

extension StreamEnd {
    /// Whether the other side has ended the connection without ending the stream.
    fileprivate var isReset: Bool {
        if case .lost(let error as any StreamConnectionError) = self { error.isReset } else { false }
    }
}
