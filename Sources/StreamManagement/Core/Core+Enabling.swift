// Enabling stream management, binding without it, and restoring a stored session.

import XMLTree

extension StreamManagementCore {
    mutating func restore(_ session: StoredSession, _ step: inout Step) throws(StreamManagementError) {
        guard state == .disabled(.unbound), nextNumber == firstNumber else { throw .alreadyStarted }
        let session = session.mended
        let highest = (session.undecided + session.pending + session.held).map(\.number.rawValue).max()
        if let highest { nextNumber = max(nextNumber, highest + 1) }
        outgoing.reset(session.pending, acknowledged: session.handledByServer, held: session.held)
        isGreeted = session.resumption == nil ? !awaitsGreetings : session.isGreeted
        incoming.begin(at: session.handledByClient)
        answers = AnswerState(durable: session.handledByClient, storedAttempts: session.handlingAttempts)
        address = session.address
        recovery = .awaitingFirst(attempts: session.handlingAttempts)
        unansweredResumptions = session.unansweredResumptions
        undecided = session.undecided.map { UndecidedStanza(stanza: $0, state: .unknown) }
        if !undecided.isEmpty { step.notify(.undecided(session.undecided)) }
        resumption = session.resumption
        if resumption != nil {
            state = .suspended(since: session.lastDisconnect ?? .distantPast)
        } else if outgoing.sentCount > 0 {
            loseSession(.notResumable, &step)
        }
        // The process before may have greeted sessions.
        if !awaitsGreetings { greeted(&step) }
    }

    mutating func bind(_ address: String?, _ step: inout Step) throws(StreamManagementError) {
        if state == .disabled(.bound) || state == .disabled(.refused) { throw .alreadyBound }
        try checkMayBind()
        if case .suspended = state { loseSession(.notResumed, &step) }
        self.address = address
        state = .disabled(.bound)
        didResume = false
        // No acknowledgement will come for the waiting stanzas: each stays stored until the transport has taken it.
        let hasRemoved = removeTooLarge(&step)
        // A stream that is enabled later is greeted then.
        let hasMoved = holdWaiting(awaitsGreetings && configuration.enablesAutomatically)
        let batch = outgoing.sendBatch(at: step.now.date)
        guard hasRemoved || hasMoved || !batch.isEmpty else { return }
        storeSession(&step)
        transmit(batch, &step)
    }

    mutating func enable(_ resumption: Bool, _ maximum: Duration?, _ address: String?, _ step: inout Step)
        throws(StreamManagementError)
    {
        if state == .disabled(.refused) { throw .refused }
        try checkMayBind()
        if case .suspended = state { loseSession(.notResumed, &step) }
        if let address { self.address = address }
        state = .enabling
        didResume = false
        // The outgoing count begins here (rule R2); the waiting stanzas follow `<enable/>` (rule R3).
        var hasChanged = removeTooLarge(&step)
        if holdWaiting(awaitsGreetings) { hasChanged = true }
        outgoing.beginCounting(at: firstCounter)
        let batch = outgoing.sendBatch(at: step.now.date)
        requests = RequestState()
        beginCountingInput()
        if hasChanged { storeSession(&step) } else { storeBeginning(sending: batch.count, &step) }
        step.emit(.send(.enable(resumption: resumption, maximum: Self.wholeSeconds(maximum))))
        transmit(batch, &step)
        arm(.negotiation, after: configuration.negotiationTimeout, &step)
    }

    /// Handles `<enabled/>`: the incoming count begins here (rule R2).
    mutating func receiveEnabled(_ element: Element, _ step: inout Step) {
        guard state == .enabling else { return violate(.unexpected(.enabled), &step) }
        state = .enabled
        cancel(.negotiation, &step)
        beginCountingInput()
        resumption = Resumption(enabled: element)
        // The server answers in order: the transport has taken everything that was sent before `<enable/>`.
        outgoing.markUncountedWritten()
        removeWritten(&step)
        if resumption != nil { storeBeginning(&step) }
        step.notify(.enabled(element, resumption))
        armRefresh(&step)
        requestIfTriggered(&step)
    }

    /// Handles `<failed/>` as the answer to `<enable/>`. The stream is an ordinary one (rule R12), and no sent stanza
    /// counts.
    mutating func refused(_ element: Element, _ step: inout Step) {
        state = .disabled(.refused)
        cancel(.negotiation, &step)
        step.notify(.notEnabled(element))
        // From now on the next batch waits for the transport, not for an acknowledgement.
        outgoing.stopCounting()
        removeWritten(&step)
    }

    private mutating func beginCountingInput() {
        incoming.begin(at: firstCounter)
        answers = AnswerState(durable: firstCounter)
        recovery = .none
    }

    private func checkMayBind() throws(StreamManagementError) {
        switch state {
        case .disabled, .suspended: return
        case .enabling: throw .enablingUnderWay
        case .enabled: throw .alreadyEnabled
        case .resuming: throw .resumptionUnderWay
        case .ended: throw .ended
        }
    }

    /// The value of `max`: whole seconds without the fraction; `nil` instead of zero (rule R41).
    static func wholeSeconds(_ maximum: Duration?) -> UInt32? {
        guard let seconds = maximum?.components.seconds, seconds > 0 else { return nil }
        return UInt32(clamping: seconds)
    }
}
