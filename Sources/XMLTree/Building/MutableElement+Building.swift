// Making new elements.

extension MutableElement {
    /// Creates an element, the root of its own tree.
    ///
    /// ```swift
    /// let body = try MutableElement("body", text: "Hello")
    /// let query = try MutableElement("query", namespace: "jabber:iq:roster")
    /// let error = try MutableElement("stream:error", namespace: .uri(XMLNamespace.stream))
    /// ```
    ///
    /// - Parameters:
    ///   - name: the local name; with a namespace URI, optionally a qualified name, whose prefix is declared.
    ///   - namespace: the element's namespace, or `.inherited` to take it from the parent that the element is added to.
    ///   - attributes: the attributes in order. A prefix must be `xml` or the element's own; other names are written
    ///     `{namespace}name`.
    ///   - children: elements to copy in after the text, in order.
    ///   - text: the element's text; `nil` or empty for none.
    /// - Throws: `XMLTreeError` for names and text that XML cannot hold.
    public convenience init(
        _ name: String, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        children: [MutableElement] = [], text: String? = nil
    ) throws(XMLTreeError) {
        let arena = children.isEmpty ? MutableTree(attributes: attributes.pairs.count) : MutableTree()
        try self.init(name, namespace, attributes, in: arena)
        if let text { try setText(text) }
        for child in children { append(child) }
    }

    private convenience init(
        _ name: String, _ namespace: ElementNamespace, _ attributes: AttributeValues, in arena: MutableTree
    ) throws(XMLTreeError) {
        let (prefix, local) = try XMLCharacters.split(qualifiedName: name)
        let uri = try namespace.checkedURI()
        if !prefix.isEmpty {
            guard let uri else { throw XMLTreeError(.unknownPrefix, in: name) }
            try XMLTreeError.checkBinding(of: prefix, to: uri)
        }
        arena.root = arena.makeNode(arena.intern(.element, prefix: prefix, local: local, namespace: uri))
        arena.links.base[arena.root.offset].inheritsNamespace = namespace == .inherited
        let root = arena.root
        self.init(rootOf: arena)
        if !prefix.isEmpty { try declarePrefix(prefix, as: uri) }
        for (name, value) in attributes.pairs {
            guard let value else { continue }
            if try !arena.addPlainAttribute(name, value, to: root) { try addAttribute(name, value) }
        }
    }

    /// Creates an element whose content is written between braces.
    ///
    /// ```swift
    /// let message = try MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
    ///     try MutableElement("body", text: "Wherefore art thou?")
    ///     if wantsReceipt { try MutableElement("request", namespace: "urn:xmpp:receipts") }
    ///     thread
    /// }
    /// ```
    ///
    /// - Throws: the content's errors, and `XMLTreeError` for names and text that XML cannot hold.
    public convenience init(
        _ name: String, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        @ElementBuilder content: () throws -> NewContent
    ) throws {
        try self.init(name, namespace, attributes, in: MutableTree())
        try append(content())
    }

    private func append(_ content: NewContent) throws(XMLTreeError) {
        switch content {
        case .element(let child): append(child)
        case .frozen(let child): append(child)
        case .text(let text): try addText(text)
        case .pieces(let pieces): for piece in pieces { try append(piece) }
        }
    }
}
