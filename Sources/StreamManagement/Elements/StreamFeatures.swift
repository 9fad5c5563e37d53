// Reads stream management's offers from the stream features: the ordinary and the inline ones (XEP-0388, XEP-0386).

import XMLTree
import XMPPCore

/// A server's offers in `<stream:features/>`, read as a pure function of the element.
public struct StreamFeatures: Hashable, Sendable {
    /// Stream management can be enabled and sessions resumed on this stream.
    public var supportsStreamManagement = false
    /// A session can be resumed with SASL2 authentication (XEP-0388).
    public var supportsInlineResumption = false
    /// A resource can be bound with SASL2 authentication (XEP-0386).
    public var supportsInlineBinding = false
    /// The namespaces of the features that the client can ask for within that binding, such as that of carbons.
    public var inlineBindFeatures: Set<String> = []
    /// The server's limits on this stream; empty if it announces none.
    public var limits = StreamLimits()

    /// Stream management can be enabled with the binding.
    public var supportsInlineEnabling: Bool { inlineBindFeatures.contains(Namespaces.streamManagement) }

    public init() {}

    /// Reads the features. Any other element supports nothing.
    public init(_ features: Element) {
        guard features.name == "features", features.namespace == XMLNamespace.stream else { return }
        let management = ElementNamespace.uri(Namespaces.streamManagement)
        supportsStreamManagement = features.child("sm", namespace: management) != nil
        if let element = features.child("limits", namespace: .uri(Namespaces.limits)) { limits = StreamLimits(element) }
        guard let authentication = features.child("authentication", namespace: .uri(Namespaces.sasl2)),
            let inline = authentication.child("inline")
        else { return }
        supportsInlineResumption = inline.child("sm", namespace: management) != nil
        guard let bind = inline.child("bind", namespace: .uri(Namespaces.bind2)) else { return }
        supportsInlineBinding = true
        inlineBindFeatures = Set(bind.child("inline")?.children.compactMap { $0["var"] } ?? [])
    }
}

/// A server's limits on a stream (XEP-0478).
public struct StreamLimits: Hashable, Sendable {
    /// The size of the largest element that the server accepts, in bytes as sent; `nil` if not announced.
    public var bytes: Int?
    /// After how many silent seconds the server may consider the stream idle; `nil` if not announced.
    public var idleSeconds: Int?

    public init(bytes: Int? = nil, idleSeconds: Int? = nil) {
        self.bytes = bytes
        self.idleSeconds = idleSeconds
    }

    /// Every server must accept that many bytes (RFC 6120 §13.12). This replaces a lower limit, which would keep an app
    /// from sending anything.
    static let lowestBytes = 10_000

    /// Reads `<limits/>`, and ignores a limit that is not a positive number of at most 32 bits.
    init(_ limits: Element) {
        func number(_ name: String) -> Int? {
            var text = limits.child(name)?.text ?? ""
            guard let number = text.withUTF8({ UInt32(digits: $0) }), number > 0 else { return nil }
            return Int(number)
        }
        self.init(bytes: number("max-bytes").map { max($0, Self.lowestBytes) }, idleSeconds: number("idle-seconds"))
    }
}
