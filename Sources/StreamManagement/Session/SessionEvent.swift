// What a session tells besides stanzas.

public import XMLTree

/// Something that has happened to a session.
public enum SessionEvent: Equatable, Sendable {
    /// A resource was bound on a new stream; `nil` if the server has not told the address. What becomes of stream
    /// management comes behind. After a resumption the address is as it was, and nothing is told.
    case bound(address: String?)
    /// The server offers no stream management: the stream goes on without, and nobody will acknowledge what is sent.
    case notOffered
    /// Stream management is enabled; `nil` if the session cannot be resumed.
    indirect case enabled(Element, Resumption?)
    /// The server has refused stream management, and the stream goes on without.
    case notEnabled(Element)
    /// The session was resumed; what roster, presence and subscriptions are need not be asked or said again (rule R28).
    indirect case resumed(ResumptionResult)
    /// The server did not resume the session. A new one follows on the same stream.
    case notResumed(Element)
    /// The session is lost. A new one follows on the next stream.
    case sessionLost(StreamManagementCore.SessionLoss)
    /// An acknowledgement has been requested.
    case acknowledgementRequested
    /// The server answers requests, but does not acknowledge enough: senders wait at a full queue (D23), or stanzas
    /// wait after a suspect (D50). Has the first unacknowledged stanza and the number of unacknowledged ones.
    ///
    /// The session asks again every ``StreamManagementConfiguration/acknowledgementTimeout``, and reports this once for
    /// each wait. A server that was only busy acknowledges later, and ends the wait.
    case acknowledgementWithheld(OutgoingStanza, unacknowledged: Int)
    /// Stanzas have been acknowledged: the identifiers of those that have one, in order.
    case acknowledged([StanzaID])
    /// These need a decision (``StreamSession/decide(resend:)``).
    case undecided([OutgoingStanza])
    /// The session gave up this stanza after several failed attempts (rule R40). The error is that of the last attempt;
    /// `nil` if that attempt ended its process.
    case setAside(Element, attempts: Int, error: HandlingError?)
    /// A stanza to be sent was given up: the server does not accept it, or ends sessions because of it. What waits
    /// behind it is sent.
    case deadLettered(OutgoingStanza, StreamManagementCore.DeadLetterReason)
    /// A stanza was passed over that is beyond a limit of the parser, and counts as handled (rule R7). A request was
    /// answered with an error, unless its `id` is unknown or long, or there is no room (D23).
    indirect case rejected(RejectedStanza)
    /// An element that is neither a stanza nor stream management's.
    case other(Element)
    /// The stream has ended, and the app did not close, suspend or supersede it. ``StreamSession/canResume`` reports
    /// whether the session can be resumed.
    ///
    /// ``StreamSession/run(connecting:tag:policy:)`` connects again, unless the reason is final: then it ends with it.
    case disconnected(StreamEnd)
    /// ``StreamSession/run(connecting:tag:policy:)`` could not connect.
    case notConnected(ConnectionFailure)
}

/// Why a connection could not be made. Neither this nor any other event holds a password.
public struct ConnectionFailure: Equatable, Sendable, CustomStringConvertible {
    /// The connector's error, such as XMPPTransport's `XMPPConnectionError`.
    public let error: any Error
    /// Where there was none: a place that the server has named, after which the ordinary one is tried; `nil` for the
    /// ordinary one.
    public let place: ServerLocation?
    /// Whether trying again makes no sense: the run ends with the same error. Otherwise the next attempt follows.
    public let isFinal: Bool

    public init(error: any Error, place: ServerLocation? = nil, isFinal: Bool = false) {
        self.error = error
        self.place = place
        self.isFinal = isFinal
    }

    public var description: String { "\(error)" }

    public static func == (one: ConnectionFailure, other: ConnectionFailure) -> Bool {
        areAlike(one.error, other.error) && one.place == other.place && one.isFinal == other.isFinal
    }
}

/// Why handling a stanza failed. An error of your app may hold content of the stanza.
public struct HandlingError: Equatable, Sendable, CustomStringConvertible {
    public let error: any Error

    public init(_ error: any Error) { self.error = error }

    public var description: String { "\(error)" }

    public static func == (one: HandlingError, other: HandlingError) -> Bool { areAlike(one.error, other.error) }
}

/// What came of asking for a session to be resumed.
public struct ResumptionResult: Equatable, Sendable {
    /// The identifiers of the stanzas that the server acknowledged with its answer.
    public let acknowledged: [StanzaID]
    /// The server's answer: `<resumed/>` or `<failed/>`.
    public let answer: Element

    public var isResumed: Bool { ElementKind(answer) == .resumed }

    public init(acknowledged: [StanzaID], answer: Element) {
        self.acknowledged = acknowledged
        self.answer = answer
    }
}

/// How a stream ended.
public enum StreamEnd: Sendable {
    /// It was closed from here, and with it the session.
    case closed
    /// The other side has closed it.
    case closedByPeer
    /// The connection was lost. The session, if it is resumable, waits for the next one.
    case lost(any Error)
    /// The connection was cut because the other side was silent, or has sent a stream error.
    case abandoned(StreamManagementCore.AbandonReason)
    /// The other side has broken the protocol, and was told so.
    case violation(StreamError)
    /// The session went on with another transport, or was laid aside before this one's stream had begun.
    case superseded
    /// The session was suspended (``StreamSession/suspend()``).
    case suspended
    /// Another process owns the session now (M36).
    case takenOver
    /// What had to be stored could not be.
    case storageFailed(any Error)
}

extension StreamEnd: Equatable {
    /// Errors are taken for equal that are of one type and say the same.
    public static func == (one: StreamEnd, other: StreamEnd) -> Bool {
        switch (one, other) {
        case (.closed, .closed), (.closedByPeer, .closedByPeer), (.superseded, .superseded), (.suspended, .suspended),
            (.takenOver, .takenOver):
            true
        case (.lost(let error), .lost(let another)), (.storageFailed(let error), .storageFailed(let another)):
            areAlike(error, another)
        case (.abandoned(let reason), .abandoned(let another)): reason == another
        case (.violation(let error), .violation(let another)): error == another
        case (.closed, _), (.closedByPeer, _), (.lost, _), (.abandoned, _), (.violation, _), (.superseded, _),
            (.suspended, _), (.takenOver, _), (.storageFailed, _):
            false
        }
    }
}

/// Not a method of errors: there, `self` would be an error of any type, and have none of its own.
private func areAlike(_ one: any Error, _ other: any Error) -> Bool {
    type(of: one) == type(of: other) && "\(one)" == "\(other)"
}

/// What makes a received stanza count as handled.
public enum HandlingPolicy: Sendable {
    /// Every stanza counts as handled as soon as it arrives.
    case onArrival
    /// A stanza counts as handled when the next one is asked for: so
    /// `for await stanza in session.stanzas { try store(stanza) }` tells the server what was stored.
    case whenConsumed
    /// The application decides about each. What is pending counts when `markHandled` says so.
    case deciding(@Sendable (Element) -> HandlingDecision)
}

/// Whether a stanza is handled already.
public enum HandlingDecision: Hashable, Sendable {
    case handled
    /// The application will tell, by the stanza or by this name for it.
    case pending(id: StanzaID?)
}
