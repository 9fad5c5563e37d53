// Making a new child in the tree of its parent.

extension MutableElement {
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
                freeNode(child)
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
