// The timers of the core, as data: the armed timers and their deadlines.

extension StreamManagementCore {
    /// A timer of the core.
    public enum Timer: Hashable, Sendable, CaseIterable {
        /// Until the core requests an acknowledgement for the last sent stanzas.
        case request
        /// Until the core repeats a request that senders or stanzas wait for (D18).
        case repetition
        /// Until the core acknowledges the last handled stanzas.
        case acknowledgement
        /// Until the core answers the requests whose answer it delays.
        case answer
        /// Until the answer to a request counts as missing.
        case missingAcknowledgement
        /// Until the answer to `<enable/>` or `<resume/>` counts as missing.
        case negotiation
        /// Until the core next stores the time of the last disconnect.
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
