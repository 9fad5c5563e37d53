// Stanzas that the application sends, and the outbox through which everything is written.

public import XMLTree

extension StreamSession {
    /// Gives a stanza to be sent. It is stored when this returns, and sent as soon as there is a stream.
    ///
    /// Waits while too many stanzas are unacknowledged already (D23), without holding up a thread.
    ///
    /// - Parameters:
    ///   - stanza: an `iq`, `message` or `presence`.
    ///   - id: what the application calls it; `nil` for the delegate's choice, or the stanza's own `id`.
    /// - Returns: a place to see what becomes of it.
    /// - Throws: `StreamManagementError` if it is no stanza or the session was closed, `CancellationError` if the task
    ///   is cancelled before it was stored, and what the storage throws, also of a stanza that it cannot store.
    @discardableResult
    public func send(_ stanza: Element, id: StanzaID? = nil) async throws -> SentStanza {
        try await send(contentsOf: [(stanza, id)], isChecked: false)[0]
    }

    /// The same for a stanza that the storage can store, as whoever sends it has seen: that takes its time, which need
    /// not be this thread's.
    package func send(checked stanza: Element) async throws -> SentStanza {
        try await send(contentsOf: [(stanza, nil)], isChecked: true)[0]
    }

    /// Gives several stanzas to be sent, in order. As many as there is room for are stored in one go, which costs a
    /// durable storage little more than storing one.
    @discardableResult
    public func send(contentsOf stanzas: [Element]) async throws -> [SentStanza] {
        try await send(contentsOf: stanzas.map { ($0, nil) }, isChecked: false)
    }

    private func send(
        contentsOf stanzas: [(element: Element, id: StanzaID?)], isChecked: Bool
    ) async throws -> [SentStanza] {
        for stanza in stanzas { try stanza.element.checkIsStanza() }
        if isClosed { throw StreamManagementError.ended }
        try takeUp()
        if !isChecked { for stanza in stanzas { try store?.checkCanStore(stanza.element) } }
        var tracked: [SentStanza] = []
        while tracked.count < stanzas.count {
            let rest = stanzas[tracked.count...]
            let sent = try await withRoom(for: 1) { try sendAsManyAsFit(rest) }
            tracked += sent
        }
        return tracked
    }

    private func sendAsManyAsFit(_ stanzas: ArraySlice<(element: Element, id: StanzaID?)>) throws -> [SentStanza] {
        var tracked: [SentStanza] = []
        var appended: [Core.Action] = []
        var others: [Core.Action] = []
        // A stream that began while this waited may accept less. Nothing throws once the core has taken a stanza.
        for stanza in stanzas { try core.checkSize(of: stanza.element) }
        for (element, id) in stanzas where core.hasRoom {
            let stanza = SentStanza(number: core.upcomingNumber, element: element)
            let id = id ?? delegate?.session(self, idForSentStanza: element)
            for action in try core.handle(.send(element, id: id), at: clock.now) {
                if case .store(.append, _) = action { appended.append(action) } else { others.append(action) }
            }
            sent[stanza.number] = stanza
            tracked.append(stanza)
        }
        // All are stored before the first is sent, so that one transaction does for all.
        try perform(appended + others)
        return tracked
    }

    /// Tells late what the application calls a stanza (rule R46).
    public func identify(_ stanza: SentStanza, as id: StanzaID) throws {
        try takeUp()
        try handle(.identify(stanza.number, as: id))
    }

    /// Takes back a stanza that waits: it is not sent. One that was sent in this session counts, and stays.
    ///
    /// What becomes of it is `failed` then, or `unknown` if it may have been sent in a session that was lost. Nothing
    /// happens while the session is laid aside.
    ///
    /// - Throws: what the storage throws.
    public func withdraw(_ stanza: SentStanza) throws {
        guard store != nil, sent[stanza.number] === stanza else { return }
        try takeUp()
        try handle(.withdraw(stanza.number))
    }

    /// What becomes of a stanza that an earlier process has sent, or this one; `nil` if that is settled.
    public func tracking(_ number: OutgoingNumber) -> SentStanza? {
        restoreIfNeeded()
        return sent[number]
    }

    /// Decides what becomes of the stanzas that the application was asked about: these are sent again, the others are
    /// given up.
    public func decide(resend numbers: Set<OutgoingNumber>) throws {
        try takeUp()
        try handle(.decide(resend: numbers))
    }

    /// Asks the server what it has handled, unless it was asked already and nothing was sent since (D18).
    public func requestAcknowledgement() throws {
        try handle(.requestAcknowledgement)
    }

    // MARK: Waiting for room

