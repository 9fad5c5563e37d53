// What can be set, with the defaults and their reasons.
//
// All of it may be changed at any time; a change counts from the next event on.

/// How stream management behaves.
///
/// What asks for and sends acknowledgements by itself is off by default, and so are automatic resumption and the delay
/// of answers: a duration of zero turns a time off, a count of zero a count (rule R42). Times are exact.
public struct StreamManagementConfiguration: Hashable, Sendable {
    // MARK: Resuming

    /// Whether each new stream tries to resume the session without being asked. Otherwise the application may do so by
    /// hand instead of binding. Who acts on it is the session, not the core.
    public var resumesAutomatically = false

    /// How often the time of the last disconnect is stored anew while connected, so that a killed process leaves a
    /// recent one (rule R47). Whatever waits to be stored goes with it.
    public var disconnectRefreshInterval: Duration = .seconds(30)

    /// What becomes of stanzas whose session cannot be resumed (rule R30).
    public var failurePolicy: FailurePolicy = .resendMessages

    // MARK: Acknowledgements of what we send

    /// When acknowledgements are requested automatically (D19). Counts stanzas that were sent since the last request.
    public var acknowledgementRequests = AcknowledgementTrigger.off

    /// How long a request may be unanswered before the link is given up as dead (D48). The time begins anew as long as
    /// bytes come or go, of which the answer may lie behind, but not more than ``slowLineFactor`` times it passes in
    /// all.
    public var acknowledgementTimeout: Duration = .seconds(30)

    /// How many times ``acknowledgementTimeout`` and ``negotiationTimeout`` may pass while bytes move: a server that
    /// goes on sending and never answers is given up, too.
    public static let slowLineFactor = 20

    /// How many stanzas may be unacknowledged, those that wait for a stream or a decision among them, before senders
    /// have to wait (D23).
    public var maximumUnacknowledged = 1000

    /// How many bytes these stanzas may take in memory. The last stanza, or the last transaction's, may exceed it.
    ///
    /// 4 MiB: with all other bounds at their worst, a session keeps less than 17 MiB, which fits an app extension that
    /// may use 24 MB in all. Text takes its own size, and each element and attribute some 40 and 8 bytes more.
    public var maximumUnacknowledgedBytes = 4 << 20

    /// How often the server may close the stream, or end it with a complaint such as `policy-violation`, while the same
    /// stanza is in flight, before the session gives it up and reports it as a dead letter; 0 gives up none.
    ///
    /// The first loss may be another stanza's fault, so that 1 means 2.
    public var maximumLosses = 5

    // MARK: Acknowledgements of what we receive

    /// When acknowledgements are sent automatically. Counts stanzas that were handled since the last one was sent.
    public var acknowledgements = AcknowledgementTrigger.off

    /// How long the answer to a request is delayed. All requests that come meanwhile get one answer (rule R43).
    public var answerDelay: Duration = .zero

    /// How long the answer is delayed if it would only repeat the last one: whoever asks the same again and again is
    /// answered this often.
    public var repeatedAnswerInterval: Duration = .seconds(1)

    /// How many received stanzas may wait for being handled before no more should be read.
    ///
    /// An answer that is awaited may lie behind stanzas that nobody handles before it is there. So a session reads more
    /// meanwhile: ``roomFactor`` times as many while somebody waits for room to send, for which the server has to
    /// acknowledge something; ``answerFactor`` times as many while
    /// ``StreamSessionDelegate/sessionAwaitsAnswer(_:)`` says so; and both factors' product, 32 times as many, while
    /// both is the case. A server that never answers can make a session keep that many stanzas.
    public var maximumUnhandled = 1000

    /// How many bytes these stanzas may take in memory; the last one may exceed it. The same factors apply.
    ///
    /// 256 KiB: 8 MiB with both factors, and one stanza of up to 1 MiB more.
    public var maximumUnhandledBytes = 1 << 18

    /// How many times ``maximumUnhandled`` stanzas may be unhandled while somebody waits for room to send. One more
    /// queue of the same size is enough: without an acknowledgement in time the stream is given up.
    public static let roomFactor = 2

    /// How many times ``maximumUnhandled`` stanzas may be unhandled while an answer is awaited. Nothing else moves the
    /// session on, so that it is many: an archive or a room may send this much before it answers.
    public static let answerFactor = 16

    /// How often a stanza may be delivered whose handling fails, or takes the process with it, before it is set aside
    /// (rule R40).
    public var maximumHandlingAttempts = 5

    // MARK: Negotiation

    /// Whether stream management is enabled on every stream that offers it, without being asked. Who acts on it is the
    /// session, not the core.
    public var enablesAutomatically = true

    /// Whether a session that is enabled automatically shall be resumable.
    public var requestsResumption = true

    /// The resumption time that is wished for then; only whole positive seconds are (rule R41).
    public var wishedResumptionTime: Duration = .zero

    /// How long what is left may take to be written before a stream is closed or laid aside; then the connection is
    /// cut. A connector that does not hear of being cancelled is waited for as long; zero means the default there.
    public var closingTimeout = usualClosingTimeout

    static let usualClosingTimeout = Duration.seconds(5)

    /// How long the answer to `<enable/>` and `<resume/>` may take before the link is given up as dead; that to
    /// `<enable/>` up to ``slowLineFactor`` times as long while bytes move.
    public var negotiationTimeout: Duration = .seconds(30)

    public init() {}
}

/// After how many stanzas, or how long after the first of them, something is sent, whichever comes first.
public struct AcknowledgementTrigger: Hashable, Sendable {
    /// Zero or less turns it off.
    public var count: Int
    /// Zero or less turns it off.
    public var interval: Duration

    public init(count: Int = 0, interval: Duration = .zero) {
        self.count = count
        self.interval = interval
    }

    public static let off = AcknowledgementTrigger()
}

/// What becomes of sent stanzas without acknowledgement when their session is lost. In any case the application is told
/// first what is known of each. Stanzas that were never sent are not concerned: they wait for the next session.
public enum FailurePolicy: Hashable, Sendable {
    /// All are sent again in the next session. Each arrives at least once, perhaps twice.
    case resendAll
    /// Messages are, as nothing else is worth repeating in a new session: requests have lost their handlers and
    /// presence is out of date.
    case resendMessages
    /// None is. Each arrives at most once.
    case resendNone
    /// The application decides about each.
    case ask
}

extension Int {
    /// The largest number instead of one that is larger; what is negative counts as 0.
    func multiplied(by factor: Int) -> Int {
        let (product, isTooLarge) = Swift.max(0, self).multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }
}
