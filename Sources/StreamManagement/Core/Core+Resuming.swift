// Resuming a session: the request, and its answers.

package import Foundation
import XMLTree

extension StreamManagementCore {
    /// Whether the next stream can try to resume a session, of any age (rule R32). If so, call `resume` on a stream
    /// that is authenticated and not bound.
    public var canResume: Bool { if case .suspended = state { true } else { false } }

    /// When the server probably forgets the suspended session: its `max` after the last contact; `nil` if the server
    /// gave no `max` (rule R11). The date only informs and prevents no attempt: the last contact may be older than it
    /// seems.
    package var probableExpiry: Date? {
        guard case .suspended(let since) = state else { return nil }
        return expiry(ofStreamLostAt: since)
    }

    private func expiry(ofStreamLostAt date: Date) -> Date? {
        resumption?.maximum.map { date.addingTimeInterval(TimeInterval($0)) }
    }

    mutating func resume(_ step: inout Step) throws(StreamManagementError) {
        let since: Date
        switch state {
        case .suspended(let date): since = date
        case .disabled(.unbound): throw .noSession
        case .disabled(.bound), .disabled(.refused): throw .alreadyBound
        case .enabling: throw .enablingUnderWay
        case .enabled: throw .alreadyEnabled
        case .resuming: throw .resumptionUnderWay
        case .ended: throw .ended
        }
        guard let resumption else { throw .noSession }
        state = .resuming(since: since)
        storeHandled(&step)
        incoming.askForResumption()
        step.emit(.send(.resume(resumption.id, handled: incoming.handled)))
        arm(.negotiation, after: configuration.negotiationTimeout, &step)
    }

    /// Handles `<resumed/>`: removes the acknowledged stanzas, then sends the others again, before any new one (rule
    /// R26).
    mutating func receiveResumed(_ element: Element, _ step: inout Step) {
        guard case .resuming = state else { return violate(.unexpected(.resumed), &step) }
        let previous = element["previd"]
        guard previous == nil || previous.flatMap(ResumptionID.init(rawValue:)) == resumption?.id else {
            return violate(.wrongSession, &step)
        }
        guard let counter = element.handledCounter else { return violate(.invalidHandledCount, &step) }
        guard acknowledge(upTo: counter, &step) else { return }
        cancel(.negotiation, &step)
        state = .enabled
        didResume = true
        incoming.resume()
        step.notify(.resumed(element))
        resumptionAnswered(&step)
        sendAgain(&step)
        // The stanzas handled since `<resume/>` are still to be acknowledged.
        answers.countSinceLast = incoming.handledSinceResumption
        acknowledgeIfTriggered(&step)
        armRefresh(&step)
    }

    private mutating func sendAgain(_ step: inout Step) {
        var hasRemoved = removeTooLarge(&step)
        // The server can keep the session and still end each stream.
        let maximum = configuration.maximumLosses
        for stanza in outgoing.takeAll(where: { $0.isDeadLetter(after: maximum) }) {
            deadLetter(stanza, because: .losses(stanza.losses), &step)
            hasRemoved = true
        }
        let sentCount = outgoing.sentCount
        outgoing.recall()
        let batch = outgoing.sendBatch(at: step.now.date)
        if hasRemoved || batch.count < sentCount {
            storeSession(&step)
        } else if batch.count > sentCount {
            // From now on they count as possibly sent, whatever happens.
            step.store(.sendWaiting(at: step.now.date, count: batch.count - sentCount))
        }
        requests = RequestState()
        transmit(batch, &step)
    }

    /// Handles the end of a stream, or an element, that came instead of the answer to `<resume/>`.
    ///
    /// The next attempt may get the answer. After several attempts, or one after `max`, the server will not answer any
    /// more, and the session counts as lost: otherwise each later stream would end like this one (rule R32).
    mutating func resumptionUnanswered(since date: Date, _ step: inout Step) {
        unansweredResumptions += 1
        let isExpired = expiry(ofStreamLostAt: date).map { step.now.date > $0 } ?? false
        if isExpired || unansweredResumptions >= StreamManagementConfiguration.resumptionAttempts {
            return loseSession(.unanswered, &step)
        }
        suspend(since: date, &step)
        step.store(.unansweredResumptions(unansweredResumptions), .prompt)
    }

    /// The server has answered `<resume/>`: a later attempt counts from the first one on.
    private mutating func resumptionAnswered(_ step: inout Step) {
        guard unansweredResumptions > 0 else { return }
        unansweredResumptions = 0
        step.store(.unansweredResumptions(0), .prompt)
    }

    /// Handles `<failed/>` as the answer to `<resume/>` (rule R30). The stream continues, and binding is next (rule
    /// R31).
    mutating func notResumed(_ element: Element, _ step: inout Step) {
        if element.hasHandledCounter {
            guard let counter = element.handledCounter else { return violate(.invalidHandledCount, &step) }
            guard acknowledge(upTo: counter, &step) else { return }
        }
        step.notify(.notResumed(element))
        giveUpSession(as: element.hasHandledCounter ? .failed : .unknown, &step)
    }

    /// Refreshes the stored time of the last disconnect (rule R47). A full disk ends no stream for it (D51).
    mutating func refresh(_ step: inout Step) {
        step.store(.lastDisconnect(step.now.date), .prompt)
        armRefresh(&step)
    }

    mutating func armRefresh(_ step: inout Step) {
        if resumption != nil { arm(.refresh, after: configuration.disconnectRefreshInterval, &step) }
    }
}
