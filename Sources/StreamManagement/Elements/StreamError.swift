// The stream errors by which a peer that breaks the protocol is told so, and the reasons to give up that peers tell us.

import XMLTree

/// A stream error that answers the peer's violation of the protocol (RFC 6120 §4.9, XEP-0198 §6). The stream ends
/// with it.
public enum StreamError: Hashable, Sendable {
    /// The peer acknowledged more stanzas than were sent (D5): `undefined-condition` with
    /// `<handled-count-too-high/>`.
    case handledCountTooHigh(handled: StanzaCounter, sent: StanzaCounter)
    /// An `h` is missing or no counter (rule R8): `invalid-xml`, which is what the schema makes of it.
    case invalidHandledCount
    /// A `<resumed/>` for another session: `undefined-condition`.
    case wrongSession
    /// A known element at a time when it means nothing: `undefined-condition`.
    case unexpected(UnexpectedElement)

    /// What came at the wrong time.
    public enum UnexpectedElement: String, Hashable, Sendable {
        case enabled, resumed, failed, stanza
        case request = "r"
        case acknowledgement = "a"
    }

    /// The name of the defined condition.
    public var condition: String {
        switch self {
        case .handledCountTooHigh, .wrongSession, .unexpected: "undefined-condition"
        case .invalidHandledCount: "invalid-xml"
        }
    }

    /// What the peer did, for its logs.
    public var text: String {
        switch self {
        case .handledCountTooHigh(let handled, let sent):
            "the acknowledgement covers \(handled) stanzas, but only \(sent) were sent"
        case .invalidHandledCount: "expected h to be a number from 0 to 4294967295"
        case .wrongSession: "expected previd to name the session that was to be resumed"
        case .unexpected(.stanza): "a stanza came before a resource was bound or a session resumed"
        case .unexpected(let element): "<\(element.rawValue)/> was not to be expected now"
        }
    }

    /// It as an element.
    public var element: Element {
        do {
            let errors = ElementNamespace.uri(Namespaces.streamErrors)
            return try MutableElement("stream:error", namespace: .uri(XMLNamespace.stream)) {
                try MutableElement(condition, namespace: errors)
                try MutableElement("text", namespace: errors, attributes: ["xml:lang": "en"], text: text)
                if case .handledCountTooHigh(let handled, let sent) = self {
                    try MutableElement(
                        "handled-count-too-high", namespace: .uri(Namespaces.streamManagement),
                        attributes: ["h": handled.description, "send-count": sent.description])
                }
            }.freeze()
        } catch {
            preconditionFailure("everything in a stream error is fixed or a number: \(error)")
        }
    }
}

extension Element {
    /// Of a stream error that we received: whether it says that the stream has to end for reasons beside the session,
    /// so that resuming again may go well. The others judge what we said, and would do so again.
    var leavesSessionIntact: Bool {
        let temporary: Set = [
            "conflict", "connection-timeout", "host-gone", "internal-server-error", "remote-connection-failed", "reset",
            "resource-constraint", "see-other-host", "system-shutdown",
        ]
        return children.contains { $0.namespace == Namespaces.streamErrors && temporary.contains($0.name) }
    }
}
