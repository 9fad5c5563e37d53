// The events of a session, besides stanzas.

public import XMLTree

/// An event of a session.
public enum SessionEvent: Equatable, Sendable {
    /// A resource was bound on a new stream; `nil` if the server did not send the address. The event about stream
    /// management follows. After a resumption the address stays the same, and the session does not send this event.
    case bound(address: String?)
    /// The server offers no stream management: the stream continues without it, and no stanza will be acknowledged.
    case notOffered
    /// Stream management is enabled; the `Resumption` is `nil` if the session cannot be resumed.
    indirect case enabled(Element, Resumption?)
    /// The server refused stream management: the stream continues without it.
    case notEnabled(Element)
    /// The session was resumed. Roster, presence and subscriptions are still valid: you need not request or send them
    /// again (rule R28).
    indirect case resumed(ResumptionResult)
    /// The server did not resume the session. A new one follows on the same stream.
    case notResumed(Element)
    /// The session is lost. A new one follows on the next stream.
    case sessionLost(StreamManagementCore.SessionLoss)
    /// The session has requested an acknowledgement.
    case acknowledgementRequested
    /// The server answers requests, but does not acknowledge enough: senders wait at a full queue (D23), or stanzas
    /// wait after a suspect (D50). Has the first unacknowledged stanza and the number of unacknowledged ones.
    ///
    /// The session asks again every ``StreamManagementConfiguration/acknowledgementTimeout``, and reports this once for
    /// each wait. A server that was only busy acknowledges later, and ends the wait.
    case acknowledgementWithheld(OutgoingStanza, unacknowledged: Int)
    /// The server has acknowledged stanzas: the identifiers of those that have one, in order.
    case acknowledged([StanzaID])
    /// These stanzas need a decision (``StreamSession/decide(resend:)``).
    case undecided([OutgoingStanza])
    /// The session gave up a received stanza after several failed attempts to handle it (rule R40). The error is that
    /// of the last attempt; `nil` if that attempt ended its process.
    case incomingDeadLetter(Element, attempts: Int, error: HandlingError?)
    /// The session gave up a stanza to send: the server does not accept it, or ends streams because of it. The stanzas
    /// that waited after it are sent.
    case deadLettered(OutgoingStanza, StreamManagementCore.DeadLetterReason)
    /// The parser skipped a stanza: it is beyond a limit, or not namespace-well-formed. Its `error` names the reason.
    /// The stanza counts as handled (rule R7). The session answered a request with an error, unless its `id` is unknown
    /// or long, or the queue has no room (D23).
    indirect case rejected(RejectedStanza)
    /// No route of the app took this stanza (XMPPSession). The `otherwise` route decides about it; a request is
    /// refused.
    case notRouted(Element)
    /// An element that is not a stanza, and does not belong to stream management.
    case other(Element)
    /// The stream has ended, and the app did not close, suspend or supersede it. ``StreamSession/canResume`` reports
    /// whether the session can be resumed.
    ///
    /// ``StreamSession/run(connecting:tag:policy:)`` connects again, unless the reason is final: then it ends with it.
    case disconnected(StreamEnd)
    /// ``StreamSession/run(connecting:tag:policy:)`` could not connect, or the storage prevented the attempt (D51).
    case notConnected(ConnectionFailure)
}

/// Why a connection could not be made. No event holds a password.
public struct ConnectionFailure: Equatable, Sendable, CustomStringConvertible {
    /// The connector's error, such as XMPPTransport's `XMPPConnectionError`, or the storage's.
    public let error: any Error
    /// The place that the attempt failed at, if the server named it: the session tries the ordinary place next. `nil`
    /// for the ordinary place.
    public let place: ServerLocation?
    /// Whether another attempt would fail again: the run ends with the same error. Otherwise the next attempt follows.
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

/// The result of a request to resume a session.
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
    /// The app closed it, and with it the session.
    case closed
    /// The server closed it.
    case closedByPeer
    /// The connection was lost, or the storage failed for now (D51). The session, if it can be resumed, waits for the
    /// next stream.
    case lost(any Error)
    /// The session cut the connection because the server was silent, or sent a stream error.
    case abandoned(StreamManagementCore.AbandonReason)
    /// The server broke the protocol; the session answered with this stream error.
    case violation(StreamError)
    /// The session continued on another transport, or was suspended before this stream began.
    case superseded
    /// The session was suspended (``StreamSession/suspend()``).
    case suspended
    /// Another process owns the session now (M36).
    case takenOver
    /// The storage failed for good to store a change.
    case storageFailed(any Error)
}

extension StreamEnd: Equatable {
    /// Compares errors by their type and their description.
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

/// A function, not a method of errors: there, `self` would be an error of any type, and have none of its own.
private func areAlike(_ one: any Error, _ other: any Error) -> Bool {
    type(of: one) == type(of: other) && "\(one)" == "\(other)"
}

/// When a received stanza counts as handled.
public enum HandlingPolicy: Sendable {
    /// Every stanza counts as handled as soon as it arrives.
    case onArrival
    /// A stanza counts as handled when the app asks for the next one. So
    /// `for await stanza in session.stanzas { try store(stanza) }` acknowledges the stored stanzas.
    case whenConsumed
    /// The application decides about each stanza. A pending one counts when the app calls `markHandled`.
    case deciding(@Sendable (Element) -> HandlingDecision)

    func decision(about stanza: Element) -> HandlingDecision {
        switch self {
        case .onArrival: .handled
        case .whenConsumed: .pending(id: nil)
        case .deciding(let decide): decide(stanza)
        }
    }
}

/// Whether a stanza is handled already.
public enum HandlingDecision: Hashable, Sendable {
    case handled
    /// The application calls `markHandled` later, with the stanza or with this name for it.
    case pending(id: StanzaID?)
}
