// The name of a payload's element, with its key, which is computed once. The names of members are `XMLName`s of
// XMLTree.

public import XMLTree

/// The namespace and the local name of a payload's element, written `{namespace}name`.
///
/// ```swift
/// let name: PayloadName = "{urn:xmpp:delay}delay"
/// ```
///
/// A literal that is not a name stops the program: the source code has a mistake. A text from outside is checked by
/// `init(_:)`.
public struct PayloadName: Sendable {
    /// The namespace; empty for an element without one.
    public let namespace: String
    /// The local name.
    public let name: String
    let key: NameKey

    /// Checks a name: `{namespace}name`, `xml:name`, or `name` for an element without a namespace.
    ///
    /// - Throws: `XMLTreeError` for a text that `XMLName` refuses.
    public init(_ text: String) throws(XMLTreeError) {
        let checked = try XMLName(text).description
        guard checked.utf8.first == UInt8(ascii: "{"), let close = checked.utf8.firstIndex(of: UInt8(ascii: "}")) else {
            let isXML = checked.hasPrefix("xml:")
            self.init(namespace: isXML ? XMLNamespace.xml : "", name: isXML ? String(checked.dropFirst(4)) : checked)
            return
        }
        let start = checked.utf8.index(after: checked.startIndex)
        self.init(
            namespace: String(checked[start..<close]), name: String(checked[checked.utf8.index(after: close)...]))
    }

    private init(namespace: String, name: String) {
        self.namespace = namespace
        self.name = name
        key = NameKey(.namespace, namespace) + NameKey(.local, name)
    }
}

extension PayloadName: ExpressibleByStringLiteral {
    /// The name in a literal without interpolations. Traps if it is not a name.
    public init(stringLiteral text: StaticString) {
        do throws(XMLTreeError) { try self.init(text.description) } catch { fatalError("\"\(text)\": \(error)") }
    }
}

extension PayloadName: CustomStringConvertible {
    public var description: String { namespace.isEmpty ? name : "{\(namespace)}\(name)" }
}

extension PayloadName: Hashable {
    /// Whether both parts have the same code points.
    public static func == (one: PayloadName, other: PayloadName) -> Bool {
        one.namespace.isIdentical(to: other.namespace) && one.name.isIdentical(to: other.name)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
