// The same as the asynchronous sequences, for those who would rather be called.

public import XMLTree

/// Is called by a session, on the session's own thread: it may ask the session nothing and must not wait.
///
/// Every method has an implementation that does nothing, or leaves the decision to the session.
public protocol StreamSessionDelegate: AnyObject, Sendable {
    /// Something has happened.
    func session(_ session: StreamSession, didReceive event: SessionEvent)

    /// A stanza was received. It is also offered to ``StreamSession/stanzas``, unless this returns `true`.
    func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool

    /// What the application calls a stanza that is about to be sent; `nil` leaves it at the stanza's own `id`.
    func session(_ session: StreamSession, idForSentStanza stanza: Element) -> StanzaID?

    /// Whether a received stanza is handled already; `nil` leaves it to the session's policy.
    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision?

    /// Whether somebody waits for an answer that may lie behind many stanzas:
    /// ``StreamManagementConfiguration/answerFactor`` times as many are received then.
    ///
    /// It is asked before a stanza is received. While the session receives no more, it is asked again with whatever is
    /// given to be sent and with whatever is handled, and not otherwise: say so before you send the request.
    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool

    /// Something is known about a stanza that was given to be sent.
    func session(_ session: StreamSession, didReport report: StanzaReport)
}

extension StreamSessionDelegate {
    public func session(_ session: StreamSession, didReceive event: SessionEvent) {}
    public func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool { false }
    public func session(_ session: StreamSession, idForSentStanza stanza: Element) -> StanzaID? { nil }
    public func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? { nil }
    public func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { false }
    public func session(_ session: StreamSession, didReport report: StanzaReport) {}
}
