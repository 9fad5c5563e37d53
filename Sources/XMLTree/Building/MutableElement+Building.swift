// Making new elements: with a tree of their own, or in the tree of their parent.

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

    /// Makes a new element, the last child of this one, and returns it.
    ///
    /// ```swift
    /// try roster.addChild("item", attributes: ["jid": "juliet@example.com", "name": "Juliet"])
    /// ```
    ///
    /// The result is the same as that of `add(MutableElement(…))` with these arguments, without the tree that such an
    /// element has until it is copied. So this is several times as fast, unless the names have prefixes or are written
    /// `{namespace}name`. Linear in the arguments, and quadratic in the number of attributes.
    ///
    /// - Parameters: as of `init(_:namespace:attributes:children:text:)`.
    /// - Throws: `XMLTreeError` for names and text that XML cannot hold. The tree does not change then.
    @discardableResult
    public func addChild(
        _ name: String, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        text: String? = nil
    ) throws(XMLTreeError) -> MutableElement {
        if let child = tree.addPlainChild(name, namespace, attributes, text ?? "", to: index) {
            return tree.finish(child)
        }
        return add(try MutableElement(name, namespace: namespace, attributes: attributes, text: text))
    }
}

extension MutableTree {
    /// Adds an element whose names have no prefixes. Returns `nil`, and adds nothing, for all others, and for
    /// arguments that are not legal.
    fileprivate func addPlainChild(
        _ name: String, _ namespace: ElementNamespace, _ attributes: AttributeValues, _ text: String,
        to parent: NodeIndex
    ) -> NodeIndex? {
        guard XMLCharacters.isName(name), XMLCharacters.isText(text) else { return nil }
        let waits = namespace == .inherited && links.base[parent.offset].inheritsNamespace
        let record: NameIndex
        if namespace == .inherited, !waits {
            record = intern(name, inNamespaceOf: parent)
        } else {
            guard let uri = try? namespace.checkedURI() ?? "" else { return nil }
            record = intern(.element, local: name, namespace: uri)
        }
        let child = makeNode(record)
        links.base[child.offset].inheritsNamespace = waits
        for (name, value) in attributes.pairs {
            guard let value else { continue }
            if (try? addPlainAttribute(name, value, to: child)) != true {
                free(child)
                trim()
                return nil
            }
        }
        text.withBytes { setText($0, at: .before(child)) }
        link(child, under: parent)
        return child
    }

    /// Returns the record of an element's name without a prefix, in the namespace of another element.
    private func intern(_ local: String, inNamespaceOf other: NodeIndex) -> NameIndex {
        makeNamesOwn()
        return local.withBytes { names.intern($0, inNamespaceOf: nodes.base[other.offset].name) }
    }
}
