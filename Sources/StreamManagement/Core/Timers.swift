// The timers of the core, as data: which are armed, and until when.

extension StreamManagementCore {
    /// What time passes for.
    public enum Timer: Hashable, Sendable, CaseIterable {
        /// Until an acknowledgement is requested for the tail of what was sent.
        case request
        /// Until the core asks again for an acknowledgement that senders or stanzas wait for (D18).
        case repetition
        /// Until an acknowledgement is sent for the tail of what was handled.
        case acknowledgement
        /// Until requests are answered that were not answered at once.
        case answer
        /// Until the answer to our request is missing.
        case missingAcknowledgement
        /// Until the answer to `<enable/>` or `<resume/>` is missing.
        case negotiation
        /// Until the time of the last disconnect is stored anew.
        case refresh
    }
}

/// The deadlines of the armed timers.
struct TimerTable {
    private var request: Duration?
    private var repetition: Duration?
    private var acknowledgement: Duration?
    private var answer: Duration?
    private var missingAcknowledgement: Duration?
    private var negotiation: Duration?
    private var refresh: Duration?

    subscript(timer: StreamManagementCore.Timer) -> Duration? {
        get {
            switch timer {
            case .request: request
            case .repetition: repetition
            case .acknowledgement: acknowledgement
            case .answer: answer
            case .missingAcknowledgement: missingAcknowledgement
            case .negotiation: negotiation
            case .refresh: refresh
            }
        }
        set {
            switch timer {
            case .request: request = newValue
            case .repetition: repetition = newValue
            case .acknowledgement: acknowledgement = newValue
            case .answer: answer = newValue
            case .missingAcknowledgement: missingAcknowledgement = newValue
            case .negotiation: negotiation = newValue
            case .refresh: refresh = newValue
            }
        }
    }
}
