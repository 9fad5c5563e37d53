// Acknowledgements of sent stanzas: requesting them, and reading them.

import XMLTree

/// The state of the requests for acknowledgement.
struct RequestState {
    /// An `<a/>` is still due (D18). Any `<a/>` answers the request, because none names its request.
    var isInFlight = false
    /// A request became due while another one was in flight.
    var isDue = false
    /// The number of stanzas sent before the last request. The next request needs a higher one (D18).
    var sentAtLast: UInt64?
    /// The number of stanzas sent since the last request.
    var countSinceLast = 0
}

/// The state of the wait for room, or for a suspect.
struct WaitState {
    /// Whether the application knows that the server's answers do not end the wait.
    var isReported = false
}

extension StreamManagementCore {
    mutating func requestByHand(_ step: inout Step) throws(StreamManagementError) {
        try checkEnabled()
        requestIsDue(&step)
    }

    /// The server may have acknowledged all stanzas. The answer to a request in flight is a sign of life as well.
    mutating func requestSignOfLife(_ step: inout Step) {
        guard state == .enabled, !requests.isInFlight else { return }
        requests.sentAtLast = nil
        requestIsDue(&step)
    }

    func checkEnabled() throws(StreamManagementError) {
        switch state {
        case .enabled: return
        case .ended: throw .ended
        case .disabled, .enabling, .suspended, .resuming: throw .notEnabled
        }
    }

    /// Requests an acknowledgement now, or as soon as the one in flight has arrived.
    mutating func requestIsDue(_ step: inout Step) {
        guard outgoing.sentTotal != requests.sentAtLast else { return }
        requests.isDue = true
        requestIfTriggered(&step)
    }

    /// Whether senders wait for room (D23), or stanzas for a suspect (D50), so that an acknowledgement can end the
    /// wait.
    private var isAwaited: Bool {
        outgoing.sentCount > 0 && (!hasAwaitedRoom || outgoing.holdsBack)
    }

    /// Whether the first waiting sender has room, or, if none waits, a sender of one stanza.
    private var hasAwaitedRoom: Bool { hasRoom(for: max(1, awaitedPlaces)) }

    /// Records that a sender waits for room for this many stanzas; 0 if no sender waits.
    mutating func awaitRoom(_ places: Int, _ step: inout Step) {
        awaitedPlaces = places
        waitMayHaveChanged(&step)
    }

    /// Checks the wait after a change other than a sent or acknowledged stanza.
    mutating func waitMayHaveChanged(_ step: inout Step) {
        if !isAwaited { wait = WaitState() }
        if state == .enabled { requestIfTriggered(&step) }
    }

    /// Sends a request if one is due, the configured count is reached, or a sender or stanza waits. Otherwise arms a
    /// timer: the configured one, or the one that repeats a request whose answer ended no wait.
    mutating func requestIfTriggered(_ step: inout Step) {
        let trigger = configuration.acknowledgementRequests
        let isTriggered = trigger.count > 0 && requests.countSinceLast >= trigger.count
        let isAwaited = isAwaited
        if !isAwaited { wait = WaitState() }
        if requests.isDue || isTriggered || (requests.countSinceLast > 0 && isAwaited) {
            if !requests.isInFlight { request(&step) }
        } else if requests.countSinceLast > 0, timers[.request] == nil {
            arm(.request, after: trigger.interval, &step)
        }
        if !isAwaited || requests.isInFlight {
            cancel(.repetition, &step)
        } else if timers[.repetition] == nil {
            arm(.repetition, after: repetitionInterval, &step)
        }
    }

    /// Requests again without a new stanza (D18), because the last answer ended no wait.
    mutating func repetitionIsDue(_ step: inout Step) {
        // A changed configuration can have ended the wait.
        guard isAwaited, let first = outgoing.stanzas.first else { return waitMayHaveChanged(&step) }
        if !wait.isReported {
            wait.isReported = true
            step.notify(.acknowledgementWithheld(first, unacknowledged: outgoing.sentCount))
        }
        requests.sentAtLast = nil
        requestIsDue(&step)
    }

    /// How long the core waits before it repeats a request whose answer ended no wait.
    private var repetitionInterval: Duration {
        let timeout = configuration.acknowledgementTimeout
        return timeout > .zero ? timeout : Self.defaultRepetitionInterval
    }

    /// The interval where ``StreamManagementConfiguration/acknowledgementTimeout`` is off. A server handles stanzas
    /// within this time. A request every 30 seconds costs little: some 60 bytes with its answer.
    private static let defaultRepetitionInterval: Duration = .seconds(30)

    private mutating func request(_ step: inout Step) {
        requests = RequestState(isInFlight: true, sentAtLast: outgoing.sentTotal)
        cancel(.request, &step)
        step.emit(.send(.request))
        step.notify(.acknowledgementRequested)
        arm(.missingAcknowledgement, after: configuration.acknowledgementTimeout, &step)
    }

    /// Handles `<a/>`.
    mutating func receiveAcknowledgement(_ element: Element, _ step: inout Step) {
        guard state == .enabled else { return violate(.unexpected(.acknowledgement), &step) }
        guard let counter = element.handledCounter else { return violate(.invalidHandledCount, &step) }
        guard acknowledge(upTo: counter, &step) else { return }
        requests.isInFlight = false
        // The stanzas that an earlier process had received arrived before this `<a/>`.
        recovery.haveCome(through: incoming.deliveredTotal, handled: incoming.handledTotal)
        cancel(.missingAcknowledgement, &step)
        sendNextBatch(&step)
        requestIfTriggered(&step)
    }

    /// Removes the stanzas that an `h` acknowledges. Returns `false` after a violation by the server (D5), which is
    /// handled.
    mutating func acknowledge(upTo counter: StanzaCounter, _ step: inout Step) -> Bool {
        guard let count = outgoing.count(acknowledgedBy: counter) else {
            violate(.handledCountTooHigh(handled: counter, sent: outgoing.sent), &step)
            return false
        }
        // The report precedes the change to the store: after a crash in between, the next process gets the
        // acknowledgement again, and reports it again.
        for _ in 0..<count {
            let stanza = outgoing.acknowledgeFirst()
            step.report(stanza, .acknowledged)
            acknowledged.append(stanza)
        }
        if count > 0 { step.store(.acknowledge(counter, count: count), .deferrable) }
        return true
    }

    /// Gives up the link as dead (D48), unless the acknowledgement may wait unread. It also gives up the link when
    /// senders have no room either: otherwise nothing would ever move, and a new stream begins with an acknowledgement.
    ///
    /// A session knows better its unread input and its waiting senders. It holds back deadlines instead (`extend` in
    /// ActiveStream.swift).
    mutating func acknowledgementIsMissing(_ step: inout Step) {
        guard runnerHoldsDeadlines || wantsInput || !hasAwaitedRoom else {
            return arm(.missingAcknowledgement, after: configuration.acknowledgementTimeout, &step)
        }
        step.emit(.abandonTransport(.acknowledgementMissing))
        transportLost(&step)
    }
}
