// The settings of stream management, with the defaults and their reasons.
//
// You can change them at any time; a change counts from the next event on.

/// The settings of stream management.
///
/// Automatic requests and acknowledgements, automatic resumption and the delay of answers are off by default. A
/// duration of zero turns a time off, a count of zero a count (rule R42). Times are exact.
public struct StreamManagementConfiguration: Hashable, Sendable {
    // MARK: Resuming

    /// Whether each new stream tries to resume the session. Otherwise the application can resume by hand instead of
    /// binding. The session acts on this setting, not the core.
    public var resumesAutomatically = false

    /// How many attempts in a row to resume a session the server may leave unanswered: it closes or resets the
    /// connection, is silent, or sends a stream error or another element. Then the session counts as lost (rule R32).
    /// After the server's `max`, one such attempt is enough.
    ///
    /// Three, because the next one may get an answer: a bad network or a restart ends one or two connections in a row.
    public static let resumptionAttempts = 3

    /// How often a connected session stores the current time as the time of its last disconnect, so that the stored
    /// time is recent after a kill (rule R47). The same write stores all changes that are held back.
    public var disconnectRefreshInterval: Duration = .seconds(30)

    /// Which stanzas are sent again if their session cannot be resumed (rule R30).
    public var failurePolicy: FailurePolicy = .resendMessages

    // MARK: Acknowledgements of sent stanzas

    /// When the session requests acknowledgements automatically (D19). Counts stanzas sent since the last request.
    public var acknowledgementRequests = AcknowledgementTrigger.off

    /// How long a request may be unanswered before the session gives up the link as dead (D48). The time restarts while
    /// bytes arrive or leave, because the answer may follow them. In all at most ``slowLineFactor`` times the timeout
    /// passes.
    public var acknowledgementTimeout: Duration = .seconds(30)

    /// How many times ``acknowledgementTimeout`` and ``negotiationTimeout`` may pass while bytes move: the session also
    /// gives up a server that keeps sending and never answers.
    public static let slowLineFactor = 20

    /// How many stanzas may be unacknowledged before senders have to wait (D23). Stanzas that wait for a stream or a
    /// decision count, too.
    public var maximumUnacknowledged = 1000

    /// How many bytes these stanzas may take in memory. The last stanza, or the stanzas of the last transaction or of
    /// the last ``StreamSession/send(contentsOf:)``, may exceed it.
    ///
    /// 4 MiB: with all other bounds at their worst, a session keeps less than 17 MiB. That fits an app extension, which
    /// may use 24 MB in all. Text takes its own size, and each element and attribute some 40 and 8 bytes more.
    public var maximumUnacknowledgedBytes = 4 << 20

    /// How many losses a stanza may have before the session gives it up and reports it as a dead letter; 0 gives up
    /// none. The server breaks the protocol, or ends the stream with a complaint such as `policy-violation`: each is a
    /// loss of every stanza in flight.
    ///
    /// The first loss may be another stanza's fault, so that 1 means 2. ``resetsPerLoss`` resets or closed streams are
    /// one loss.
    public var maximumLosses = 5

    /// How many resets of the connection, or streams that the server closed without an error, count as one loss of a
    /// stanza that was each time the first one in flight with more than 10,000 bytes. An end of another kind restarts
    /// the count.
    ///
    /// A server that refuses a large stanza can reset the connection before its stream error is read. A bad network
    /// resets connections, too, and a server that shuts down closes streams: with the default ``maximumLosses``, twenty
    /// connections have to end so.
    public static let resetsPerLoss = 4

    // MARK: Acknowledgements of received stanzas

    /// When the session sends acknowledgements automatically. Counts stanzas handled since the last one was sent.
    public var acknowledgements = AcknowledgementTrigger.off

    /// How long the session delays the answer to a request. All requests within the delay get one answer (rule R43).
    public var answerDelay: Duration = .zero

