// The recipients of a session's events: what each event reports, and its line in the log.

import Logging
import SafeText

/// The sequences of a session's events, and the acknowledgements that no event has reported yet. Belongs to the
/// session.
struct EventListeners {
    private let logger: Logger
    private var listeners: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
    private var lastID: UInt64 = 0
    private var hasFinished = false
    private var newlyAcknowledged: [StanzaID] = []

    private static let eventLimit = 1000

    init(logger: Logger) {
        self.logger = logger
    }

    /// Makes a sequence of the events from now on, which keeps the last 1,000 for a slow listener.
    ///
    /// - Parameter onEnd: Removes the listener with this identifier.
    mutating func makeSequence(onEnd: @escaping @Sendable (UInt64) -> Void) -> AsyncStream<SessionEvent> {
        let (events, listener) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(Self.eventLimit))
        if hasFinished {
            listener.finish()
            return events
        }
        lastID += 1
        listeners[lastID] = listener
        listener.onTermination = { [lastID] _ in onEnd(lastID) }
        return events
    }

    mutating func remove(_ id: UInt64) { listeners[id] = nil }

    func send(_ event: SessionEvent) {
        for listener in listeners.values { listener.yield(event) }
    }

    /// Ends all sequences, also later ones.
    mutating func finish() {
        hasFinished = true
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    // MARK: Acknowledgements

    /// Notes an acknowledgement, which a later event reports.
    mutating func note(_ report: StanzaReport) {
        if report.state == .acknowledged, let id = report.id { newlyAcknowledged.append(id) }
    }

    /// Returns the stanzas that were acknowledged since the last call: one event reports all that one element of the
    /// server acknowledges.
    mutating func takeAcknowledged() -> [StanzaID] {
        if newlyAcknowledged.isEmpty { return [] }
        defer { newlyAcknowledged = [] }
        return newlyAcknowledged
    }

    // MARK: Notifications

    /// Logs a notification, and returns its event, with the server's answer to a resumption.
    ///
    /// - Parameter error: The error of the app's handler.
    mutating func event(
        of notification: StreamManagementCore.Notification, because error: (any Error)?
    ) -> (event: SessionEvent, resumption: ResumptionResult?) {
        switch notification {
        case .enabled(let answer, let resumption): return (.enabled(answer, resumption), nil)
        case .notEnabled(let answer): return (.notEnabled(answer), nil)
        case .resumed(let answer):
            logger.debug("session resumed")
            let result = ResumptionResult(acknowledged: takeAcknowledged(), answer: answer)
            return (.resumed(result), result)
        case .notResumed(let answer):
            logger.debug("session not resumed")
            return (.notResumed(answer), ResumptionResult(acknowledged: newlyAcknowledged, answer: answer))
        case .sessionLost(let loss):
            logger.debug("session lost", metadata: ["reason": "\(loss)"])
            return (.sessionLost(loss), nil)
        case .acknowledgementRequested: return (.acknowledgementRequested, nil)
        case .acknowledgementWithheld(let first, let count):
            logger.notice("the server acknowledges too little", metadata: ["unacknowledged": "\(count)"])
            return (.acknowledgementWithheld(first, unacknowledged: count), nil)
        case .undecided(let stanzas): return (.undecided(stanzas), nil)
        case .incomingDeadLetter(let element, let attempts):
            return (.incomingDeadLetter(element, attempts: attempts, error: error.map(HandlingError.init)), nil)
        case .deadLettered(let stanza, let reason):
            logger.warning("a stanza is not sent any more", metadata: ["reason": "\(reason)"])
            return (.deadLettered(stanza, reason), nil)
        case .rejected(let stanza):
            logger.notice("the parser skipped a stanza", metadata: ["reason": "\(stanza.error.message.excerpt())"])
            return (.rejected(stanza), nil)
        }
    }
}
