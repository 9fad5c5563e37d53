// How streams end: lost, closed by either side, or because the other side breaks the protocol.

import Foundation
import XMLTree

extension StreamManagementCore {
    // MARK: Lost

    mutating func transportLost(_ step: inout Step) {
        forgetResets()
        switch state {
        // The transport may have taken a part of what it had.
        case .disabled, .ended:
            if outgoing.sentCount > 0 { return giveUpSession(as: .unknown, &step) }
            state = .disabled(.unbound)
            didResume = false
        case .enabling: loseSession(.notResumable, &step)
        case .enabled:
            guard resumption != nil else { return loseSession(.notResumable, &step) }
            suspend(since: step.now.date, &step)
        case .resuming(let since): suspend(since: since, &step)
        case .suspended: break
        }
    }

    /// A server can end the connection at a stanza that it does not accept, and its stream error can get lost with the
    /// connection. So several resets, with no other end in between, count as one loss of a stanza that was the first
    /// large one in flight each time (D50). The server has answered on this connection before: it has bound a resource,
    /// or resumed the session.
    mutating func connectionReset(_ step: inout Step) {
        let large = isSending ? outgoing.firstInFlight { $0.exceeds(StreamLimits.lowestBytes, weight: $1) } : nil
        guard let large else { return transportLost(&step) }
        var resets = resets
        let count = resets[large, default: 0] + 1
        let isLoss = count >= StreamManagementConfiguration.resetsPerLoss
        resets[large] = isLoss ? nil : count
        if isLoss { outgoing.blame(large) }
        transportLost(&step)
        let kept = Set(outgoing.stanzas.map(\.number)).union(undecided.map(\.stanza.number))
        self.resets = resets.filter { kept.contains($0.key) }
        // A session that was given up is stored with its losses.
        if isLoss, case .suspended = state { storeSession(&step) }
    }

    /// A stream that could send has ended in another way than by a reset.
    private mutating func forgetResets() {
        if isSending { resets = [:] }
    }

    /// Nothing is given up (rule R25); what was handled will be told on resumption.
    private mutating func suspend(since date: Date, _ step: inout Step) {
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
        transportLost(&step)
    }

    /// The time to store as that of the last disconnect: now, as long as there is no earlier one.
    func lastDisconnect(_ now: Moment) -> Date {
        switch state {
        case .suspended(let since), .resuming(let since): since
        case .disabled, .enabling, .enabled, .ended: now.date
        }
    }

    // MARK: Closed

    /// A clean close: what is handled is told (rule R17), and nothing stays stored (D34).
    mutating func close(_ step: inout Step) {
        if state == .enabled { acknowledge(&step) }
        if state != .ended {
            step.emit(.closeStream)
        } else if outgoing.count == 0, undecided.isEmpty {
            return
        }
        cancelAllTimers(&step)
        for stanza in outgoing.stanzas { step.report(stanza, stanza.isSent ? .unknown : .failed) }
        for stanza in undecided { step.report(stanza.stanza, stanza.state) }
        outgoing.reset([], acknowledged: firstCounter)
        incoming.begin(at: firstCounter)
        undecided = []
        resumption = nil
        didResume = false
        step.store(.remove)
        state = .ended
    }

    /// The other side has closed the stream. We close, too, unless the session can be resumed: an end tag of ours would
    /// end it.
    mutating func peerClosed(_ step: inout Step) {
        forgetResets()
        switch state {
        case .ended, .suspended: return
        case .disabled: blame(&step)
        case .enabling, .enabled:
            blame(&step)
            if resumption != nil { return suspend(since: step.now.date, &step) }
            loseSession(.closedByPeer, &step)
        // The session was not on this stream yet.
        case .resuming(let since): return suspend(since: since, &step)
        }
        step.emit(.closeStream)
        state = .ended
    }

    // MARK: Broken

    /// The other side has sent a stream error: the stream ends, and the session is kept (rule R35), unless the error
    /// says that we did wrong when we tried to resume it, for we would do so again.
    mutating func receiveStreamError(_ element: Element, _ step: inout Step) {
        if state == .ended { return }
        step.emit(.abandonTransport(.streamError(element)))
        if !element.leavesSessionIntact {
            if case .resuming = state { return loseSession(.complaint, &step) }
            blame(&step)
        }
        transportLost(&step)
    }

    /// The server has ended the stream, perhaps because of a stanza in flight. The store commits this change with the
    /// one that ends the stream.
    private mutating func blame(_ step: inout Step) {
        if isSending, outgoing.blame() { step.store(.blameSent, .deferrable) }
    }

    /// The other side has broken the protocol. If that casts doubt on the session's counts, the session is lost;
    /// something that only came before the session was resumed does not.
    mutating func violate(_ error: StreamError, _ step: inout Step) {
        if state == .ended { return }
        forgetResets()
        step.emit(.sendStreamError(error))
        // A server that always does so would get the same stanzas on each connection (D50).
        blame(&step)
        switch (state, error) {
        case (.suspended, _): return
        case (.resuming(let since), .unexpected):
            return suspend(since: since, &step)
        case (.resuming, _), (.enabling, _), (.enabled, _):
            loseSession(.violation, &step)
        case (.disabled, _), (.ended, _): break
        }
        state = .ended
    }
}
