// Stanzas that the application sends, and the outbox that holds everything to write.

public import XMLTree

extension StreamSession {
    /// Sends a stanza. It is stored when this returns, and sent as soon as a stream allows it.
    ///
    /// Waits, without blocking a thread, while too many stanzas are unacknowledged (D23).
    ///
    /// - Parameters:
    ///   - stanza: an `iq`, `message` or `presence`.
    ///   - id: the application's identifier for it; `nil` for the delegate's choice, or the stanza's own `id`.
    /// - Returns: an object that reports the stanza's delivery.
    /// - Throws: `StreamManagementError` if the element is not a stanza or the session was closed; `CancellationError`
    ///   if the task is canceled before the stanza is stored; the storage's errors, also for a stanza that it cannot
    ///   store. After an error the session does not send the stanza.
    @discardableResult
    public func send(_ stanza: Element, id: StanzaID? = nil) async throws -> SentStanza {
        try await send(contentsOf: [(stanza, id)], isChecked: false)[0]
    }

    /// Sends a stanza that the caller has checked: the storage can store it. The check takes time, which need not be
    /// this thread's.
    package func send(checked stanza: Element) async throws -> SentStanza {
        try await send(contentsOf: [(stanza, nil)], isChecked: true)[0]
    }

    /// Sends several stanzas in order: all of them, or none after an error.
    ///
    /// Waits until there is room for all (D23), and stores them in one write. A durable storage needs little more time
    /// for it than for one stanza.
    ///
    /// - Throws: `StreamManagementError.queueFull` for more stanzas than
    ///   ``StreamManagementConfiguration/maximumUnacknowledged``; the errors of ``send(_:id:)``.
    @discardableResult
    public func send(contentsOf stanzas: [Element]) async throws -> [SentStanza] {
        try await send(contentsOf: stanzas.map { ($0, nil) }, isChecked: false)
    }

    private func send(
        contentsOf stanzas: [(element: Element, id: StanzaID?)], isChecked: Bool
    ) async throws -> [SentStanza] {
        for stanza in stanzas { try stanza.element.checkIsStanza() }
        if isClosed { throw StreamManagementError.ended }
        if stanzas.isEmpty { return [] }
        try takeUp()
        if !isChecked { for stanza in stanzas { try store?.checkCanStore(stanza.element) } }
        return try await withRoom(for: { stanzas.count }) { try sendNow(stanzas) }
    }

    private func sendNow(_ stanzas: [(element: Element, id: StanzaID?)]) throws -> [SentStanza] {
        var tracked: [SentStanza] = []
        let actions = try stored { actions in
            tracked = try stanzas.map { try send($0.element, id: $0.id, &actions) }
        }
        for stanza in tracked { sent[stanza.number] = stanza }
        try perform(actions)
        return tracked
    }

    /// Passes a stanza to the core, and collects its actions.
    func send(_ element: Element, id: StanzaID? = nil, _ actions: inout [Core.Action]) throws -> SentStanza {
        let stanza = SentStanza(number: core.upcomingNumber, element: element)
        let id = id ?? delegate?.session(self, idForSentStanza: element)
        actions += try core.handle(.send(element, id: id), at: clock.now)
        return stanza
    }

    /// Sets the application's identifier of a stanza that was passed before (rule R46).
    public func identify(_ stanza: SentStanza, as id: StanzaID) throws {
        try takeUp()
        try handle(.identify(stanza.number, as: id))
    }

    /// Withdraws a waiting stanza: the session does not send it. A stanza that was sent in this session counts, and
    /// stays.
    ///
    /// The stanza's state becomes `failed`, or `unknown` if it may have been sent in a session that was lost. Does
    /// nothing while the session is suspended.
    ///
    /// - Throws: the storage's errors.
    public func withdraw(_ stanza: SentStanza) throws {
        guard store != nil, sent[stanza.number] === stanza else { return }
        try takeUp()
        try handle(.withdraw(stanza.number))
    }

    /// Returns the object that reports a stanza's delivery, also for a stanza of an earlier process; `nil` after the
    /// last report.
    public func tracking(_ number: OutgoingNumber) -> SentStanza? {
        restoreIfNeeded()
        return sent[number]
    }

    /// Decides about the undecided stanzas: the session sends these again, and gives up the others.
    public func decide(resend numbers: Set<OutgoingNumber>) throws {
        try takeUp()
        try handle(.decide(resend: numbers))
    }

    /// Asks the server for its handled count, unless it was asked already and no stanza was sent since (D18).
    public func requestAcknowledgement() throws {
        try handle(.requestAcknowledgement)
    }

    // MARK: Waiting for room

    /// Waits until the queue has room for stanzas, and no other sender comes first. Then calls `body`, which passes the
    /// stanzas to the core.
    ///
    /// - Parameters:
    ///   - places: Returns the number of stanzas, which may fall during the wait.
    ///   - body: Passes the stanzas.
    /// - Throws: `StreamManagementError.ended` if the session was closed, `.queueFull` for more stanzas than fit at
    ///   all, `CancellationError`, and the errors of the storage and of `body`.
    func withRoom<Value>(for places: () -> Int, _ body: () throws -> Value) async throws -> Value {
        if roomQueue.isEmpty, try canSend(places()) { return try body() }
        let ticket = roomQueue.join(places: places())
        defer {
            leaveRoomQueue(ticket)
            wakeFirstSender()
        }
        while true {
            let wanted = places()
            let canSend = try canSend(wanted)
            if canSend, roomQueue.isFirst(ticket) {
                // The wait is over: the core must not ask for room for stanzas that it has.
                leaveRoomQueue(ticket)
                return try body()
            }
            roomQueue.setPlaces(wanted, of: ticket)
            // The session may now read more than before.
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

    /// The number of senders that wait for room.
    package var waitingSenderCount: Int { roomQueue.count }

    /// Whether the queue has room, in a session that this process owns.
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

    /// Passes the room that the first sender needs to the core.
    private func updateAwaitedRoom() {
        let places = roomQueue.awaitedPlaces
        guard places != core.awaitedPlaces else { return }
        // The core stores nothing for this event.
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

    /// Writes the outbox, unless a writer runs.
    func startWriter() {
        guard let stream, stream.writer == nil, !stream.outbox.isEmpty, stream.writeFailure == nil else { return }
        stream.writer = Task { await self.write(stream) }
    }

    /// Waits until everything is written. Cuts a connection that accepts nothing for too long, at `end` at the latest.
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

    /// Lets the reader end a stream that cannot be written to. The server may have sent a reason before it cut the
    /// connection. The reader takes everything that arrived, and ends the stream. It does so at once if received
    /// stanzas leave no room for more.
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
