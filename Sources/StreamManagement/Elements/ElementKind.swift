// Classifies the elements of a stream for stream management.

import XMLTree

/// The kind of a received element.
enum ElementKind: Equatable {
    /// An `iq`, `message` or `presence`: only these count (rule R1). Their content does not matter: a stanza with
    /// unknown or invalid content counts, too (rule R7).
    case stanza
    case acknowledgement, request, enabled, resumed, failed
    /// The other side's stream error.
    case streamError
    /// Stream features, SASL, other protocols, and elements of stream management that this version does not know: a
    /// later version may add some.
    case other

    init(_ element: Element) {
        self = element.read { Self.kind(of: $0) }
    }

    private static func kind(of reader: ElementReader) -> ElementKind {
        let name = reader.view.name(of: reader.index)
        return switch name.expanded {
        case Keys.message, Keys.iq, Keys.presence, Keys.serverMessage, Keys.serverIQ, Keys.serverPresence:
            .stanza
        case Keys.acknowledgement: .acknowledgement
        case Keys.request: .request
        case Keys.enabled: .enabled
        case Keys.resumed: .resumed
        case Keys.failed: .failed
        case Keys.streamError: .streamError
        default: .other
        }
    }
}

extension Element {
    /// Whether the element is an `iq`, `message` or `presence` of a stream, which stream management counts (rule R1).
    public var isStanza: Bool { ElementKind(self) == .stanza }

    /// - Throws: `StreamManagementError.notAStanza`.
    package func checkIsStanza() throws(StreamManagementError) {
        if !isStanza { throw .notAStanza(name) }
    }

    /// Whether the element is a `message`, which gets a stamp when it is sent again (D27).
    var isMessage: Bool {
        let key = read { $0.view[$0.index].key }
        return key == Keys.message || key == Keys.serverMessage
    }

    /// The `h` attribute; `nil` if it is missing or not a counter (rule R8).
    var handledCounter: StanzaCounter? {
        read { reader in
            guard let value = reader.view.attribute(qualified: Keys.handled, of: reader.index) else { return nil }
            return StanzaCounter(digits: reader.view.string(value))
        }
    }

    var hasHandledCounter: Bool {
        read { $0.view.attribute(qualified: Keys.handled, of: $0.index) != nil }
    }
}
