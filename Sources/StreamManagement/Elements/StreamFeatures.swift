// What the stream features say about stream management, in the old way and inline (XEP-0388, XEP-0386).

import XMLTree

/// What a server offers in `<stream:features/>`, read as a pure function of the element.
public struct StreamFeatures: Hashable, Sendable {
    /// Stream management can be enabled and sessions resumed on this stream.
    public var supportsStreamManagement = false
    /// A session can be resumed with SASL2 authentication (XEP-0388).
    public var supportsInlineResumption = false
    /// A resource can be bound with SASL2 authentication (XEP-0386).
    public var supportsInlineBinding = false
    /// Stream management can be enabled with that binding.
    public var supportsInlineEnabling = false

    public init() {}

    /// Reads the features; of anything else, nothing is supported.
    public init(_ features: Element) {
        guard features.name == "features", features.namespace == XMLNamespace.stream else { return }
        let management = ElementNamespace.uri(Namespaces.streamManagement)
        supportsStreamManagement = features.child("sm", namespace: management) != nil
        guard let authentication = features.child("authentication", namespace: .uri(Namespaces.sasl2)),
            let inline = authentication.child("inline")
        else { return }
        supportsInlineResumption = inline.child("sm", namespace: management) != nil
        guard let bind = inline.child("bind", namespace: .uri(Namespaces.bind2)) else { return }
        supportsInlineBinding = true
        let offered = bind.child("inline")?.children.map { $0["var"] } ?? []
        supportsInlineEnabling = offered.contains(Namespaces.streamManagement)
    }
}
