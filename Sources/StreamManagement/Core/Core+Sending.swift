// Sending the application's stanzas.

import XMLTree

extension StreamManagementCore {
    mutating func send(_ element: Element, _ id: StanzaID?, _ step: inout Step) throws(StreamManagementError) {
        if state == .ended { throw .ended }
        guard element.isStanza else { throw .notAStanza(element.name) }
        // The bound in bytes applies to new senders only: a transaction that had room for its stanzas is not torn.
        guard hasPlaces(for: 1) else { throw .queueFull(limit: configuration.maximumUnacknowledged) }
        try checkSize(of: element)
        let stanza = enqueue(element, id, &step)
        if stanza.isSent { transmitFirst(stanza, &step) }
    }

    /// Throws if a stanza exceeds the limit that the server announced.
    func checkSize(of element: Element) throws(StreamManagementError) {
        guard let limit = maximumStanzaBytes, element.exceeds(limit, weight: element.weight) else { return }
        throw .tooLarge(limit: limit)
    }

    /// Gives up the stanzas that exceed the server's limit. The server has counted none that it has not acknowledged.
    mutating func removeTooLarge(_ step: inout Step) -> Bool {
        guard let limit = maximumStanzaBytes else { return false }
        let removed = outgoing.takeAll { $0.element.exceeds(limit, weight: $0.weight) }
        for stanza in removed { deadLetter(stanza, because: .tooLarge(limit: limit), &step) }
        return !removed.isEmpty
    }

    func deadLetter(_ stanza: OutgoingStanza, because reason: DeadLetterReason, _ step: inout Step) {
        step.report(stanza, .failed, because: reason)
        step.notify(.deadLettered(stanza, reason))
    }

    /// Stores a stanza to send now or later. If the process ends first, the resumed session sends it (rule R38).
    mutating func enqueue(_ element: Element, _ id: StanzaID?, _ step: inout Step) -> OutgoingStanza {
        append(element, id, isHeld: isHeldBack(element), &step)
    }

    /// Stores a stanza in the queue, or among the held ones.
    mutating func append(
        _ element: Element, _ id: StanzaID?, isHeld: Bool, _ step: inout Step
    ) -> OutgoingStanza {
        // No stanza overtakes one that waits, or that follows a suspect.
        let isSent = !isHeld && isSending && !outgoing.holdsBack
        let stanza = OutgoingStanza(
            number: takeNumber(), id: id ?? element["id"].map(StanzaID.init(rawValue:)), element: element,
            firstSent: isSent ? step.now.date : nil, isSent: isSent)
        if isHeld { outgoing.appendHeld(stanza) } else { outgoing.append(stanza) }
        step.store(isHeld ? .hold(stanza) : .append(stanza))
        return stanza
    }

    /// Sends a stanza that was just stored.
    mutating func transmitFirst(_ stanza: OutgoingStanza, _ step: inout Step) {
        step.emit(.transmit(stanza.number, stanza.element))
        didTransmit(1, &step)
    }

    /// Sends stanzas that the core has counted and stored.
    mutating func transmit(_ batch: [OutgoingStanza], _ step: inout Step) {
        for stanza in batch { transmit(stanza, &step) }
        if !batch.isEmpty { didTransmit(batch.count, &step) }
    }

    /// Sends the stanzas that waited for others to leave the queue.
    mutating func sendNextBatch(_ step: inout Step) {
        guard isSending else { return }
        let batch = outgoing.sendBatch(at: step.now.date)
        if batch.isEmpty { return }
        step.store(.sendWaiting(at: step.now.date, count: batch.count))
        transmit(batch, &step)
    }

    /// Counts the sent stanzas; without stream management, lets them wait for the transport instead.
    mutating func didTransmit(_ count: Int, _ step: inout Step) {
        if case .disabled = state { return outgoing.stopCounting() }
        requests.countSinceLast += count
        if state == .enabled { requestIfTriggered(&step) }
    }

    /// Removes the stanzas that the transport has taken and that do not count: no later report would concern them.
    mutating func written(through number: OutgoingNumber, _ step: inout Step) {
        switch state {
        // The server can still refuse `<enable/>`.
        case .disabled, .enabling, .ended: outgoing.markWritten(through: number)
        case .enabled, .suspended, .resuming: return
        }
        removeWritten(&step)
    }

    mutating func removeWritten(_ step: inout Step) {
        var count = 0
        while let stanza = outgoing.takeWritten() {
            step.report(stanza, .sent)
            acknowledged.append(stanza)
            count += 1
        }
        if count > 0 { step.store(.acknowledge(outgoing.acknowledged, count: count)) }
        sendNextBatch(&step)
    }

    private mutating func takeNumber() -> OutgoingNumber {
        defer { nextNumber += 1 }
        return OutgoingNumber(rawValue: nextNumber)
    }

    mutating func identify(_ number: OutgoingNumber, _ id: StanzaID, _ step: inout Step) throws(StreamManagementError) {
        guard number.rawValue < nextNumber, number.rawValue > 0 else { throw .unknownStanza }
        if outgoing.identify(number, as: id) {
            step.store(.identify(number, id))
        } else if let position = undecided.firstIndex(where: { $0.stanza.number == number }) {
            undecided[position].stanza.id = id
            step.store(.identify(number, id))
        }
        // Otherwise it was acknowledged or given up in between, and is not stored any more.
    }

    mutating func withdraw(_ number: OutgoingNumber, _ step: inout Step) throws(StreamManagementError) {
        guard number.rawValue < nextNumber, number.rawValue > 0 else { throw .unknownStanza }
        // Otherwise it was sent and counts, or it was acknowledged or given up.
        guard let stanza = outgoing.withdraw(number) else { return }
        step.store(.withdraw(number))
        // The stanza may have been sent in a session that was lost.
        step.report(stanza, stanza.firstSent == nil ? .failed : .unknown)
        waitMayHaveChanged(&step)
    }

    /// Takes back stanzas that were accepted, and that are neither stored nor transmitted.
    ///
    /// - Parameters:
    ///   - numbers: Their numbers.
    ///   - isReported: Whether to report their state.
    ///   - isCounted: Whether a change may count them that is not stored: then the session is stored anew.
    ///   - now: The time.
    package mutating func revoke(
        _ numbers: Set<OutgoingNumber>, isReported: Bool = false, isCounted: Bool, at now: Moment
    ) -> [Action] {
        var step = Step(now: now)
        let removed = outgoing.takeAll { numbers.contains($0.number) }
        let count = undecided.count
        undecided.removeAll { numbers.contains($0.stanza.number) }
        if removed.isEmpty, undecided.count == count { return [] }
        // Another stanza may take the place of one that a request covered.
        requests.sentAtLast = nil
        if isReported { for stanza in removed { step.report(stanza, stanza.firstSent == nil ? .failed : .unknown) } }
        if isCounted { storeSession(&step) }
        waitMayHaveChanged(&step)
        return step.actions
    }

    /// Sends a stanza that is counted and stored; a message that was sent before gets a delay stamp (D27).
    func transmit(_ stanza: OutgoingStanza, _ step: inout Step) {
        step.emit(.transmit(stanza.number, stamped(stanza)))
    }

    /// Returns the stanza with its stamp; without it if the stamp would make the stanza too large.
    private func stamped(_ stanza: OutgoingStanza) -> Element {
        guard let firstSent = stanza.firstSent else { return stanza.element }
        let stamped = DelayStamp.stamped(stanza.element, firstSent: firstSent, address: address)
        guard let limit = maximumStanzaBytes, stamped.exceeds(limit, weight: stamped.weight) else { return stamped }
        return stanza.element
    }
}