    /// Waits until there is room for so many stanzas and no other sender comes first. Then calls `body`, which gives
    /// stanzas to be sent.
    ///
    /// - Throws: `StreamManagementError.ended` if the session was closed, `.queueFull` for more stanzas than fit at
    ///   all, `CancellationError`, and the errors of the storage and of `body`.
    func withRoom<Value>(for places: Int, _ body: () throws -> Value) async throws -> Value {
        if roomQueue.isEmpty, try canSend(places) { return try body() }
        let ticket = roomQueue.join(places: places)
        defer {
            leaveRoomQueue(ticket)
            wakeFirstSender()
        }
        while true {
            let canSend = try canSend(places)
            if canSend, roomQueue.isFirst(ticket) {
                // The wait is over: the core must not ask for room for stanzas that it has.
                leaveRoomQueue(ticket)
                return try body()
            }
            // Now more may be read than before.
            inputWaiters.resumeAll()
            // A server may acknowledge only in answer to requests.
            updateAwaitedRoom()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if Task.isCancelled { continuation.resume() } else { roomQueue.wait(ticket, continuation) }
                }
            } onCancel: {
                Task { await self.cancelSender(ticket) }
            }
            try Task.checkCancellation()
            // The session was suspended in between: only the process that claims it makes room.
            if store == nil, waitsForClaim { throw StorageError.takenOver(account: account) }
        }
    }

    /// How many senders wait for room.
    package var waitingSenderCount: Int { roomQueue.count }

    /// Whether there is room, in a session that this process owns.
    private func canSend(_ places: Int) throws -> Bool {
        if isClosed { throw StreamManagementError.ended }
        try takeUp()
        let limit = core.configuration.maximumUnacknowledged
        if places > limit { throw StreamManagementError.queueFull(limit: limit) }
        return core.hasRoom(for: places) && stream?.isFull != true
    }

    private func leaveRoomQueue(_ ticket: UInt64) {
        roomQueue.leave(ticket)
        updateAwaitedRoom()
    }

    /// Lets the core know for how many stanzas the first sender needs room.
    private func updateAwaitedRoom() {
        let places = roomQueue.awaitedPlaces
        guard places != core.awaitedPlaces else { return }
        // Nothing of it is stored.
        try? handle(.awaitRoom(places: places))
    }

    private func cancelSender(_ ticket: UInt64) { roomQueue.cancel(ticket) }

    private func wakeFirstSender() {
        if !roomQueue.isEmpty, core.hasRoom(for: roomQueue.awaitedPlaces) { roomQueue.wakeFirst() }
    }

    /// Resumes the tasks whose wait may be over.
    func wakeWaiters() {
        if isClosed { roomQueue.wakeAll() } else { wakeFirstSender() }
        if !inputWaiters.isEmpty { inputWaiters.resumeAll() }
        if !received.isEmpty || isClosed { receivedWaiters.resumeAll() }
        followers.resumeAll()
        if core.unacknowledged.isEmpty || !core.isSending { drainWaiters.resumeAll() }
    }

    // MARK: Writing

    /// Writes what is in the outbox, if nobody does so already.
    func startWriter() {
        guard let stream, stream.writer == nil, !stream.outbox.isEmpty, stream.writeFailure == nil else { return }
        stream.writer = Task { await self.write(stream) }
    }

    /// Waits until everything is written. A connection that takes nothing for too long is cut, at `end` at the latest.
    func finishWriting(_ stream: ActiveStream, by end: Duration? = nil) async {
        guard let writer = stream.writer else { return }
        let time = core.configuration.closingTimeout
        var alarm: Task<Void, Never>?
        let deadlines = [time > .zero ? clock.now.uptime + time : nil, end].compactMap(\.self)
        if let deadline = deadlines.min() {
            let (clock, transport) = (clock, stream.transport)
            alarm = Task {
                do { try await clock.sleep(until: deadline) } catch { return }
                await transport.abort()
            }
        }
        await writer.value
        alarm?.cancel()
    }

    /// The server may have sent a reason before it cut the connection. The reader takes everything that arrived, and
    /// ends the stream. It does so at once where the received stanzas leave no room for more.
    private func writingFailed(_ error: any Error, on stream: ActiveStream) {
        stream.writingFailed(error)
        inputWaiters.resumeAll()
        let time = core.configuration.closingTimeout
        let limit = time > .zero ? time : StreamManagementConfiguration.usualClosingTimeout
        Task { [weak self, clock, id = stream.id] in
            try? await clock.sleep(until: clock.now.uptime + limit)
            await self?.endWriting(on: id)
        }
    }

    private func endWriting(on id: UInt64) {
        if let stream, stream.id == id { endWriting(stream) }
    }

    /// Ends a stream that cannot be written to.
    func endWriting(_ stream: ActiveStream) {
        guard let error = stream.writeFailure, stream.end == nil else { return }
        stream.end(.lost(error))
        wakeWaiters()
        let transport = stream.transport
        Task { await transport.abort() }
    }

    private func write(_ stream: ActiveStream) async {
        while let batch = stream.takeOutbox() {
            // The outbox has room again. The server can answer before it has read a large stanza, with a stream error.
            inputWaiters.resumeAll()
            do {
                try await stream.transport.send(batch.bytes)
            } catch {
                writingFailed(error, on: stream)
                break
            }
            for number in batch.numbers { sent[number]?.update(.sent) }
            // A storage that fails has ended the stream.
            if self.stream === stream, let last = batch.numbers.last { try? handle(.written(through: last)) }
            wakeWaiters()
        }
        stream.writer = nil
    }
}
