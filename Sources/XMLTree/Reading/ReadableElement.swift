// The common interface of frozen and editable elements: for reading, and for the other modules of this package.
//
// Element.swift and MutableElement.swift implement it over one reader, ElementReader.swift.

/// An element that can be read: a frozen `Element` or a `MutableElement`.
///
/// Functions over either kind take `some ReadableElement`:
///
/// ```swift
/// func isRequest(_ stanza: some ReadableElement) -> Bool {
///     stanza.name == "iq" && ["get", "set"].contains(stanza["type"])
/// }
/// ```
public protocol ReadableElement: CustomStringConvertible {
    associatedtype Children: Collection where Children.Element == Self

    /// The local name, without a prefix (rule 1.1).
    var name: String { get }

    /// The namespace; `nil` if the element has none (rule 1.1).
    var namespace: String? { get }

    /// The prefix with which the name was written; `nil` if it had none. It only matters when the element is written.
    var prefix: String? { get }

    /// The element's own text: its text nodes, in order, joined, without those of its descendants (rule 1.4). `nil` if
    /// it has none. Linear in the text and the number of children.
    var text: String? { get }

    /// The attributes in document order, without declarations and without the pseudo-attribute `xmlns`.
    var attributes: [XMLAttribute] { get }

    /// Returns the value of an attribute; `nil` if the element does not have it.
    ///
    /// The name is the qualified name as written (`type`, `xml:lang`), Clark notation (`{namespace}name`), or has a
    /// prefix that is in scope here (rule 4.3). `xmlns` returns the element's namespace (rule 1.3). Linear in the
    /// number of attributes; names are compared as 64-bit keys.
    func attribute(_ name: String) -> String?

    /// Returns the namespace that a prefix is bound to at this element, also by the surroundings of the tree.
    func namespace(forPrefix prefix: String) -> String?

    /// All prefixes in scope at this element, and the default namespace around its tree. Linear in the depth and the
    /// number of declarations.
    var namespacesInScope: NamespaceContext { get }

    /// The parent element; `nil` at the root (rule 1.6).
    var parent: Self? { get }

    /// The root of this tree.
    var root: Self { get }

    /// The first child element.
    var firstChild: Self? { get }

    /// The next element with the same parent. Constant time.
    var nextSibling: Self? { get }

    /// The position among the element children of the parent; 0 for a root. Linear in that position.
    var childIndex: Int { get }

    /// The child elements in document order.
    var children: Children { get }

    /// The child elements and the text between them, in document order.
    var content: [XMLContent<Self>] { get }

    /// Returns the first child element with this name and namespace; `.inherited` means this element's own namespace.
    /// Linear in the number of children; names are compared as 64-bit keys.
    func child(_ name: String, namespace: ElementNamespace) -> Self?

    /// Whether both are the same element of the same tree.
    func isSame(as other: Self) -> Bool

    /// Writes the element as XML to the end of `output`: UTF-8, without intermediate strings.
    ///
    /// - Parameters:
    ///   - output: the buffer to append to.
    ///   - context: the bindings in scope at the place of writing. Only other bindings are declared.
    ///   - format: `.compact` writes exactly the tree; `.pretty` adds line breaks between elements.
    func write(to output: inout [UInt8], in context: NamespaceContext, format: XMLFormat)
}

extension ReadableElement {
    /// Whether this element has no parent (rule 1.6).
    public var isRoot: Bool { parent == nil }

    /// The same as `attribute(_:)`.
    public subscript(name: String) -> String? { attribute(name) }

    /// Returns the first child element with this name in this element's own namespace, as in a query (rule 3.3).
    public func child(_ name: String) -> Self? { child(name, namespace: .inherited) }

    /// Returns the element as XML. See `write(to:in:format:)`.
    ///
    /// ```swift
    /// let inStream = stanza.xmlString(in: .clientStream)  // <message><body>Hi</body></message>
    /// ```
    public func xmlString(in context: NamespaceContext = .empty, format: XMLFormat = .compact) -> String {
        String(decoding: xmlBytes(in: context, format: format), as: UTF8.self)
    }

    /// Returns the element as XML in UTF-8. See `write(to:in:format:)`.
    public func xmlBytes(in context: NamespaceContext = .empty, format: XMLFormat = .compact) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, in: context, format: format)
        return output
    }

    /// The element as compact XML.
    public var description: String { xmlString() }
}

/// An attribute of an element in a tree.
public struct XMLAttribute: Sendable {
    /// The qualified name as written: `type`, `xml:lang` (rule 1.2).
    public let name: String
    /// The namespace that the prefix is bound to; `nil` for a name without prefix.
    public let namespace: String?
    public let value: String
}

/// A piece of an element's content.
public enum XMLContent<Node> {
    case element(Node)
    /// Text between two tags, never empty.
    case text(String)
}

extension XMLContent: Sendable where Node: Sendable {}

extension XMLAttribute: Hashable {
    /// Whether name, namespace and value are the same, code point by code point (rule 1.1).
    public static func == (one: XMLAttribute, other: XMLAttribute) -> Bool {
        one.name.isIdentical(to: other.name) && one.namespace.isIdentical(to: other.namespace)
            && one.value.isIdentical(to: other.value)
    }

    public func hash(into hasher: inout Hasher) {
        name.hashExactly(into: &hasher)
        value.hashExactly(into: &hasher)
    }
}

extension XMLContent: Equatable where Node: Equatable {
    /// Whether both are equal elements, or the same text code point by code point (rule 1.1).
    public static func == (one: XMLContent, other: XMLContent) -> Bool {
        switch (one, other) {
        case (.element(let one), .element(let other)): one == other
        case (.text(let one), .text(let other)): one.isIdentical(to: other)
        default: false
        }
    }
}

/// A position in a tree, which it keeps alive. It reads as `ReadableElement` demands.
package protocol TreePosition: ReadableElement {
    var view: TreeView { get }
    var index: NodeIndex { get }
    /// The bindings around the tree.
    var bindings: SharedNamespaceContext? { get }
    /// Returns the element at another position of the same tree.
    func element(at index: NodeIndex) -> Self
}

extension TreePosition {
    /// Reads through the storage, and keeps the tree alive during the call.
    @inline(__always)
    package func read<Result>(_ body: (ElementReader) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(ElementReader(view: view, index: index, bindings: bindings))
        }
    }

    public var name: String { read { String($0.view.localName(of: $0.index)) } }

    public var namespace: String? { read { String(nonEmpty: $0.view.namespace(of: $0.index)) } }

    public var prefix: String? {
        read { String(nonEmpty: $0.view.nameBytes.string(at: $0.view.name(of: $0.index).prefixReference)) }
    }

    public var text: String? { read { $0.text } }

    public var attributes: [XMLAttribute] { read { $0.attributes } }

    public func attribute(_ name: String) -> String? { read { $0.attribute(name) } }

    public func namespace(forPrefix prefix: String) -> String? { read { $0.namespace(forPrefix: prefix) } }

    public var namespacesInScope: NamespaceContext { read { $0.namespacesInScope } }

    public var parent: Self? { read { $0.view[$0.index].parent.optional }.map(element) }

    public var firstChild: Self? { read { $0.view[$0.index].firstChild.optional }.map(element) }

    public var nextSibling: Self? { read { $0.view[$0.index].next.optional }.map(element) }

    public var childIndex: Int { read { $0.childIndex } }

    public var content: [XMLContent<Self>] { read { $0.content(of: element) } }

    public func child(_ name: String, namespace: ElementNamespace) -> Self? {
        read { $0.child(name, namespace: namespace) }.map(element)
    }
}
