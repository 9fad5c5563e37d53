// Looks up the requests of all waiting answers in one read.

extension DurableSessionCore {
    mutating func lookUp(_ step: inout Step) {
        guard handlesStanzas else { return }
        if let wake = lookUpRestsUntil {
            if wake > step.now.uptime { return }
            lookUpRestsUntil = nil
        }
        let stanzas = incoming.unknown(limit: limits.batchCount)
        if stanzas.isEmpty { return }
        let number: AccessNumber = makeNumber()
        incoming.beginLookUp(number, stanzas)
        step.emit(.lookUp(number, stanzas))
    }

    mutating func found(_ number: AccessNumber, _ matches: [Match?], _ step: inout Step) {
        if incoming.endLookUp(number, matches) { faults = 0 }
    }

    /// Only the database is at fault.
    mutating func notFound(_ number: AccessNumber, _ failure: DatabaseFailure, _ step: inout Step) {
        guard incoming.failLookUp(number) else { return }
        lookUpRestsUntil = step.now.uptime + limits.pause
        databaseFailed(failure, &step)
    }

    /// Counts a failure of the database, and ends the run if another attempt is hopeless.
    mutating func databaseFailed(_ failure: DatabaseFailure, _ step: inout Step) {
        if case .closed = phase { return failedAfterClosing(failure, &step) }
        switch failure {
        case .busy: break
        case .notOwner, .staleStanza: stop(failure, &step)
        case .broken:
            faults += 1
            if faults >= limits.attempts { stop(failure, &step) }
        }
    }
}