    /// How long the session delays an answer that would only repeat the last one. This limits the answers to a server
    /// that repeats its request.
    public var repeatedAnswerInterval: Duration = .seconds(1)

    /// How many received stanzas may be unhandled before the session pauses reading.
    ///
    /// An awaited answer may come after stanzas that the app handles only after the answer. So a session reads more
    /// while it waits: ``roomFactor`` times as many while a task waits for room to send, which an acknowledgement
    /// makes; ``answerFactor`` times as many while ``StreamSessionDelegate/sessionAwaitsAnswer(_:)`` returns `true`;
    /// and the product, 32 times as many, while both hold. A server that never answers can make a session keep that
    /// many stanzas.
    public var maximumUnhandled = 1000

    /// How many bytes these stanzas may take in memory; the last one may exceed it. The same factors apply.
    ///
    /// 256 KiB: 8 MiB with both factors, and one stanza of up to 1 MiB more.
    public var maximumUnhandledBytes = 1 << 18

    /// How many times ``maximumUnhandled`` stanzas may be unhandled while a task waits for room to send. One more queue
    /// of the same size is enough: without an acknowledgement in time the session gives up the stream.
    public static let roomFactor = 2

    /// How many times ``maximumUnhandled`` stanzas may be unhandled while the app awaits an answer. The factor is large
    /// because only the answer lets the app continue: an archive or a room may send this much before it answers.
    public static let answerFactor = 16

    /// The counted attempts after which the session gives up a stanza whose handling fails or ends the process (rule
    /// R40).
    ///
    /// If the first delivery ends the process, it is not counted: that would take a write to the disk for each stanza.
    /// So a stanza can end one process more than this number: six with 5.
    public var maximumHandlingAttempts = 5

    /// How long a handler of a durable session may take. Then the session cancels it, and counts a failure: all later
    /// stanzas wait for it. The session logs a warning at half of the time. A handler that waits for an answer of the
    /// server waits no longer than this.
    public var maximumHandlingTime = Duration.seconds(10)

    // MARK: Negotiation

    /// Whether the session enables stream management on every stream that offers it. The session acts on this setting,
    /// not the core.
    public var enablesAutomatically = true

    /// Whether automatic enabling asks for a session that can be resumed.
    public var requestsResumption = true

    /// The resumption time that automatic enabling requests, of which only whole positive seconds are sent (rule R41).
    public var requestedResumptionTime: Duration = .zero

    /// How long the session may write its outbox before it closes or suspends a stream; after that it cuts the
    /// connection.
    ///
    /// The session also waits this long for a canceled connector that does not end; for that, zero means the default.
    public var closingTimeout = usualClosingTimeout

    static let usualClosingTimeout = Duration.seconds(5)

    /// How long the answer to `<enable/>` and `<resume/>` may take before the session gives up the link as dead. The
    /// answer to `<enable/>` may take up to ``slowLineFactor`` times as long while bytes move.
    public var negotiationTimeout: Duration = .seconds(30)

    /// Where the counters of a new core begin: zero, except in tests of wrapping.
    package var firstCounter = StanzaCounter.zero

    public init() {}
}

/// A count of stanzas, or a time after the first of them, that triggers a request or an acknowledgement: whichever
/// comes first.
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

/// Which sent, unacknowledged stanzas the next session sends again after their session is lost.
///
/// With every policy, the session first reports the known state of each stanza. Stanzas that were never sent wait for
/// the next session.
public enum FailurePolicy: Hashable, Sendable {
    /// The next session sends all stanzas again. Each arrives at least once, perhaps twice.
    case resendAll
    /// The next session sends only messages again: requests have lost their handlers, and presence is out of date.
    case resendMessages
    /// The next session sends none again. Each arrives at most once.
    case resendNone
    /// The application decides about each stanza.
    case ask
}

extension Int {
    /// Returns the product, at most `Int.max`; a negative number counts as 0.
    func multiplied(by factor: Int) -> Int {
        let (product, isTooLarge) = Swift.max(0, self).multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }
}
