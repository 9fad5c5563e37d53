// Acknowledgements of what we receive: counting it, noting what was handled, and telling the other side.

import XMLTree

/// What the other side has been told.
struct AnswerState {
    /// How many stanzas were handled since the last `<a/>`.
    var countSinceLast = 0
    /// The last `<a/>` of this stream, and when.
    var last: (counter: StanzaCounter, uptime: Duration)?
    /// The handled count that is durable: no other is told (D49).
    var durable: StanzaCounter
    /// The stored number of attempts at handling the first unhandled stanza.
    var storedAttempts = 0
}

extension StreamManagementCore {
    // MARK: Counting

    mutating func receiveStanza(_ element: Element, _ step: inout Step) {
        switch state {
        case .enabled: break
        case .disabled(.bound), .disabled(.refused), .enabling:
            return step.emit(.deliver(ReceivedStanza(number: nil, element: element)))
        case .disabled(.unbound), .suspended, .resuming, .ended: return violate(.unexpected(.stanza), &step)
        }
        // What comes again was delivered before the resumption, and its handling is under way or done.
        guard let number = incoming.receive(weight: element.weight) else { return }
        guard let attempts = recovery.storedAttempts else {
            return step.emit(.deliver(ReceivedStanza(number: number, element: element)))
        }
        recovery.firstHasCome(number)
        if attempts >= configuration.maximumHandlingAttempts {
            return setAside(ReceivedStanza(number: number, element: element), attempts: attempts, &step)
        }
        incoming.setAttempts(attempts, of: number)
        storeAttempts(attempts + 1, &step)
        step.emit(.deliver(ReceivedStanza(number: number, element: element)))
    }

    /// A stanza beyond a limit of the parser is handled when it is reported (rule R7). Its answer is stored before that
    /// it was handled: a process that is killed in between answers twice.
    mutating func receiveRejected(_ stanza: RejectedStanza, _ step: inout Step) {
        guard stanza.isStanza else { return state == .ended ? () : step.notify(.rejected(stanza)) }
        var number: IncomingNumber?
        switch state {
        case .enabled:
            number = incoming.receive()
            if number == nil { return }
        case .disabled(.bound), .disabled(.refused), .enabling: break
        case .disabled(.unbound), .suspended, .resuming: return violate(.unexpected(.stanza), &step)
        case .ended: return
        }
        step.notify(.rejected(stanza))
        // Whoever fills the queue gets no answers: it is bounded.
        let answer = hasRoom ? stanza.refusal.map { enqueue($0, nil, &step) } : nil
        if let advance = number.flatMap({ incoming.markHandled($0) }) {
            handledCountAdvanced(by: advance, &step)
            recovery.firstWasRejected()
        }
        if let answer, answer.isSent { transmitFirst(answer, &step) }
    }

    // MARK: Handling

    mutating func markHandled(_ number: IncomingNumber, _ step: inout Step) throws(StreamManagementError) {
        guard let advance = incoming.markHandled(number) else { throw .unknownStanza }
        handledCountAdvanced(by: advance, &step)
    }

    private mutating func handledCountAdvanced(by advance: Int, _ step: inout Step) {
        guard advance > 0 else { return }
        answers.storedAttempts = 0
        if recovery.storesHandledAtOnce { storeHandledAtOnce(&step) }
        recovery.wereHandled(through: incoming.handledTotal)
        guard state == .enabled else {
            // After the disconnect it still counts, in the next `<resume/>` (rule R46).
            return storeHandled(&step)
        }
        if resumption != nil, answers.durable != incoming.handled {
            step.store(.handled(incoming.handled), .deferrable)
        }
        answers.countSinceLast += advance
        acknowledgeIfTriggered(&step)
    }

    /// Acknowledges if it is time to: after so many stanzas, or so long after the first of them.
    mutating func acknowledgeIfTriggered(_ step: inout Step) {
        let trigger = configuration.acknowledgements
        if trigger.count > 0, answers.countSinceLast >= trigger.count {
            acknowledge(&step)
        } else if answers.countSinceLast > 0, timers[.acknowledgement] == nil {
            arm(.acknowledgement, after: trigger.interval, &step)
        }
    }

    mutating func handlingFailed(_ stanza: ReceivedStanza, _ step: inout Step) throws(StreamManagementError) {
        guard let number = stanza.number else { return }
        guard let attempts = incoming.countFailure(of: number) else { throw .unknownStanza }
        // Handled meanwhile, or of a session that is gone.
        guard attempts > 0 else { return }
        if attempts >= configuration.maximumHandlingAttempts {
            return setAside(stanza, attempts: attempts, &step)
        }
        if number.rawValue == incoming.handledTotal + 1 { storeAttempts(attempts, &step) }
        step.emit(.deliver(stanza))
    }

    private mutating func setAside(_ stanza: ReceivedStanza, attempts: Int, _ step: inout Step) {
        step.notify(.setAside(stanza.element, attempts: attempts))
        guard let advance = stanza.number.flatMap({ incoming.markHandled($0) }) else { return }
        // Otherwise the next process would set it aside once more.
        if advance > 0 { storeHandledAtOnce(&step) }
        handledCountAdvanced(by: advance, &step)
    }

    private mutating func storeAttempts(_ attempts: Int, _ step: inout Step) {
        answers.storedAttempts = attempts
        step.store(.handlingAttempts(attempts))
    }

    // MARK: Telling

    mutating func acknowledgeByHand(_ step: inout Step) throws(StreamManagementError) {
        try checkEnabled()
        acknowledge(&step)
    }

    /// `<r/>` has come: it is answered at once, with what was handled (rule R15), unless that was told a moment ago or
    /// a delay is wished for.
    mutating func receiveRequest(_ step: inout Step) {
        guard state == .enabled else { return violate(.unexpected(.request), &step) }
        if timers[.answer] != nil { return }
        var delay = configuration.answerDelay
        if let last = answers.last, last.counter == incoming.handled {
            // A clock that goes backwards, which it must not, makes the pause no longer than it is (M20).
            let elapsed = max(.zero, step.now.uptime - last.uptime)
            delay = max(delay, configuration.repeatedAnswerInterval - elapsed)
        }
        if delay > .zero { arm(.answer, after: delay, &step) } else { acknowledge(&step) }
    }

    /// Sends an `<a/>`. It answers all requests so far, and the automatic ones begin to count anew (rule R43).
    mutating func acknowledge(_ step: inout Step) {
        cancel(.acknowledgement, &step)
        cancel(.answer, &step)
        storeHandled(&step)
        step.emit(.send(.acknowledgement(incoming.handled)))
        answers.countSinceLast = 0
        answers.last = (incoming.handled, step.now.uptime)
    }

    /// Makes the handled count durable now, whatever the write policy: attempts are never held back, and none was made
    /// with the stanza behind. So what ends the process next is not blamed on a stanza that was handled (rule R40).
    private mutating func storeHandledAtOnce(_ step: inout Step) {
        guard resumption != nil, answers.durable != incoming.handled else { return }
        storeHandled(&step)
        step.store(.handlingAttempts(0))
    }

    /// The handled count was stored, together with something else.
    mutating func handledCountIsStored() {
        if resumption != nil { answers.durable = incoming.handled }
    }

    /// Makes the handled count durable (rule R39, D49), if it can be of use to a later process.
    mutating func storeHandled(_ step: inout Step) {
        guard resumption != nil, answers.durable != incoming.handled else { return }
        step.store(.handled(incoming.handled))
        answers.durable = incoming.handled
    }
}
