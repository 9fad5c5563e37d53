// Making new elements: with a tree of their own, or in the tree of their parent.

extension MutableElement {
    /// Creates an element, the root of its own tree.
    ///
    /// ```swift
    /// let body = MutableElement("body", text: "Hello")
    /// let query = MutableElement("query", namespace: "jabber:iq:roster")
    /// let error = MutableElement("stream:error", namespace: .uri(XMLNamespace.stream))
    /// ```
    ///
    /// - Parameters:
    ///   - name: the local name; with a namespace URI, optionally a qualified name, whose prefix is declared. The
    ///     namespace of `{namespace}name` replaces the parameter.
    ///   - namespace: the element's namespace, or `.inherited` to take it from the parent that the element is added to.
    ///   - attributes: the attributes in order. A prefix must be `xml` or the element's own; other names are written
    ///     `{namespace}name`.
    ///   - children: elements to copy in after the text, in order.
    ///   - text: the element's text; `nil` or empty for none. Values and text cannot fail: see `text`.
    public convenience init(
        _ name: XMLName, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        children: [MutableElement] = [], text: String? = nil
    ) {
        let arena = children.isEmpty ? MutableTree(attributes: attributes.pairs.count) : MutableTree()
        self.init(name, namespace, attributes, in: arena)
        if let text { self.text = text }
        for child in children { append(child) }
    }

    private convenience init(
        _ name: XMLName, _ namespace: ElementNamespace, _ attributes: AttributeValues, in arena: MutableTree
    ) {
        let (prefix, own, local) = name.parts
        let namespace = own.map { .uri($0) } ?? namespace
        let uri = XMLTreeError.unlessMistaken { () throws(XMLTreeError) in
            let uri = try namespace.checkedURI()
            if !prefix.isEmpty {
                guard let uri else { throw XMLTreeError(.unknownPrefix, in: name.text) }
                try XMLTreeError.checkBinding(of: prefix, to: uri)
            }
            return uri
        }
        arena.root = arena.makeNode(arena.intern(.element, prefix: prefix, local: local, namespace: uri))
        arena.links.base[arena.root.offset].inheritsNamespace = namespace.isInherited
        self.init(rootOf: arena)
        if !prefix.isEmpty, let uri { declare(prefix, as: uri) }
        let root = arena.root
        for (name, value) in attributes.pairs {
            guard let value else { continue }
            if name.isPlain { arena.addPlainAttribute(name, value, to: root) } else { addAttribute(name, value) }
        }
    }

    /// Creates an element whose content is written between braces.
    ///
    /// ```swift
    /// let message = MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
    ///     MutableElement("body", text: "Wherefore art thou?")
    ///     if wantsReceipt { MutableElement("request", namespace: "urn:xmpp:receipts") }
    ///     thread
    /// }
    /// ```
    ///
    /// - Throws: the errors of the content, if it has any.
    public convenience init(
        _ name: XMLName, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        @ElementBuilder content: () throws -> NewContent
    ) rethrows {
        self.init(name, namespace, attributes, in: MutableTree())
        try append(content())
    }

    private func append(_ content: NewContent) {
        switch content {
        case .element(let child): append(child)
        case .frozen(let child): append(child)
        case .text(let text): addText(text)
        case .pieces(let pieces): for piece in pieces { append(piece) }
        }
    }

    /// Makes a new element, the last child of this one, and returns it.
    ///
    /// ```swift
    /// roster.addChild("item", attributes: ["jid": "juliet@example.com", "name": "Juliet"])
    /// ```
    ///
    /// The result is the same as that of `add(MutableElement(…))` with these arguments, without the tree that such an
    /// element has until it is copied. So this is several times as fast, unless the names have prefixes or are written
    /// `{namespace}name`. Linear in the arguments, and quadratic in the number of attributes.
    ///
    /// - Parameters: as of `init(_:namespace:attributes:children:text:)`.
    @discardableResult
    public func addChild(
        _ name: XMLName, namespace: ElementNamespace = .inherited, attributes: AttributeValues = [:],
        text: String? = nil
    ) -> MutableElement {
        guard name.isPlain, attributes.pairs.allSatisfy(\.0.isPlain) else {
            return add(MutableElement(name, namespace: namespace, attributes: attributes, text: text))
        }
        return tree.finish(tree.addPlainChild(name, namespace, attributes, text ?? "", to: index))
    }
}

extension MutableTree {
    /// Adds an element whose names have no prefixes.
    fileprivate func addPlainChild(
        _ name: XMLName, _ namespace: ElementNamespace, _ attributes: AttributeValues, _ text: String,
        to parent: NodeIndex
    ) -> NodeIndex {
        let waits = namespace.isInherited && links.base[parent.offset].inheritsNamespace
        let record: NameIndex
        if namespace.isInherited, !waits {
            record = intern(name.text, inNamespaceOf: parent)
        } else {
            let uri = XMLTreeError.unlessMistaken { () throws(XMLTreeError) in try namespace.checkedURI() }
            record = intern(.element, local: name.text, namespace: uri)
        }
        let child = makeNode(record)
        links.base[child.offset].inheritsNamespace = waits
        for (name, value) in attributes.pairs {
            if let value { addPlainAttribute(name, value, to: child) }
        }
        text.withXMLBytes { setText($0, at: .before(child)) }
        link(child, under: parent)
        return child
    }

    /// Returns the record of an element's name without a prefix, in the namespace of another element.
    private func intern(_ local: String, inNamespaceOf other: NodeIndex) -> NameIndex {
        makeNamesOwn()
        return local.withBytes { names.intern($0, inNamespaceOf: nodes.base[other.offset].name) }
    }
}
