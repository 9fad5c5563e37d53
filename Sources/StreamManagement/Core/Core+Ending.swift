// How streams end: lost, closed by either side, or ended by a violation of the protocol.

import Foundation
import XMLTree

extension StreamManagementCore {
    // MARK: Lost

    mutating func transportLost(_ step: inout Step) {
        forgetResets()
        switch state {
        // The transport may have taken a part of the sent stanzas.
        case .disabled, .ended:
            if outgoing.sentCount > 0 { return giveUpSession(as: .unknown, &step) }
            state = .disabled(.unbound)
            isGreeted = !awaitsGreetings
            didResume = false
        case .enabling: loseSession(.notResumable, &step)
        case .enabled:
            guard resumption != nil else { return loseSession(.notResumable, &step) }
            suspend(since: step.now.date, &step)
        case .resuming(let since): suspend(since: since, &step)
        case .suspended: break
        }
    }

    /// Handles a reset. A server can reset the connection at a stanza that it does not accept, and its stream error can
    /// get lost.
    mutating func connectionReset(_ step: inout Step) {
        if case .resuming(let since) = state { return resumptionUnanswered(since: since, &step) }
        let count = countEndWithoutReason()
        transportLost(&step)
        keep(count, &step)
    }

    /// Counts a reset, or a stream that the server closed without an error.
    ///
    /// Several of these, with no other end in between, count as one loss of a stanza that was the first large one in
    /// flight each time (D50). The server answered on this connection before: it bound a resource or resumed the
    /// session.
    private mutating func countEndWithoutReason() -> EndCount? {
        let large = isSending ? outgoing.firstInFlight { $0.exceeds(StreamLimits.lowestBytes, weight: $1) } : nil
        guard let large else { return nil }
        var counts = resets
        let count = counts[large, default: 0] + 1
        let isLoss = count >= StreamManagementConfiguration.resetsPerLoss
        counts[large] = isLoss ? nil : count
        if isLoss { outgoing.blame(large) }
        return EndCount(counts: counts, isLoss: isLoss)
    }

    /// The number of ends for each stanza, including the last end, and whether that completes a loss.
    private struct EndCount {
        let counts: [OutgoingNumber: Int]
        let isLoss: Bool
    }

    /// Keeps the counts after the end itself, which forgets them.
    private mutating func keep(_ count: EndCount?, _ step: inout Step) {
        guard let count else { return }
        let kept = Set(outgoing.all.map(\.number)).union(undecided.map(\.stanza.number))
        resets = count.counts.filter { kept.contains($0.key) }
        // `giveUpSession` stores a session with its losses.
        if count.isLoss, case .suspended = state { storeSession(&step) }
    }

    /// Forgets the resets when a stream that could send ends in another way.
    private mutating func forgetResets() {
        if isSending { resets = [:] }
    }

    /// Suspends the session without giving up any stanza (rule R25). `<resume/>` will send the handled count.
    mutating func suspend(since date: Date, _ step: inout Step) {
        cancelAllTimers(&step)
        if state == .enabled {
            step.store(.lastDisconnect(date))
            storeHandled(&step)
        }
        state = .suspended(since: date)
        didResume = false
        requests = RequestState()
        answers.countSinceLast = 0
        answers.last = nil
    }

    mutating func negotiationTimedOut(_ step: inout Step) {
        step.emit(.abandonTransport(.negotiationTimedOut))
        if case .resuming(let since) = state { return resumptionUnanswered(since: since, &step) }
        transportLost(&step)
    }

    /// The disconnect time to store: the time when the stream was lost, if it is lost; now otherwise.
    func lastDisconnect(_ now: Moment) -> Date {
        switch state {
        case .suspended(let since), .resuming(let since): since
        case .disabled, .enabling, .enabled, .ended: now.date
        }
    }

    // MARK: Closed

    /// Removes the stored session, then closes cleanly (D34): if another owner has the session, the removal fails, and
    /// no end tag ends the other's session. The caller has acknowledged the handled stanzas (rule R17), unless it could
    /// not store their count.
    mutating func close(_ step: inout Step) {
        if state == .ended, outgoing.isEmpty, undecided.isEmpty { return }
        cancelAllTimers(&step)
        for stanza in outgoing.all { step.report(stanza, stanza.isSent ? .unknown : .failed) }
        for stanza in undecided { step.report(stanza.stanza, stanza.state) }
        outgoing.reset([], acknowledged: firstCounter, held: [])
        incoming.begin(at: firstCounter)
        undecided = []
        resumption = nil
        didResume = false
        step.store(.remove)
        if state != .ended { step.emit(.closeStream) }
        state = .ended
    }

    /// The server closed the stream. The core closes it, too, unless the session can be resumed: an end tag from the
    /// client would end the session.
    mutating func peerClosed(_ step: inout Step) {
        let count = countEndWithoutReason()
        forgetResets()
        switch state {
        case .ended, .suspended: return
        // The session does not use this stream yet.
        case .resuming(let since): return resumptionUnanswered(since: since, &step)
        case .enabled where resumption != nil: suspend(since: step.now.date, &step)
        case .enabling, .enabled:
            loseSession(.closedByPeer, &step)
            endStream(&step)
        case .disabled: endStream(&step)
        }
        keep(count, &step)
    }

    private mutating func endStream(_ step: inout Step) {
        step.emit(.closeStream)
        state = .ended
    }

    // MARK: Broken

    /// Handles a stream error: the stream ends, and the session is kept (rule R35). A complaint that answers
    /// `<resume/>` ends the session, because the next attempt would get the same complaint.
    mutating func receiveStreamError(_ element: Element, _ step: inout Step) {
        if state == .ended { return }
        step.emit(.abandonTransport(.streamError(element)))
        let isComplaint = !element.leavesSessionIntact
        if case .resuming(let since) = state {
            return isComplaint ? loseSession(.complaint, &step) : resumptionUnanswered(since: since, &step)
        }
        if isComplaint { blame(&step) }
        transportLost(&step)
    }

    /// Counts a loss for each stanza in flight: one of them may have ended the stream. The store commits this change
    /// with the one that ends the stream.
    private mutating func blame(_ step: inout Step) {
        if isSending, outgoing.blame() { step.store(.blameSent, .deferrable) }
    }

    /// Handles a violation of the protocol by the server. The session is lost if the violation casts doubt on its
    /// counts. An element that only arrived before the session was resumed does not.
    ///
    /// The stream error is the last action: if another owner has the session, the change of the stored session fails,
    /// and no end tag ends the other's session (M36).
    mutating func violate(_ error: StreamError, _ step: inout Step) {
        if state == .ended { return }
        forgetResets()
        // A server that does this every time would get the same stanzas on each connection (D50).
        blame(&step)
        switch (state, error) {
        case (.suspended, _): break
        case (.resuming(let since), .unexpected): resumptionUnanswered(since: since, &step)
        case (.resuming, _), (.enabling, _), (.enabled, _):
            loseSession(.violation, &step)
            state = .ended
        case (.disabled, _), (.ended, _): state = .ended
        }
        step.emit(.sendStreamError(error))
    }
}
