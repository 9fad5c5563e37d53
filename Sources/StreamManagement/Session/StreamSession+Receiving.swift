// Stanzas that have been received, until they are handled.

import XMLTree

extension StreamSession {
    /// Marks a pending stanza as handled: in any order, and also after the stream was lost (rule R46).
    ///
    /// Does nothing if the stanza was handled already, or if its session is over or suspended. After a resumption the
    /// server delivers the unhandled stanzas of a suspended session again.
    public func markHandled(_ stanza: ReceivedStanza) throws {
        if let number = stanza.number { try markHandled(number) }
    }

    private func markHandled(_ number: IncomingNumber) throws {
        if store != nil { try handle(.markHandled(number)) }
    }

    /// Marks the stanzas as handled that are pending under this identifier.
    public func markHandled(_ id: StanzaID) throws {
        for number in pendingStanzas.take(id) { try markHandled(number) }
    }

    /// Reports that handling a stanza failed. The session offers it again, until it has failed too often (rule R40).
    ///
    /// - Parameters:
    ///   - stanza: The stanza.
    ///   - error: The error of the handler, which ``SessionEvent/incomingDeadLetter(_:attempts:error:)`` carries.
    /// - Returns: Whether the failure was counted; `false` if the session has given up its storage.
    @discardableResult
    public func markFailed(_ stanza: ReceivedStanza, because error: (any Error)? = nil) throws -> Bool {
        if store == nil { return false }
        handlingError = error.map(HandlingError.init)
        defer { handlingError = nil }
        try handle(.handlingFailed(stanza))
        return true
    }

    /// Sends the server the count of handled stanzas.
    public func sendAcknowledgement() throws {
        try handle(.sendAcknowledgement)
    }

    func deliver(_ stanza: ReceivedStanza) throws {
        let decision = delegate?.session(self, handlingOf: stanza.element) ?? decision(about: stanza.element)
        if case .pending(let id?) = decision, let number = stanza.number { pendingStanzas.add(number, as: id) }
        if delegate?.session(self, didReceive: stanza) != true { received.insert(stanza) }
        if decision == .handled, let number = stanza.number { try handle(.markHandled(number)) }
    }

    /// Offers taken, unhandled stanzas again, in their order and before all others. The server delivers some of them
    /// again.
    package func putBack(_ stanzas: [ReceivedStanza]) {
        if isClosed { return }
        for stanza in stanzas.reversed() {
            if let number = stanza.number, comingAgain.contains(number.rawValue) { continue }
            received.insertFirst(stanza)
        }
        wakeWaiters()
    }

    /// The next stanza, if it has come or the transport has input. It does not wait for the other side, and returns
    /// `nil` as soon as the input has no further stanza.
    func followingStanza() async -> ReceivedStanza? {
        let calls = followerCalls
        while received.isEmpty, calls == followerCalls, !isClosed, !Task.isCancelled, hasInput {
            await withCheckedContinuation { followers.add(followers.makeID(), $0) }
        }
        if received.isEmpty { return nil }
        let stanza = received.removeFirst()
        wakeWaiters()
        return stanza
    }

    /// Lets `followingStanza()` return.
    package func stopFollowing() {
        followerCalls &+= 1
        followers.resumeAll()
    }

    /// Whether a stanza may come without a wait for the other side.
    private var hasInput: Bool {
        guard let stream, stream.end == nil, stream.transport.hasInput else { return false }
        return !isInputFull(stream)
    }

    private func decision(about stanza: Element) -> HandlingDecision {
        switch handlingPolicy {
        case .onArrival: .handled
        case .whenConsumed: .pending(id: nil)
        case .deciding(let decide): decide(stanza)
        }
    }

    /// The next stanza for a loop that has finished with the previous one.
    func nextStanza(after previous: ReceivedStanza?) async -> ReceivedStanza? {
        if case .whenConsumed = handlingPolicy, let number = previous?.number {
            // A storage that fails has ended the stream, and `run` returns its error unless it is temporary.
            try? markHandled(number)
        }
        while received.isEmpty {
            if isClosed || Task.isCancelled { return nil }
            await waitForStanza()
        }
        let stanza = received.removeFirst()
        wakeWaiters()
        return stanza
    }

    func waitForStanza() async {
        let id = receivedWaiters.makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { receivedWaiters.add(id, continuation) }
            }
        } onCancel: {
            Task { await self.cancelReceivedWaiter(id) }
        }
    }

    private func cancelReceivedWaiter(_ id: UInt64) {
        receivedWaiters.cancel(id)
    }
}
