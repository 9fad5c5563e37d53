// The parts of a new element: its namespace, its attributes, and its content in braces.

/// The namespace of a new element. A string literal is a URI.
public enum ElementNamespace: Sendable {
    /// The namespace of the parent that the element is added to; before that, none (rule 1.5).
    case inherited
    /// No namespace, wherever the element is added.
    case empty
    /// The namespace with this URI. The empty string means no namespace.
    ///
    /// A URI that XML refuses stops the program: one with a forbidden character, and that of `xmlns`. ``XMLName``
    /// checks one from outside, as in `XMLName("{\(uri)}query")`.
    case uri(String)
}

extension ElementNamespace: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .uri(value) }
}

extension ElementNamespace {
    var isInherited: Bool { if case .inherited = self { true } else { false } }

    /// Returns the URI, and throws for one that an element cannot have.
    func checkedURI() throws(XMLTreeError) -> String? {
        guard case .uri(let uri) = self, !uri.isEmpty else { return nil }
        try XMLTreeError.check(text: uri)
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

/// Attributes for a new element, in order. A `nil` value omits its attribute.
///
/// ```swift
/// let service = MutableElement(
///     "service", attributes: ["type": "stun", "host": host, "port": port.map(String.init)])
/// ```
///
/// A name that is given twice in a literal stops the program.
public struct AttributeValues: Sendable {
    let pairs: [(XMLName, String?)]

    /// Attributes with names from outside, in the order of a sequence.
    ///
    /// - Throws: `XMLTreeError` for a name that ``XMLName`` refuses, and for a name that is given twice.
    public init(_ pairs: some Sequence<(String, String?)>) throws(XMLTreeError) {
        var (known, checked): (Set<ExactString>, [(XMLName, String?)]) = ([], [])
        for (name, value) in pairs {
            let name = try XMLName(name)
            guard known.insert(ExactString(name.text)).inserted else {
                throw XMLTreeError(.duplicateAttribute, in: name.text)
            }
            checked.append((name, value))
        }
        self.pairs = checked
    }

    /// The attributes of a dictionary with names from outside, in the order of the UTF-8 bytes of their names.
    ///
    /// - Throws: as for a sequence.
    public init(_ dictionary: [String: String]) throws(XMLTreeError) {
        try self.init(Array(dictionary).sortedByKey().map { ($0.key, $0.value) })
    }
}

extension AttributeValues: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (XMLName, String?)...) { self.pairs = pairs }
}

/// A piece of a new element's content.
public enum NewContent {
    case element(MutableElement)
    case frozen(Element)
    case text(String)
    /// Pieces in order; empty for no content.
    case pieces([NewContent])
}

/// Collects the content in the braces of `MutableElement(_:namespace:attributes:content:)`: elements of both kinds,
/// strings, optionals and arrays of these, and conditions and loops over them.
@resultBuilder
public enum ElementBuilder {
    public static func buildExpression(_ element: MutableElement?) -> NewContent {
        element.map { .element($0) } ?? .pieces([])
    }

    public static func buildExpression(_ element: Element?) -> NewContent { element.map { .frozen($0) } ?? .pieces([]) }

    public static func buildExpression(_ text: String?) -> NewContent { text.map { .text($0) } ?? .pieces([]) }

    public static func buildExpression(_ elements: [MutableElement]) -> NewContent {
        .pieces(elements.map { .element($0) })
    }

    public static func buildExpression(_ elements: [Element]) -> NewContent { .pieces(elements.map { .frozen($0) }) }

    public static func buildBlock(_ pieces: NewContent...) -> NewContent { .pieces(pieces) }

    public static func buildOptional(_ piece: NewContent?) -> NewContent { piece ?? .pieces([]) }

    public static func buildEither(first piece: NewContent) -> NewContent { piece }

    public static func buildEither(second piece: NewContent) -> NewContent { piece }

    public static func buildLimitedAvailability(_ piece: NewContent) -> NewContent { piece }

    public static func buildArray(_ pieces: [NewContent]) -> NewContent { .pieces(pieces) }
}
