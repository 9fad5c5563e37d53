// Stanzas that the application sends.

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
        try checkOpen()
        if stanzas.isEmpty { return [] }
        try takeUp()
        if !isChecked { for stanza in stanzas { try record.checkCanStore(stanza.element) } }
        let sent = try await withRoom(for: { stanzas.count }) { try record.send(stanzas, for: self) }
        try await record.stored(sent, for: self)
        return sent
    }

    // MARK: Greetings and held stanzas

    /// Sends the greeting of a session, such as presence and the presence that joins rooms, and then all stanzas that
    /// waited for it.
    ///
    /// Call it after ``awaitGreetings(_:)``, for each session that has begun: see ``SessionEvent/enabled(_:_:)`` and
    /// ``SessionEvent/notOffered``. The session sends these stanzas before all that waited.
    ///
    /// - Throws: The errors of ``send(_:id:)``. Then the session sends nothing.
    @discardableResult
    public func greet(with stanzas: [Element]) async throws -> [SentStanza] {
        try checkOpen()
        try takeUp()
        for stanza in stanzas { try record.checkCanStore(stanza) }
        let sent = try record.send(stanzas.map { ($0, nil) }, asGreeting: true, for: self)
        try await record.stored(sent, for: self)
        try handle(.greeted)
        return sent
    }

    /// Sends a stanza of a greeting that is not complete.
    package func greet(checked stanza: Element) async throws -> SentStanza {
        try checkOpen()
        try takeUp()
        let sent = try record.send([(stanza, nil)], asGreeting: true, for: self)
        try await record.stored(sent, for: self)
        return sent[0]
    }

    /// The greeting of the session is done, or given up.
    package func greetingIsDone() {
        // A session that is suspended by now finds out when it runs again.
        if isOwner { try? handle(.greeted) }
    }

    /// Sends held stanzas.
    ///
    /// A new session holds the messages to rooms that waited (``hold(where:)``). It releases them when the room sends
    /// the presence with status 110 (XEP-0045 §7.2.2), which shows that the account has joined. Where a room sends no
    /// such presence, call this.
    ///
    /// - Parameter isReleased: Whether to send a held stanza.
    /// - Throws: the storage's errors.
    public func release(where isReleased: @Sendable (Element) -> Bool = { _ in true }) async throws {
        try takeUp()
        try handle(.release(Set(held.filter { isReleased($0.element) }.map(\.number))))
        try await record.stored(for: self)
    }

    /// Sets the kinds of stanzas that a new session holds until they are released. Holds messages to rooms by default
    /// (`groupchat`): a room accepts them only after it was joined.
    ///
    /// Only stanzas that waited when the session began are held, and later stanzas to the same address, to keep the
    /// order. Presence to that address is not held: it joins the room.
    public func hold(where isHeld: @escaping @Sendable (Element) -> Bool) { record.hold(isHeld) }

    /// Sets whether each new session waits for ``greet(with:)``. The stanzas that waited when the session began, and
    /// those that you send before the greeting, go after it. The default is `false`. Set it before the first stream.
    public func awaitGreetings(_ awaits: Bool = true) { record.awaitGreetings(awaits) }

    // MARK: Waiting stanzas

    /// Sets the application's identifier of a stanza that was passed before (rule R46).
    ///
    /// - Throws: `StreamManagementError.unknownStanza` for a stanza of another session; the storage's errors.
    public func identify(_ stanza: SentStanza, as id: StanzaID) async throws {
        try takeUp()
        try handle(.identify(stanza.number, as: id))
        try await record.stored(for: self)
    }

    /// Withdraws a waiting stanza: the session does not send it. A stanza that was sent in this session counts, and
    /// stays.
    ///
    /// The stanza's state becomes `failed`, or `unknown` if it may have been sent in a session that was lost. Does
    /// nothing while the session is suspended.
    ///
    /// - Throws: the storage's errors.
    public func withdraw(_ stanza: SentStanza) async throws {
        guard isOwner, tracks(stanza) else { return }
        try takeUp()
        try handle(.withdraw(stanza.number))
        try await record.stored(for: self)
    }

    /// Decides about the undecided stanzas: the session sends these again, and gives up the others.
    ///
    /// - Throws: `StreamManagementError.nothingToDecide` if one of them is not undecided, or `.ended`; the storage's
    ///   errors.
    public func decide(resend numbers: Set<OutgoingNumber>) async throws {
        try takeUp()
        try handle(.decide(resend: numbers))
        try await record.stored(for: self)
    }

    /// Asks the server for its handled count, unless it was asked already and no stanza was sent since (D18).
    ///
    /// - Throws: `StreamManagementError.notEnabled` if the stream has no stream management, or `.ended`.
    public func requestAcknowledgement() throws {
        try handle(.requestAcknowledgement)
    }

    /// Waits until there is room for stanzas to be sent (D23).
    package func waitUntilRoom(for count: Int) async throws {
        try await withRoom(for: { count }) {}
    }

    /// Some entries that wait for room have left. The others keep their place, and may need less room.
    package func entriesHaveLeft() { wakeSenders() }
}
