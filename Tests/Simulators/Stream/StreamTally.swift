// The number of each event and action: a simulation proves nothing about an event that never happens.

import StreamManagement

/// Counts actions by their kind.
public final class StreamTally {
    private var counts = [Int](repeating: 0, count: Kind.allCases.count)

    public init() {}

    /// Everything that a client can do.
    public enum Kind: Int, CaseIterable, Sendable {
        case enable, resume, request, acknowledgement, transmit
        case replace, begin, append, hold, release, greeted, sendWaiting, blameSent, identify, withdraw, acknowledge,
            handled, lastDisconnect, handlingAttempts, unansweredResumptions, remove
        case deliver, deliverUncounted, pass
        case queued, sent, acknowledged, bounced, failed, unknown
        case enabled, notEnabled, resumed, notResumed, sessionLost, acknowledgementRequested, acknowledgementWithheld,
            undecided, incomingDeadLetter,
            deadLettered, rejected
        case arm, cancel, sendStreamError, closeStream
        case acknowledgementMissing, negotiationTimedOut, streamError
    }

    public subscript(kind: Kind) -> Int { counts[kind.rawValue] }

    func count(_ action: StreamManagementCore.Action) {
        counts[Kind(action).rawValue] += 1
    }

    /// The kinds that happened, with their numbers.
    public var text: String {
        Kind.allCases.filter { self[$0] > 0 }.map { "\($0) \(self[$0])" }.joined(separator: ", ")
    }
}

extension StreamTally.Kind {
    init(_ action: StreamManagementCore.Action) {
        switch action {
        case .send(.enable): self = .enable
        case .send(.resume): self = .resume
        case .send(.request): self = .request
        case .send(.acknowledgement): self = .acknowledgement
        case .transmit: self = .transmit
        case .store(let change, _): self.init(change)
        case .deliver(let stanza): self = stanza.number == nil ? .deliverUncounted : .deliver
        case .pass: self = .pass
        case .report(let report): self.init(report.state)
        case .notify(let notification): self.init(notification)
        case .arm: self = .arm
        case .cancel: self = .cancel
        case .sendStreamError: self = .sendStreamError
        case .closeStream: self = .closeStream
        case .abandonTransport(.acknowledgementMissing): self = .acknowledgementMissing
        case .abandonTransport(.negotiationTimedOut): self = .negotiationTimedOut
        case .abandonTransport(.streamError): self = .streamError
        }
    }

    private init(_ change: StorageChange) {
        switch change {
        case .replace: self = .replace
        case .begin: self = .begin
        case .append: self = .append
        case .hold: self = .hold
        case .release: self = .release
        case .greeted: self = .greeted
        case .sendWaiting: self = .sendWaiting
        case .blameSent: self = .blameSent
        case .identify: self = .identify
        case .withdraw: self = .withdraw
        case .acknowledge: self = .acknowledge
        case .handled: self = .handled
        case .lastDisconnect: self = .lastDisconnect
        case .handlingAttempts: self = .handlingAttempts
        case .unansweredResumptions: self = .unansweredResumptions
        case .remove: self = .remove
        }
    }

    private init(_ state: StanzaState) {
        switch state {
        case .queued: self = .queued
        case .sent: self = .sent
        case .acknowledged: self = .acknowledged
        case .bounced: self = .bounced
        case .failed: self = .failed
        case .unknown: self = .unknown
        }
    }

    private init(_ notification: StreamManagementCore.Notification) {
        switch notification {
        case .enabled: self = .enabled
        case .notEnabled: self = .notEnabled
        case .resumed: self = .resumed
        case .notResumed: self = .notResumed
        case .sessionLost: self = .sessionLost
        case .acknowledgementRequested: self = .acknowledgementRequested
        case .acknowledgementWithheld: self = .acknowledgementWithheld
        case .undecided: self = .undecided
        case .incomingDeadLetter: self = .incomingDeadLetter
        case .deadLettered: self = .deadLettered
        case .rejected: self = .rejected
        }
    }
}
