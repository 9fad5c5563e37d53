// A record of all that processes, database and server did, and the invariants of that record.

/// The server's stanzas and their fates.
final class SessionLedger {
    private struct Fate {
        let stanza: ServerStanza
        /// The number of times that its effects were committed.
        var effects = 0
        var deadLetters = 0
        /// The stanza was committed without effects, as an answer to no open request.
        var isDropped = false
        /// The parser rejected the stanza, and the stream reported it.
        var isReported = false
        /// The session is gone: the only promise left is that no process handles the stanza twice.
        var isExempt = false
        /// The number of times that the stanza has failed, or ended a process.
        var faults = 0

        var isDone: Bool { effects + deadLetters > 0 || isDropped || isReported }
    }

    private var fates: [String: Fate] = [:]
    private var order: [String] = []

    func sent(_ stanza: ServerStanza) {
        fates[stanza.id] = Fate(stanza: stanza)
        order.append(stanza.id)
    }

    func exempt(_ id: String) { fates[id]?.isExempt = true }

    func blame(_ id: String) { fates[id]?.faults += 1 }

    func isDone(_ id: String) -> Bool { fates[id]?.isDone == true }

    func hasEffects(_ id: String) -> Bool { fates[id].map { $0.effects > 0 } ?? false }

    func committed(_ id: String, hasEffects: Bool) throws(Violation) {
        guard var fate = fates[id] else { return }
        if hasEffects {
            fate.effects += 1
        } else if !fate.stanza.isAnswer {
            throw Violation("a stanza is not handled without its effects", id)
        } else {
            fate.isDropped = true
        }
        fates[id] = fate
        if fate.effects + fate.deadLetters > 1 { throw Violation("the effects of a stanza are made once", id) }
    }

    func deadLettered(_ id: String) throws(Violation) {
        guard var fate = fates[id] else { return }
        fate.deadLetters += 1
        fates[id] = fate
        if fate.effects + fate.deadLetters > 1 { throw Violation("a stanza is dead-lettered once, unless handled", id) }
        // One process may have ended for another stanza of the same batch.
        if fate.faults < SessionSetup.attempts - 1 {
            throw Violation("no stanza is dead-lettered for the faults of others", "\(id), \(fate.faults) faults")
        }
    }

    func reported(_ id: String) { fates[id]?.isReported = true }

    func acknowledged(_ id: String) throws(Violation) {
        if !isDone(id) { throw Violation("h is not ahead of the commit", id) }
    }

    func checkEnd() throws(Violation) {
        for id in order {
            guard let fate = fates[id], !fate.isExempt else { continue }
            if !fate.isDone { throw Violation("no stanza is lost", id) }
        }
    }
}
