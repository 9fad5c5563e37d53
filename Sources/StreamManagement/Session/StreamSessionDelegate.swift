// Callbacks, for apps that do not use the asynchronous sequences.

public import XMLTree

/// Receives a session's events and stanzas on the session's own thread. It must not wait, nor call the session.
///
/// Every method has a default implementation that does nothing, or leaves the decision to the session.
public protocol StreamSessionDelegate: AnyObject, Sendable {
    /// The session reports an event.
    func session(_ session: StreamSession, didReceive event: SessionEvent)

    /// The session received a stanza. Unless this returns `true`, it also offers the stanza to
    /// ``StreamSession/stanzas``.
    func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool

    /// The application's identifier for a stanza that is about to be sent; `nil` uses the stanza's own `id`.
    func session(_ session: StreamSession, idForSentStanza stanza: Element) -> StanzaID?

    /// Whether a received stanza counts as handled already; `nil` leaves the decision to the session's policy.
    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision?

    /// Whether the app waits for an answer that may come after many stanzas. The session then reads
    /// ``StreamManagementConfiguration/answerFactor`` times as many.
    ///
    /// The session asks before it receives a stanza. While its reading is paused, it asks again only when the app sends
    /// or handles a stanza: return `true` before you send the request.
    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool

    /// The session reports the delivery state of a stanza.
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
