// Received stanzas: taking them, and marking them as handled.

import XMLTree

extension StreamSession {
    /// The received stanzas.
    public nonisolated var stanzas: StanzaSequence { StanzaSequence(session: self) }

    /// The next stanza for a loop that has finished with the previous one.
    func nextStanza(after previous: ReceivedStanza?) async -> ReceivedStanza? {
        // A storage that fails has ended the stream, and `run` returns its error unless it is temporary.
        if case .whenConsumed = handlingPolicy, let previous { try? markHandled(previous) }
        return await takeStanza()
    }

    /// Waits for the next stanza, and takes it; `nil` if the session was closed or the task canceled.
    private func takeStanza() async -> ReceivedStanza? {
        while true {
            if let stanza = takeFirst() { return stanza }
            if isClosed || Task.isCancelled { return nil }
            await wait(for: .stanza)
        }
    }

    /// Waits for a received stanza, and takes it and those that have already arrived: at most `limit`, and no further
    /// ones after so many bytes.
    ///
    /// - Returns: The stanzas, and whether each may have ended an earlier process; none if the session was closed, or
    ///   the task canceled.
    package func takeStanzas(atMost limit: Int, bytes: Int) async -> [(stanza: ReceivedStanza, isSuspect: Bool)] {
        var taken: [(stanza: ReceivedStanza, isSuspect: Bool)] = []
        var weight = 0
        var next = await takeStanza()
        while let stanza = next {
            weight += stanza.element.weight
            taken.append((stanza, isSuspect(stanza)))
            next = taken.count < limit && weight < bytes ? await takeFollowingStanza() : nil
        }
        return taken
    }

    /// Marks a pending stanza as handled: in any order, and also after the stream was lost (rule R46).
    ///
    /// Does nothing if the stanza was handled already, or if its session is over or suspended. After a resumption the
    /// server delivers the unhandled stanzas of a suspended session again.
    ///
    /// - Throws: `StreamManagementError.unknownStanza` for a stanza of another session; the storage's errors.
    public func markHandled(_ stanza: ReceivedStanza) throws {
        if let number = stanza.number { try markHandled(number) }
    }

    private func markHandled(_ number: IncomingNumber) throws {
        if isOwner { try handle(.markHandled(number)) }
    }

    /// Marks the stanzas as handled that are pending under this identifier.
    ///
    /// - Throws: the storage's errors.
    public func markHandled(_ id: StanzaID) throws {
        for number in takePending(id) { try markHandled(number) }
    }

    /// Reports that handling a stanza failed. The session offers it again, until it has failed too often (rule R40).
    ///
    /// - Parameters:
    ///   - stanza: The stanza.
    ///   - error: The error of the handler, which ``SessionEvent/incomingDeadLetter(_:attempts:error:)`` carries.
    /// - Returns: Whether the failure was counted; `false` if the session has given up its storage.
    /// - Throws: `StreamManagementError.unknownStanza` for a stanza of another session; the storage's errors.
    @discardableResult
    public func markFailed(_ stanza: ReceivedStanza, because error: (any Error)? = nil) throws -> Bool {
        if !isOwner { return false }
        try handle(.handlingFailed(stanza), because: error)
        return true
    }

    /// Sends the server the count of handled stanzas.
    ///
    /// - Throws: `StreamManagementError.notEnabled` if the stream has no stream management, or `.ended`; the storage's
    ///   errors.
    public func sendAcknowledgement() throws {
        try handle(.sendAcknowledgement)
    }

    /// Reports a stanza without a number that the caller has given up (rule R40).
    package func reportDeadLetter(_ stanza: Element, attempts: Int, because error: (any Error)?) {
        report(.incomingDeadLetter(stanza, attempts: attempts, error: error.map(HandlingError.init)))
    }

    /// Reports a stanza that no route took.
    package func reportNotRouted(_ stanza: Element) { report(.notRouted(stanza)) }
}
