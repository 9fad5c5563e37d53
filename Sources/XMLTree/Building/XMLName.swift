// The names of new elements and attributes: literals, which the program's author has checked, and checked texts.

/// A name that XML allows, for an element or an attribute.
///
/// A literal may have a prefix. If it is not a name, using it stops the program:
///
/// ```swift
/// message["xml:lang"] = "en"
/// ```
///
/// Check a name from outside: `message[try XMLName(text)] = "en"`.
public struct XMLName: Sendable {
    /// Checked, unless it is a literal.
    @usableFromInline let text: String

    /// Checks a name from outside: `name`, `xml:name`, or `{namespace}name`.
    ///
    /// - Throws: `XMLTreeError` for any other text; for other prefixes, too, because they may not be bound where the
    ///   name is used, and for `xmlns`, which no attribute can have.
    public init(_ name: String) throws(XMLTreeError) {
        let text = name.utf8.starts(with: "{}".utf8) ? String(name.unicodeScalars.dropFirst(2)) : name
        self.text = text
        if isPlain { return }
        let (prefix, namespace, _) = try Self.split(text)
        guard let namespace, text.utf8.count == name.utf8.count else {
            throw XMLTreeError(prefix.isEmpty ? .declarationAsAttribute : .unknownPrefix, in: text)
        }
        _ = try ElementNamespace.uri(namespace).checkedURI()
    }

    /// A name from a tree.
    package init(known name: String) { text = name }

    /// Whether it is a name without prefix and namespace, and not `xmlns`.
    var isPlain: Bool { text.withBytes { XMLCharacters.isName($0) && !$0.equals("xmlns") } }

    /// The prefix, the namespace of `{namespace}name` and `xml:name`, and the local name.
    var parts: (prefix: String, namespace: String?, local: String) {
        if isPlain { return ("", nil, text) }
        return XMLTreeError.unlessMistaken { () throws(XMLTreeError) in try Self.split(text) }
    }

    private static func split(_ text: String) throws(XMLTreeError) -> (String, String?, String) {
        if text.utf8.first == UInt8(ascii: "{"), let close = text.utf8.firstIndex(of: UInt8(ascii: "}")) {
            let local = try XMLCharacters.part(text.utf8.index(after: close)..<text.endIndex, of: text)
            return ("", String(text[text.utf8.index(after: text.startIndex)..<close]), local)
        }
        let (prefix, local) = try XMLCharacters.split(qualifiedName: text)
        return (prefix, prefix == "xml" ? XMLNamespace.xml : nil, local)
    }
}

extension XMLName: CustomStringConvertible {
    /// The name as given.
    public var description: String { text }
}

extension XMLName: ExpressibleByStringLiteral {
    /// The name in a literal without interpolations. Its users check it, so that literals of attributes are constants.
    @inlinable public init(stringLiteral name: String) { text = name }
}
