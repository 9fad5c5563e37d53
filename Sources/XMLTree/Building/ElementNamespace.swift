// The namespace of an element at the time it is built.

/// The namespace of a new element. A string literal is a URI.
public enum ElementNamespace: Sendable {
    /// The namespace of the parent that the element is added to; before that, none (rule 1.5).
    case inherited
    /// No namespace, wherever the element is added.
    case none
    /// The namespace with this URI. The empty string means no namespace.
    case uri(String)
}

extension ElementNamespace: Hashable {
    /// Whether both are equal. Compares URIs code point by code point (rule 1.1).
    public static func == (one: ElementNamespace, other: ElementNamespace) -> Bool {
        switch (one, other) {
        case (.inherited, .inherited), (.none, .none): true
        case (.uri(let one), .uri(let other)): one.isIdentical(to: other)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .inherited: hasher.combine(0)
        case .none: hasher.combine(1)
        case .uri(let uri): uri.hashExactly(into: &hasher)
        }
    }
}

extension ElementNamespace: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self = .uri(value)
    }
}

extension ElementNamespace {
    /// Returns the URI, and throws for one that an element cannot have.
    func checkedURI() throws(XMLTreeError) -> String? {
        guard case .uri(let uri) = self, !uri.isEmpty else { return nil }
        try XMLCharacters.check(text: uri)
        if uri.isIdentical(to: XMLNamespace.xmlns) { throw XMLTreeError(.reservedBinding, in: uri) }
        return uri
    }
}

extension XMLTreeError {
    /// Throws for bindings of the prefixes and namespaces that XML itself binds (Namespaces in XML 1.0 §3).
    static func checkBinding(of prefix: String, to namespace: String) throws(XMLTreeError) {
        let isXML = namespace.isIdentical(to: XMLNamespace.xml)
        if prefix == "xmlns" || (prefix == "xml") != isXML || namespace.isIdentical(to: XMLNamespace.xmlns) {
            throw XMLTreeError(.reservedBinding, in: isXML ? namespace : prefix)
        }
    }
}
