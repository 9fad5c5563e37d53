// The stanzas of a lost session (rule R30).

import XMLTree

/// A stanza that the application has to decide about, and its last reported state.
struct UndecidedStanza {
    var stanza: OutgoingStanza
    let state: StanzaState
}

extension StreamManagementCore {
    /// Gives up the session for a reason that is independent of the sent stanzas.
    mutating func loseSession(_ loss: SessionLoss, _ step: inout Step) {
        step.notify(.sessionLost(loss))
        giveUpSession(as: .unknown, &step)
    }

    /// Gives up the session. Reports the known state of each sent stanza to the application. The policy decides which
    /// are sent again; unsent stanzas keep waiting.
    mutating func giveUpSession(as fate: StanzaState, _ step: inout Step) {
        cancelAllTimers(&step)
        let sentCount = outgoing.sentCount
        var kept: [OutgoingStanza] = []
        var asked: [OutgoingStanza] = []
        for (position, stanza) in outgoing.stanzas.enumerated() {
            var stanza = stanza
            stanza.isSent = false
            guard position < sentCount else {
                kept.append(stanza)
                continue
            }
            if stanza.isDeadLetter(after: configuration.maximumLosses) {
                deadLetter(stanza, because: .losses(stanza.losses), &step)
                continue
            }
            let prospect = prospect(of: stanza)
            step.report(stanza, fate, prospect)
            switch prospect {
            case .resent: kept.append(stanza)
            case .undecided: asked.append(stanza)
            case .final: break
            }
        }
        outgoing.reset(kept, acknowledged: firstCounter)
        incoming.begin(at: firstCounter)
        requests = RequestState()
        answers = AnswerState(durable: firstCounter)
        recovery = .none
        resumption = nil
        unansweredResumptions = 0
        isGreeted = !awaitsGreetings
        // The next session begins with the greeting.
        if awaitsGreetings {
            outgoing.mergeHeld()
            outgoing.hold { _ in true }
        }
        didResume = false
        state = .disabled(.unbound)
        undecided += asked.map { UndecidedStanza(stanza: $0, state: fate) }
        storeSession(&step)
        if !asked.isEmpty { step.notify(.undecided(asked)) }
    }

    private func prospect(of stanza: OutgoingStanza) -> StanzaReport.Prospect {
        switch configuration.failurePolicy {
        case .resendAll: .resent
        case .resendMessages: stanza.element.isMessage ? .resent : .final
        case .resendNone: .final
        case .ask: .undecided
        }
    }

    mutating func decide(_ numbers: Set<OutgoingNumber>, _ step: inout Step) throws(StreamManagementError) {
        if state == .ended { throw .ended }
        let known = Set(undecided.lazy.map(\.stanza.number))
        guard !undecided.isEmpty, numbers.isSubset(of: known) else { throw .nothingToDecide }
        var chosen: [OutgoingStanza] = []
        for (stanza, state) in undecided.map({ ($0.stanza, $0.state) }) {
            let isChosen = numbers.contains(stanza.number)
            step.report(stanza, state, isChosen ? .resent : .final)
            if isChosen { chosen.append(stanza) }
        }
        undecided = []
        for stanza in chosen { if isGreeted { outgoing.append(stanza) } else { outgoing.appendHeld(stanza) } }
        // If stanzas wait for a suspect's acknowledgement, the chosen ones wait after them.
        let batch = isSending ? outgoing.sendBatch(at: step.now.date) : []
        storeSession(&step)
        transmit(batch, &step)
        waitMayHaveChanged(&step)
    }

    /// Whether a later process could use any part of the session.
    var isWorthStoring: Bool { resumption != nil || !outgoing.isEmpty || !undecided.isEmpty }

    /// Replaces the stored session, or removes it if no later process could use any part of it.
    mutating func storeSession(_ step: inout Step) {
        guard isWorthStoring else { return step.store(.remove) }
        answers.durable = incoming.handled
        var session = sessionData(step.now)
        (session.pending, session.undecided) = (outgoing.stanzas.map(\.self), undecided.map(\.stanza))
        session.held = outgoing.held.map(\.self)
        step.store(.replace(session))
    }

    /// Stores the data of a new session. The queue is stored already, and a write of its own is only due for the
    /// stanzas that the stream sends now.
    mutating func storeBeginning(sending count: Int = 0, _ step: inout Step) {
        guard isWorthStoring else { return step.store(.remove) }
        answers.durable = incoming.handled
        step.store(.begin(sessionData(step.now)))
        if count > 0 { step.store(.sendWaiting(at: step.now.date, count: count)) }
    }

    private func sessionData(_ now: Moment) -> StoredSession {
        StoredSession(
            resumption: resumption, address: address, lastDisconnect: lastDisconnect(now),
            handledByClient: incoming.handled, handledByServer: outgoing.acknowledged, isGreeted: isGreeted,
            handlingAttempts: answers.storedAttempts, unansweredResumptions: unansweredResumptions)
    }
}
