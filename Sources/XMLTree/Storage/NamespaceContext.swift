// The namespace bindings around a tree: those of a stream header, or of a copied element's place.
//
// Public, because serialization takes one and omits the declarations that it already has.

/// Namespace bindings in scope around an element: the default namespace and the prefixes.
///
/// The prefix `xml` is bound everywhere and never listed.
public struct NamespaceContext: Sendable {
    /// The namespace of elements without a prefix; `nil` if they have none.
    public var defaultNamespace: String?
    /// The namespace of each bound prefix. Prefixes are compared code point by code point (rule 1.1).
    public var prefixes: StringMap

    public init(defaultNamespace: String? = nil, prefixes: StringMap = [:]) {
        self.defaultNamespace = defaultNamespace
        self.prefixes = prefixes
    }

    /// A context without bindings.
    public static let empty = NamespaceContext()

    /// The bindings of a client stream: `jabber:client`, and the prefix `stream` (RFC 6120 §4.8).
    public static let clientStream = NamespaceContext(
        defaultNamespace: XMLNamespace.client, prefixes: ["stream": XMLNamespace.stream])
}

extension NamespaceContext: Equatable {
    /// Whether both have the same bindings, code point by code point. The order of the prefixes does not count.
    public static func == (one: NamespaceContext, other: NamespaceContext) -> Bool {
        one.defaultNamespace.isIdentical(to: other.defaultNamespace) && one.prefixes == other.prefixes
    }
}

/// Namespaces that the rules of XML and XMPP define.
public enum XMLNamespace {
    /// The namespace of the prefix `xml`, bound everywhere.
    public static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The namespace of the prefix `xmlns`, which no element or attribute can have.
    public static let xmlns = "http://www.w3.org/2000/xmlns/"
    /// The namespace of a client's stanzas (RFC 6120 §4.8.2).
    public static let client = "jabber:client"
    /// The namespace of the XMPP stream element (RFC 6120 §4.8.1).
    public static let stream = "http://etherx.jabber.org/streams"
}

/// A context that many trees share: one reference for each tree.
package final class SharedNamespaceContext: Sendable {
    package let context: NamespaceContext
    /// The namespace of each prefix, and its key, by the prefix's key.
    private let namespaces: [NameKey: (key: NameKey, uri: String)]

    package init(_ context: NamespaceContext) {
        self.context = context
        var namespaces: [NameKey: (key: NameKey, uri: String)] = [:]
        for (prefix, namespace) in context.prefixes {
            namespaces[NameKey(.declaration, prefix)] = (NameKey(.namespace, namespace), namespace)
        }
        self.namespaces = namespaces
    }

    /// Returns the key of the namespace of a prefix, given as `NameKey(.declaration, prefix)`.
    package func namespaceKey(forPrefix prefix: NameKey) -> NameKey? { namespaces[prefix]?.key }

    /// Returns the namespace of a prefix, given in the same way.
    func namespace(forPrefix prefix: NameKey) -> String? { namespaces[prefix]?.uri }
}
