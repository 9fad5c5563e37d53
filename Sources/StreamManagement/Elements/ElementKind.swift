// What an element of a stream is to stream management.

import XMLTree

/// What has been received.
enum ElementKind: Equatable {
    /// An `iq`, `message` or `presence`: nothing else counts (rule R1). Its content does not matter, so that one that
    /// nobody can make sense of counts, too (rule R7).
    case stanza
    case acknowledgement, request, enabled, resumed, failed
    /// The other side's stream error.
    case streamError
    /// Stream features, SASL, whatever else belongs to other parts, and elements of stream management that this version
    /// does not know: a later version may add some.
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
    /// Whether it is an `iq`, `message` or `presence` of a stream: what stream management counts (rule R1).
    public var isStanza: Bool { ElementKind(self) == .stanza }

    /// - Throws: `StreamManagementError.notAStanza`.
    package func checkIsStanza() throws(StreamManagementError) {
        if !isStanza { throw .notAStanza(name) }
    }

    /// Whether it is a `message`, which is stamped when it is sent again (D27).
    var isMessage: Bool {
        let key = read { $0.view[$0.index].key }
        return key == Keys.message || key == Keys.serverMessage
    }

    /// The `h` attribute; `nil` when it is missing or no counter (rule R8).
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
