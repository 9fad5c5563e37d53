// Stanzas that have been received, until they are handled.

import XMLTree

extension StreamSession {
    /// A stanza was handled that had been left pending. In any order, and also after the stream was lost (rule R46).
    ///
    /// Nothing happens if it was handled already, or if its session is over or was laid aside: what is not handled by
    /// then comes again when the session is resumed.
    public func markHandled(_ stanza: ReceivedStanza) throws {
        if let number = stanza.number { try markHandled(number) }
    }

    private func markHandled(_ number: IncomingNumber) throws {
        if store != nil { try handle(.markHandled(number)) }
    }

    /// The stanzas were handled that had been left pending under this name.
    public func markHandled(_ id: StanzaID) throws {
        for number in pendingStanzas.take(id) { try markHandled(number) }
    }

    /// Handling a stanza has failed: it is offered again, until it has failed too often (rule R40).
    ///
    /// - Parameters:
    ///   - stanza: The stanza.
    ///   - error: The error of the handler, which ``SessionEvent/setAside(_:attempts:error:)`` carries.
    /// - Returns: Whether that was counted; not if the session was given up.
    @discardableResult
    public func markFailed(_ stanza: ReceivedStanza, because error: (any Error)? = nil) throws -> Bool {
        if store == nil { return false }
        handlingError = error.map(HandlingError.init)
        defer { handlingError = nil }
        try handle(.handlingFailed(stanza))
        return true
    }

    /// Tells the server what was handled.
    public func sendAcknowledgement() throws {
        try handle(.sendAcknowledgement)
    }

    func deliver(_ stanza: ReceivedStanza) throws {
        let decision = delegate?.session(self, handlingOf: stanza.element) ?? decision(about: stanza.element)
        if case .pending(let id?) = decision, let number = stanza.number { pendingStanzas.add(number, as: id) }
        if delegate?.session(self, didReceive: stanza) != true { received.insert(stanza) }
        if decision == .handled, let number = stanza.number { try handle(.markHandled(number)) }
    }

    /// Offers a stanza again that was taken and not handled, before all others; unless it comes again by itself.
    package func putBack(_ stanza: ReceivedStanza) {
        if isClosed { return }
        if let number = stanza.number, comingAgain.contains(number.rawValue) { return }
        received.insertFirst(stanza)
        wakeWaiters()
    }

    private func decision(about stanza: Element) -> HandlingDecision {
        switch handlingPolicy {
        case .onArrival: .handled
        case .whenConsumed: .pending(id: nil)
        case .deciding(let decide): decide(stanza)
        }
    }

    /// The next stanza for a loop that has done with the one before.
    func nextStanza(after previous: ReceivedStanza?) async -> ReceivedStanza? {
        if case .whenConsumed = handlingPolicy, let number = previous?.number {
            // A storage that fails has ended the stream, which tells whoever runs it.
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

    private func waitForStanza() async {
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
