// Resuming a session: whether it can be, asking for it, and what comes of it.

public import Foundation
import XMLTree

extension StreamManagementCore {
    /// Whether the session can be resumed at that time (rule R32). If so, `resume` is possible on a stream that is
    /// authenticated and not bound.
    public func resumability(at date: Date) -> Resumability {
        guard case .suspended(let since) = state, let resumption else { return .notResumable(.noSession) }
        if since.timeIntervalSince(date) > configuration.clockTolerance / .seconds(1) {
            return .notResumable(.disconnectInFuture(since))
        }
        guard let maximum = resumption.maximum else { return .resumable(until: nil) }
        let end = since.addingTimeInterval(TimeInterval(maximum))
        return date <= end ? .resumable(until: end) : .notResumable(.expired(end))
    }

    mutating func resume(_ step: inout Step) throws(StreamManagementError) {
        let since: Date
        switch state {
        case .suspended(let date): since = date
        case .disabled(.unbound): throw .notResumable(.noSession)
        case .disabled(.bound), .disabled(.refused): throw .alreadyBound
        case .enabling: throw .enablingUnderWay
        case .enabled: throw .alreadyEnabled
        case .resuming: throw .resumptionUnderWay
        case .ended: throw .ended
        }
        if case .notResumable(let reason) = resumability(at: step.now.date) { throw .notResumable(reason) }
        guard let resumption else { throw .notResumable(.noSession) }
        state = .resuming(since: since)
        storeHandled(&step)
        incoming.askForResumption()
        step.emit(.send(.resume(resumption.id, handled: incoming.handled)))
        arm(.negotiation, after: configuration.negotiationTimeout, &step)
    }

    /// `<resumed/>` has come: first what it acknowledges, then the rest again, before anything new (rule R26).
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
        sendAgain(&step)
        // What was handled since resumption was asked for is still to be told.
        answers.countSinceLast = incoming.handledSinceResumption
        acknowledgeIfTriggered(&step)
        armRefresh(&step)
    }

    private mutating func sendAgain(_ step: inout Step) {
        let again = outgoing.stanzas
        let waitingCount = outgoing.count - outgoing.sentCount
        if waitingCount > 0 {
            // From now on they may have been sent, whatever happens.
            outgoing.sendWaiting(at: step.now.date)
            step.store(.sendWaiting(at: step.now.date))
        }
        for stanza in again { transmit(stanza, &step) }
        requests = RequestState(countSinceLast: again.count)
        requestIfTriggered(&step)
    }

    /// `<failed/>` has come instead (rule R30). The stream lives on, and binding is next (rule R31).
    mutating func notResumed(_ element: Element, _ step: inout Step) {
        if element.hasHandledCounter {
            guard let counter = element.handledCounter else { return violate(.invalidHandledCount, &step) }
            guard acknowledge(upTo: counter, &step) else { return }
        }
        step.notify(.notResumed(element))
        giveUpSession(as: element.hasHandledCounter ? .failed : .unknown, &step)
    }

    /// Refreshes the stored time of the last disconnect (rule R47).
    mutating func refresh(_ step: inout Step) {
        step.store(.lastDisconnect(step.now.date))
        armRefresh(&step)
    }

    mutating func armRefresh(_ step: inout Step) {
        if resumption != nil { arm(.refresh, after: configuration.disconnectRefreshInterval, &step) }
    }
}
