// Acknowledgements of what we send: asking for them, and what they say.

import XMLTree

/// What is known about our requests.
struct RequestState {
    /// An `<a/>` is yet to come (D18). Which one answers a request cannot be told: any does.
    var isInFlight = false
    /// A request was due while another one was in flight.
    var isDue = false
    /// What had been sent when the last request was: there is none before more is (D18).
    var sentAtLast: UInt64?
    /// How many stanzas were sent since the last request.
    var countSinceLast = 0
}

/// What is known about the wait for room, or for a suspect.
struct WaitState {
    /// The application knows that the server's answers do not end the wait.
    var isReported = false
}

extension StreamManagementCore {
    mutating func requestByHand(_ step: inout Step) throws(StreamManagementError) {
        try checkEnabled()
        requestIsDue(&step)
    }

    func checkEnabled() throws(StreamManagementError) {
        switch state {
        case .enabled: return
        case .ended: throw .ended
        case .disabled, .enabling, .suspended, .resuming: throw .notEnabled
        }
    }

    /// Requests an acknowledgement now, or as soon as the one in flight has come.
    mutating func requestIsDue(_ step: inout Step) {
        guard outgoing.sentTotal != requests.sentAtLast else { return }
        requests.isDue = true
        requestIfTriggered(&step)
    }

    /// Whether senders wait for room (D23), or stanzas wait for a suspect (D50): an acknowledgement can end the wait.
    private var isAwaited: Bool {
        outgoing.sentCount > 0 && (!hasAwaitedRoom || outgoing.holdsBack)
    }

    /// Whether the first waiting sender, or else any sender of one stanza, has room.
    private var hasAwaitedRoom: Bool { hasRoom(for: max(1, awaitedPlaces)) }

    /// A sender waits for room for so many stanzas; 0 if none waits any more.
    mutating func awaitRoom(_ places: Int, _ step: inout Step) {
        awaitedPlaces = places
        waitMayHaveChanged(&step)
    }

    /// A wait may have begun or ended without a stanza that was sent or acknowledged.
    mutating func waitMayHaveChanged(_ step: inout Step) {
        if !isAwaited { wait = WaitState() }
        if state == .enabled { requestIfTriggered(&step) }
    }

    /// Sends a request if it is due, after the configured number of stanzas, or if an acknowledgement is awaited.
    /// Otherwise a timer asks: after the configured time, or again where the last answer ended no wait.
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

    /// Asks again without a new stanza (D18): the last answer ended no wait.
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

    /// How long after an answer that ended no wait the session asks again.
    private var repetitionInterval: Duration {
        let timeout = configuration.acknowledgementTimeout
        return timeout > .zero ? timeout : Self.defaultRepetitionInterval
    }

    /// The interval where ``StreamManagementConfiguration/acknowledgementTimeout`` is off. A server handles stanzas
    /// within this time, and a request every 30 seconds costs little: some 60 bytes with its answer.
    private static let defaultRepetitionInterval: Duration = .seconds(30)

    private mutating func request(_ step: inout Step) {
        requests = RequestState(isInFlight: true, sentAtLast: outgoing.sentTotal)
        cancel(.request, &step)
        step.emit(.send(.request))
        step.notify(.acknowledgementRequested)
        arm(.missingAcknowledgement, after: configuration.acknowledgementTimeout, &step)
    }

    /// `<a/>` has come.
    mutating func receiveAcknowledgement(_ element: Element, _ step: inout Step) {
        guard state == .enabled else { return violate(.unexpected(.acknowledgement), &step) }
        guard let counter = element.handledCounter else { return violate(.invalidHandledCount, &step) }
        guard acknowledge(upTo: counter, &step) else { return }
        requests.isInFlight = false
        // What an earlier process had received came before this.
        recovery.haveCome(through: incoming.deliveredTotal, handled: incoming.handledTotal)
        cancel(.missingAcknowledgement, &step)
        sendNextBatch(&step)
        requestIfTriggered(&step)
    }

    /// Takes out what an `h` acknowledges. `false` if it is the peer's violation (D5), which was dealt with.
    mutating func acknowledge(upTo counter: StanzaCounter, _ step: inout Step) -> Bool {
        guard let count = outgoing.count(acknowledgedBy: counter) else {
            violate(.handledCountTooHigh(handled: counter, sent: outgoing.sent), &step)
            return false
        }
        // The sender is told before it is stored: killed in between, the next process is told again, and so is the
        // sender.
        for _ in 0..<count { step.report(outgoing.acknowledgeFirst(), .acknowledged) }
        if count > 0 { step.store(.acknowledge(counter, count: count), .deferrable) }
        return true
    }

    /// The link is dead (D48), unless we do not read what may have come. Where there is no room for more to be sent
    /// either, nothing would ever move: a new stream begins with an acknowledgement. A session knows better what it
    /// reads and who waits for room, and says it by the deadlines that it lets pass (StreamSession+Performing.swift,
    /// `grace`).
    mutating func acknowledgementIsMissing(_ step: inout Step) {
        guard runnerHoldsDeadlines || wantsInput || !hasAwaitedRoom else {
            return arm(.missingAcknowledgement, after: configuration.acknowledgementTimeout, &step)
        }
        step.emit(.abandonTransport(.acknowledgementMissing))
        transportLost(&step)
    }
}
