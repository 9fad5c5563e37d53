// What a session tells besides stanzas.

public import XMLTree

/// Something that has happened to a session.
public enum SessionEvent: Equatable, Sendable {
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
    /// Stanzas have been acknowledged: the identifiers of those that have one, in order.
    case acknowledged([StanzaID])
    /// These need a decision (``StreamSession/decide(resend:)``).
    case undecided([OutgoingStanza])
    /// Handling this stanza has failed so often that it was given up (rule R40).
    case setAside(Element, attempts: Int)
    /// An element that is neither a stanza nor stream management's.
    case other(Element)
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
