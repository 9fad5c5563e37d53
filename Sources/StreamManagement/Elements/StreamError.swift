// The stream errors that the session sends when a peer breaks the protocol, and the received ones that keep a session.

import XMLTree
import XMPPCore

/// A stream error that answers the peer's violation of the protocol (RFC 6120 §4.9, XEP-0198 §6), and ends the stream.
public enum StreamError: Hashable, Sendable {
    /// The peer acknowledged more stanzas than were sent (D5): `undefined-condition` with
    /// `<handled-count-too-high/>`.
    case handledCountTooHigh(handled: StanzaCounter, sent: StanzaCounter)
    /// An `h` is missing or not a counter (rule R8): `invalid-xml`, because it breaks the schema.
    case invalidHandledCount
    /// A `<resumed/>` for another session: `undefined-condition`.
    case wrongSession
    /// A known element that the state does not allow: `undefined-condition`.
    case unexpected(UnexpectedElement)

    /// The element that came at the wrong time.
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

    /// The violation in words, for the peer's logs.
    public var text: String {
        switch self {
        case .handledCountTooHigh(let handled, let sent):
            "the acknowledgement covers \(handled) stanzas, but only \(sent) were sent"
        case .invalidHandledCount: "expected h to be a number from 0 to 4294967295"
        case .wrongSession: "expected previd to name the session that was to be resumed"
        case .unexpected(.stanza): "a stanza came before a resource was bound or a session resumed"
        case .unexpected(let element): "<\(element.rawValue)/> was not expected now"
        }
    }

    /// The `<stream:error/>` to send.
    public var element: Element {
        let errors = ElementNamespace.uri(Namespaces.streamErrors)
        return MutableElement("stream:error", namespace: .uri(XMLNamespace.stream)) {
            MutableElement(XMLName(known: condition), namespace: errors)
            MutableElement("text", namespace: errors, attributes: ["xml:lang": "en"], text: text)
            if case .handledCountTooHigh(let handled, let sent) = self {
                MutableElement(
                    "handled-count-too-high", namespace: .uri(Namespaces.streamManagement),
                    attributes: ["h": handled.description, "send-count": sent.description])
            }
        }.freeze()
    }
}

extension Element {
    /// Whether a received stream error ends the stream for reasons outside the session, so that resuming may succeed.
    /// The other errors concern data that the session sent, and would come again.
    var leavesSessionIntact: Bool {
        let temporary: Set = [
            "conflict", "connection-timeout", "host-gone", "internal-server-error", "remote-connection-failed", "reset",
            "resource-constraint", "see-other-host", "system-shutdown",
        ]
        return children.contains { $0.namespace == Namespaces.streamErrors && temporary.contains($0.name) }
    }
}
