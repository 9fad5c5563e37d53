// Acknowledgements of received stanzas: counting stanzas, recording the handled ones, and answering the server.

import XMLTree
import XMPPCore

/// The acknowledgements that the core has sent and stored.
struct AnswerState {
    /// The number of stanzas handled since the last `<a/>`.
    var countSinceLast = 0
    /// The last `<a/>` of this stream, and its time.
    var last: (counter: StanzaCounter, uptime: Duration)?
    /// The durable handled count, the only one that the core sends (D49).
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
            reportBounce(element, &step)
            releaseJoined(by: element, &step)
            return step.emit(.deliver(ReceivedStanza(number: nil, element: element)))
        case .disabled(.unbound), .suspended, .resuming, .ended: return violate(.unexpected(.stanza), &step)
        }
        // The server sends this stanza again after a resumption. It was delivered before, and is being handled or
        // handled.
        guard let number = incoming.receive(weight: element.weight) else { return }
        reportBounce(element, &step)
        releaseJoined(by: element, &step)
        guard let attempts = recovery.storedAttempts else {
            return step.emit(.deliver(ReceivedStanza(number: number, element: element)))
        }
        recovery.firstHasCome(number)
        if attempts >= configuration.maximumHandlingAttempts {
            return deadLetter(ReceivedStanza(number: number, element: element), attempts: attempts, &step)
        }
        incoming.setAttempts(attempts, of: number)
        storeAttempts(attempts + 1, &step)
        step.emit(.deliver(ReceivedStanza(number: number, element: element)))
    }

    /// Reports an error to the sender of the stanza that it answers. An error can come before the acknowledgement, and
    /// while the stanza waits to be sent again, or for a decision about that.
    private mutating func reportBounce(_ element: Element, _ step: inout Step) {
        guard element.isError else { return }
        let stanza =
            acknowledged.take(answeredBy: element, own: address)
            ?? outgoing.lastSent { element.answers($0, own: address) }
            ?? undecided.last { element.answers($0.stanza.element, own: address) }?.stanza
        guard let stanza, let error = StanzaError(element) else { return }
        step.report(stanza, .bounced(error))
    }

    /// Handles a stanza that the parser rejected by reporting it (rule R7). The answer is stored before the handled
    /// mark: after a crash in between, the next process answers again.
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
        // The queue is bounded: when it is full, the sender gets no answer.
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

    /// Marks stanzas whose handled count a transaction of the application has stored.
    ///
    /// - Returns: The actions, and whether these stanzas belong to the present session.
    package mutating func markHandled(
        _ numbers: [IncomingNumber], stored counter: StanzaCounter, at now: Moment
    ) -> (actions: [Action], isStored: Bool) {
        var step = Step(now: now)
        let advance = numbers.reduce(0) { $0 + (incoming.markHandled($1) ?? 0) }
        let isStored = advance > 0 && resumption != nil
        // Later stanzas may have been handled before.
        if isStored, incoming.handled == counter { answers.durable = counter }
        handledCountAdvanced(by: advance, &step)
        return (step.actions, isStored)
    }

    private mutating func handledCountAdvanced(by advance: Int, _ step: inout Step) {
        guard advance > 0 else { return }
        answers.storedAttempts = 0
        if recovery.storesHandledAtOnce { storeHandledAtOnce(&step) }
        recovery.wereHandled(through: incoming.handledTotal)
        guard state == .enabled else {
            // Also after the disconnect the stanza counts, in the next `<resume/>` (rule R46).
            return storeHandled(&step)
        }
        if resumption != nil, answers.durable != incoming.handled {
            step.store(.handled(incoming.handled), .deferrable)
        }
        answers.countSinceLast += advance
        acknowledgeIfTriggered(&step)
    }

    /// Acknowledges if the trigger's count is reached; otherwise arms its timer.
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
        // Handled in between, or a stanza of a session that is gone.
        guard attempts > 0 else { return }
        if attempts >= configuration.maximumHandlingAttempts {
            return deadLetter(stanza, attempts: attempts, &step)
        }
        if number.rawValue == incoming.handledTotal + 1 { storeAttempts(attempts, &step) }
        step.emit(.deliver(stanza))
    }

    private mutating func deadLetter(_ stanza: ReceivedStanza, attempts: Int, _ step: inout Step) {
        step.notify(.incomingDeadLetter(stanza.element, attempts: attempts))
        guard let advance = stanza.number.flatMap({ incoming.markHandled($0) }) else { return }
        // Otherwise the next process would give it up once more.
        if advance > 0 { storeHandledAtOnce(&step) }
        handledCountAdvanced(by: advance, &step)
    }

    private mutating func storeAttempts(_ attempts: Int, _ step: inout Step) {
        answers.storedAttempts = attempts
        step.store(.handlingAttempts(attempts))
    }

    // MARK: Answering

    mutating func acknowledgeByHand(_ step: inout Step) throws(StreamManagementError) {
        try checkEnabled()
        acknowledge(&step)
    }

    /// Answers `<r/>` at once with the handled count (rule R15). It delays the answer if the configuration says so, or
    /// if the answer would repeat a recent one.
    mutating func receiveRequest(_ step: inout Step) {
        guard state == .enabled else { return violate(.unexpected(.request), &step) }
        if timers[.answer] != nil { return }
        var delay = configuration.answerDelay
        if let last = answers.last, last.counter == incoming.handled {
            // If the clock goes backwards, which it must not, the pause is at most its configured length (M20).
            let elapsed = max(.zero, step.now.uptime - last.uptime)
            delay = max(delay, configuration.repeatedAnswerInterval - elapsed)
        }
        if delay > .zero { arm(.answer, after: delay, &step) } else { acknowledge(&step) }
    }

    /// Sends an `<a/>`. It answers all open requests, and restarts the automatic count (rule R43).
    mutating func acknowledge(_ step: inout Step) {
        cancel(.acknowledgement, &step)
        cancel(.answer, &step)
        storeHandled(&step)
        step.emit(.send(.acknowledgement(incoming.handled)))
        answers.countSinceLast = 0
        answers.last = (incoming.handled, step.now.uptime)
    }

    /// Makes the handled count durable now, whatever the write policy: a store never holds back the attempts that come
    /// with it. The next stanza has no attempt yet. So the next process does not blame a handled stanza for a crash
    /// (rule R40).
    private mutating func storeHandledAtOnce(_ step: inout Step) {
        guard resumption != nil, answers.durable != incoming.handled else { return }
        storeHandled(&step)
        step.store(.handlingAttempts(0))
    }

    /// Makes the handled count durable (rule R39, D49) if a later process could use it.
    mutating func storeHandled(_ step: inout Step) {
        guard resumption != nil, answers.durable != incoming.handled else { return }
        step.store(.handled(incoming.handled))
        answers.durable = incoming.handled
    }
}
