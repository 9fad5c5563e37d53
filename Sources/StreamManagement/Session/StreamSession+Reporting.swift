// Sends events to the delegate and the listeners, and reports to the delegate and the senders.

import Logging

extension StreamSession {
    func report(_ event: SessionEvent) {
        delegate?.session(self, didReceive: event)
        for listener in listeners.values { listener.yield(event) }
    }

    /// The text of a storage's error for the log. Of other errors only the type is safe.
    static func loggable(_ error: any Error) -> String {
        (error as? any LoggableStorageError)?.logText ?? "\(type(of: error))"
    }

    func pass(_ notification: Core.Notification) {
        switch notification {
        case .enabled(let answer, let resumption): report(.enabled(answer, resumption))
        case .notEnabled(let answer): report(.notEnabled(answer))
        case .resumed(let answer):
            let result = ResumptionResult(acknowledged: newlyAcknowledged, answer: answer)
            newlyAcknowledged = []
            lastResumption = result
            logger.debug("session resumed")
            report(.resumed(result))
        case .notResumed(let answer):
            stream?.needsBinding = true
            lastResumption = ResumptionResult(acknowledged: newlyAcknowledged, answer: answer)
            logger.debug("session not resumed")
            report(.notResumed(answer))
        case .sessionLost(let loss):
            logger.debug("session lost", metadata: ["reason": "\(loss)"])
            report(.sessionLost(loss))
        case .acknowledgementRequested: report(.acknowledgementRequested)
        case .acknowledgementWithheld(let first, let count):
            logger.notice("the server acknowledges too little", metadata: ["unacknowledged": "\(count)"])
            report(.acknowledgementWithheld(first, unacknowledged: count))
        case .undecided(let stanzas): report(.undecided(stanzas))
        case .incomingDeadLetter(let element, let attempts):
            report(.incomingDeadLetter(element, attempts: attempts, error: handlingError))
        case .deadLettered(let stanza, let reason):
            logger.warning("a stanza is not sent any more", metadata: ["reason": "\(reason)"])
            report(.deadLettered(stanza, reason))
        case .rejected(let stanza):
            logger.notice("a stanza is beyond a limit", metadata: ["limit": "\(stanza.limit)"])
            report(.rejected(stanza))
        }
    }

    func pass(_ report: StanzaReport) {
        delegate?.session(self, didReport: report)
        if report.state == .acknowledged, let id = report.id { newlyAcknowledged.append(id) }
        guard let stanza = sent[report.number] else { return }
        stanza.update(report.state, isFinal: report.prospect == .final, because: report.deadLetterReason)
        switch report.prospect {
        case .final: sent[report.number] = nil
        case .resent: stanza.update(.queued)
        case .undecided: break
        }
    }

    /// Sends one event for all stanzas that one element of the server acknowledges.
    func reportAcknowledged() {
        guard !newlyAcknowledged.isEmpty else { return }
        let ids = newlyAcknowledged
        newlyAcknowledged = []
        report(.acknowledged(ids))
    }
}
