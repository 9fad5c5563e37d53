// Stanzas that wait for more than a stream (rule R30): for the greeting of the session, or for their room.
//
// | A stanza that waited when the session began | goes |
// | --- | --- |
// | any, where the app greets sessions (`awaitsGreetings`) | after the greeting |
// | one of a held kind, such as `groupchat` | when the room has sent the self-presence, or the app releases it |
// | one to the same bare address as such a stanza, but no presence | right after that stanza |
//
// A stanza that the application sends later waits only to keep this order. A resumption changes nothing: it sends the
// stanzas in flight again, and held stanzas stay held.

import XMLTree
import XMPPCore

extension StreamManagementCore {
    /// The stanzas that wait for the greeting, or to be released, in order.
    public var held: some RandomAccessCollection<OutgoingStanza> { outgoing.held }

    /// Holds the waiting stanzas that a new session must not begin with.
    ///
    /// - Parameter awaitsGreeting: Whether the application greets the session.
    /// - Returns: Whether stanzas may have moved.
    mutating func holdWaiting(_ awaitsGreeting: Bool) -> Bool {
        isGreeted = !awaitsGreeting
        joinedRooms = []
        if awaitsGreeting, outgoing.waiting.isEmpty { return false }
        let wereHeld = !outgoing.held.isEmpty
        outgoing.mergeHeld()
        let kept = isGreeted ? waitingForRelease(outgoing.waiting) : Set(outgoing.waiting.map(\.number))
        outgoing.hold { kept.contains($0.number) }
        return wereHeld || !outgoing.held.isEmpty
    }

    /// The stanzas of a held kind, and those that must not overtake them.
    private func waitingForRelease(_ stanzas: some Sequence<OutgoingStanza>) -> Set<OutgoingNumber> {
        var numbers: Set<OutgoingNumber> = []
        var recipients: Set<LenientAddress> = []
        for stanza in stanzas {
            let recipient = stanza.element.bareRecipient
            let isBehind = recipient.map(recipients.contains) == true && !stanza.element.isPresence
            guard isBehind || (isHeld(stanza.element) && recipient.map(joinedRooms.contains) != true) else { continue }
            numbers.insert(stanza.number)
            if let recipient { recipients.insert(recipient) }
        }
        return numbers
    }

    /// Whether a stanza that the application sends now has to wait for held ones.
    func isHeldBack(_ element: Element) -> Bool {
        if !isGreeted { return true }
        if outgoing.held.isEmpty { return false }
        guard !element.isPresence, let recipient = element.bareRecipient else { return false }
        return outgoing.held.contains { $0.element.bareRecipient == recipient }
    }

    /// Sends a stanza of the greeting, before all that waits. The bound of the queue does not apply: the stanzas that
    /// fill it wait for the greeting.
    mutating func greet(_ element: Element, _ id: StanzaID?, _ step: inout Step) throws(StreamManagementError) {
        if state == .ended { throw .ended }
        guard element.isStanza else { throw .notAStanza(element.name) }
        try checkSize(of: element)
        let stanza = append(element, id, isHeld: false, &step)
        if stanza.isSent { transmitFirst(stanza, &step) }
    }

    /// The application has greeted the session, or gives the greeting up.
    mutating func greeted(_ step: inout Step) {
        if isGreeted || state == .ended || state == .disabled(.unbound) { return }
        isGreeted = true
        // A process that misses this change finds out again whether the session is greeted.
        if isWorthStoring { step.store(.greeted, .deferrable) }
        let kept = waitingForRelease(outgoing.held)
        release(Set(outgoing.held.map(\.number)).subtracting(kept), &step)
        joinedRooms = []
    }

    /// Sends held stanzas now, or on the next stream.
    mutating func release(_ numbers: Set<OutgoingNumber>, _ step: inout Step) {
        let released = outgoing.release { numbers.contains($0.number) }
        if released.isEmpty { return }
        step.store(.release(released))
        sendNextBatch(&step)
        waitMayHaveChanged(&step)
    }

    /// Releases the stanzas to a room whose self-presence has come (XEP-0045 §7.2.2).
    mutating func releaseJoined(by element: Element, _ step: inout Step) {
        guard !outgoing.held.isEmpty, let room = element.joinedRoom else { return }
        let numbers = outgoing.held.filter { $0.element.bareRecipient == room }.map(\.number)
        if numbers.isEmpty { return }
        // The server can answer the join before the runner knows that the greeting is done.
        if isGreeted { release(Set(numbers), &step) } else { joinedRooms.insert(room) }
    }
}

extension Element {
    /// Whether the stanza is for the occupants of a room, which accepts it only from an occupant.
    package var isGroupchat: Bool { isMessage && self["type"] == "groupchat" }

    fileprivate var isPresence: Bool {
        let key = read { $0.view[$0.index].key }
        return key == Keys.presence || key == Keys.serverPresence
    }

    fileprivate var bareRecipient: LenientAddress? { self["to"].flatMap(LenientAddress.init)?.bare }

    /// The room that the account has joined with this presence; `nil` for any other element.
    fileprivate var joinedRoom: LenientAddress? {
        guard isPresence, self["type"] == nil, let user = child("x", namespace: .uri(Namespaces.roomUser)),
            user.children.contains(where: { $0.name == "status" && $0["code"] == "110" })
        else { return nil }
        return self["from"].flatMap(LenientAddress.init)?.bare
    }
}
