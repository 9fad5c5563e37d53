// Changing an editable element: names, namespaces, text, attributes and child elements.
//
// Every method checks its input against XML's rules before it changes the tree: it throws for a prefix, and ends the
// program for a mistake in its source code. Values and text cannot fail. Adding copies (rule 1.5), so you can add an
// element to its own descendant, or twice. Each method that adds returns the handle of the copy.

extension MutableElement {
    // MARK: Names

    /// Changes the local name; prefix and namespace stay. The namespace of `{namespace}name` replaces them. A name with
    /// a prefix stops the program: use `setPrefix(_:)`.
    public func setName(_ name: XMLName) {
        let (newPrefix, namespace, local) = name.parts
        if !newPrefix.isEmpty, namespace == nil {
            XMLTreeError(.invalidName, in: name.text, at: newPrefix.utf8.count).stop()
        }
        if let namespace { setNamespace(.uri(namespace)) }
        setRecord(prefix: prefix ?? "", local: local, namespace: self.namespace)
    }

    /// Changes the namespace of this element and drops its prefix. Its children keep their namespaces, except those
    /// that still wait for one. `.inherited` takes the parent's, now or when the element is added to a parent.
    public func setNamespace(_ namespace: ElementNamespace) {
        let uri = XMLTreeError.unlessMistaken { () throws(XMLTreeError) in try namespace.checkedURI() }
        setRecord(prefix: "", local: name, namespace: uri, trims: false)
        tree.links.base[index.offset].inheritsNamespace = namespace.isInherited
        if namespace.isInherited {
            tree.resolveNamespaces(from: index)
        } else {
            resolveWaitingChildren()
        }
        tree.trim()
    }

    /// Changes the prefix that the element is written with. It must be bound to the element's namespace here, or
    /// unbound: then the element declares it. `nil` writes the element without prefix.
    public func setPrefix(_ prefix: String?) throws(XMLTreeError) {
        guard let prefix, !prefix.isEmpty else { return setRecord(prefix: "", local: name, namespace: namespace) }
        try XMLCharacters.check(name: prefix)
        guard let namespace else { throw XMLTreeError(.unknownPrefix, in: "\(prefix):\(name)") }
        try XMLTreeError.checkBinding(of: prefix, to: namespace)
        if let bound = self.namespace(forPrefix: prefix), !bound.isIdentical(to: namespace) {
            throw XMLTreeError(.unknownPrefix, in: "\(prefix):\(name)")
        }
        if self.namespace(forPrefix: prefix) == nil { declare(prefix, as: namespace) }
        setRecord(prefix: prefix, local: name, namespace: namespace)
    }

    func setRecord(prefix: String, local: String, namespace: String?, trims: Bool = true) {
        tree.rename(index, to: tree.intern(.element, prefix: prefix, local: local, namespace: namespace))
        if trims { tree.trim() }
    }

    /// Sets the namespace of this element, which waits for one, and of its descendants that wait, too.
    func resolveNamespace(as namespace: String) {
        setRecord(prefix: "", local: name, namespace: namespace, trims: false)
        tree.links.base[index.offset].inheritsNamespace = false
        resolveWaitingChildren()
        tree.trim()
    }

    private func resolveWaitingChildren() {
        var child = view[index].firstChild
        while child != .none {
            tree.resolveNamespaces(from: child)
            child = view[child].next
        }
    }

    /// Binds a prefix at this element and replaces its earlier declaration here; `nil` removes that declaration. Names
    /// that use the prefix keep their namespace.
    public func declarePrefix(_ prefix: String, as namespace: String?) throws(XMLTreeError) {
        try XMLCharacters.check(name: prefix)
        if let namespace {
            try XMLTreeError.check(text: namespace)
            try XMLTreeError.checkBinding(of: prefix, to: namespace)
            if namespace.isEmpty { throw XMLTreeError(.unknownPrefix, in: prefix) }
        }
        declare(prefix, as: namespace)
    }

    func declare(_ prefix: String, as namespace: String?) {
        let key = NameKey(.declaration, prefix)
        if let known = view.attributeRecords(of: index).firstIndex(where: { view[$0.name].qualified == key }) {
            tree.removeAttribute(at: known, of: index)
        }
        if let namespace, prefix != "xml" {
            let name = tree.intern(.declaration, local: prefix, namespace: namespace)
            tree.appendAttribute(name, value: .empty, to: index)
        }
        tree.trim()
    }

    // MARK: Attributes

    /// The value of an attribute, as of `attribute(_:)`. Assign `nil` to remove the attribute.
    ///
    /// ```swift
    /// message["to"] = "juliet@example.com"
    /// ```
    ///
    /// For `{namespace}name` the element uses a prefix in scope, or declares one. A literal with a prefix that is not
    /// in scope, and `xmlns`, stop the program: use `declarePrefix(_:as:)` and `setNamespace(_:)`. A new attribute
    /// becomes the last. Characters that XML forbids become U+FFFD, as in `text`. Linear in the number of attributes.
    public subscript(name: XMLName) -> String? {
        get { attribute(name.text) }
        set {
            let known = position(ofAttribute: name)
            if let newValue {
                set(name, at: known, to: newValue)
            } else if let known {
                tree.removeAttribute(at: known, of: index)
            }
            tree.trim()
        }
    }

    /// Adds an attribute that the element must not have yet.
    func addAttribute(_ name: XMLName, _ value: String) {
        if position(ofAttribute: name) != nil { XMLTreeError(.duplicateAttribute, in: name.text).stop() }
        set(name, at: nil, to: value)
    }

    private func set(_ name: XMLName, at known: Int?, to value: String) {
        if let known { return value.withXMLBytes { tree.setValue($0, ofRecord: known, of: index) } }
        let record = attributeName(name)
        value.withXMLBytes { tree.appendAttribute(record, value: $0, to: index) }
    }

    private func position(ofAttribute name: XMLName) -> Int? {
        name.text.withBytes { name in read { $0.position(ofAttribute: name) } }
    }

    /// Removes all attributes. Declared prefixes stay.
    public func removeAllAttributes() {
        for position in view.attributeRecords(of: index).indices.reversed()
        where view[view.attributeRecords(of: index)[position].name].kind == .attribute {
            tree.removeAttribute(at: position, of: index)
        }
        tree.trim()
    }

    /// The record of a new attribute's name.
    private func attributeName(_ name: XMLName) -> NameIndex {
        var (prefix, namespace, local) = name.parts
        if name.text == "xmlns" || prefix == "xmlns" { XMLTreeError(.declarationAsAttribute, in: name.text).stop() }
        if let namespace, !namespace.isEmpty {
            prefix = prefixForAttributes(of: namespace)
        } else if !prefix.isEmpty {
            namespace = self.namespace(forPrefix: prefix)
            if namespace == nil { XMLTreeError(.unknownPrefix, in: name.text).stop() }
        }
        return tree.intern(.attribute, prefix: prefix, local: local, namespace: namespace)
    }

    /// Returns a prefix in scope for a namespace. Declares one here if none is in scope.
    private func prefixForAttributes(of namespace: String) -> String {
        if let known = read({ $0.prefix(forNamespace: namespace) }) { return known }
        let fresh = read { $0.freshPrefix() }
        XMLTreeError.unlessMistaken { () throws(XMLTreeError) in try declarePrefix(fresh, as: namespace) }
        return fresh
    }

    // MARK: Text

    /// The element's own text (rule 1.4).
    ///
    /// ```swift
    /// message.child("body")?.text = "Wherefore art thou?"
    /// ```
    ///
    /// Assigning replaces every text node, also those between and after child elements, by one before the first child.
    /// `nil` and the empty string leave no text. Children stay.
    ///
    /// XML forbids some characters even escaped: the controls except tab and line ends, U+FFFE and U+FFFF. They become
    /// U+FFFD, as bytes that are not UTF-8 do in `String(decoding:as:)`. `XMLTreeError.check(text:)` refuses them.
    public var text: String? {
        get { read { $0.text } }
        set {
            removeText()
            newValue?.withXMLBytes { tree.setText($0, at: .before(index)) }
            tree.trim()
        }
    }

    /// Appends text after the last child. Amortized linear in the new text as long as no other part of the tree is
    /// written in between.
    public func addText(_ text: String) {
        text.withXMLBytes { tree.addText($0, to: index) }
        tree.trim()
    }

    func removeText() {
        tree.setText(.empty, at: .before(index))
        var child = view[index].firstChild
        while child != .none {
            tree.setText(.empty, at: .behind(child))
            child = view[child].next
        }
    }

    // MARK: Child elements

    /// Copies an element in as the last child, after all text, and returns the copy.
    ///
    /// Its elements that were built without a namespace take their new parent's (rule 1.5). All prefixes that were in
    /// scope stay in scope. Linear in the added subtree.
    @discardableResult
    public func add(_ child: MutableElement) -> MutableElement { insert(child, before: .none) }

    /// Copies a frozen element in as the last child. Elements without a namespace have none in the copy, too.
    @discardableResult
    public func add(_ child: Element) -> MutableElement { insert(child, before: .none) }

    /// Copies an element in before the child element at `position`; after the last child if `position` is the number of
    /// children. Linear in the position and the added subtree.
    ///
    /// - Precondition: 0 ≤ `position` ≤ the number of child elements.
    @discardableResult
    public func insert(_ child: MutableElement, at position: Int) -> MutableElement {
        insert(child, before: tree.child(at: position, of: index))
    }

    /// Copies a frozen element in before the child element at `position`.
    @discardableResult
    public func insert(_ child: Element, at position: Int) -> MutableElement {
        insert(child, before: tree.child(at: position, of: index))
    }

    /// Removes the element from its parent. It becomes the root of its own tree, with all prefixes that were in scope.
    /// The text after it stays in place. On a root, this does nothing.
    @discardableResult
    public func remove() -> MutableElement {
        if view[index].parent != .none { tree.split(at: index) }
        return self
    }

    /// Replaces this element with a copy of another one, and returns the copy. This element becomes the root of its own
    /// tree. On a root, this only returns the copy, also the root of its own tree.
    @discardableResult
    public func replace(with other: MutableElement) -> MutableElement {
        guard let parent else { return other.copy() }
        return replace(with: { parent.insert(other, before: $0) })
    }

    /// Replaces this element with a copy of a frozen element.
    @discardableResult
    public func replace(with other: Element) -> MutableElement {
        guard let parent else { return other.thaw() }
        return replace(with: { parent.insert(other, before: $0) })
    }

    /// Removes this element after `insert` has put another one before it.
    private func replace(with insert: (NodeIndex) -> MutableElement) -> MutableElement {
        let copy = insert(index)
        remove()
        return copy
    }

    /// Removes all child elements; the text stays.
    public func removeAllChildren() {
        while true {
            let child = view[index].firstChild
            if child == .none { return }
            tree.remove(child)
        }
    }

    /// Removes all child elements and all text.
    public func removeAllContent() {
        removeText()
        removeAllChildren()
        tree.trim()
    }

    /// Copies an element in as the last child, without a handle for the copy.
    func append(_ child: MutableElement) {
        _ = tree.insert(child, under: index, before: .none)
        tree.trim()
    }

    /// The same for a frozen element.
    func append(_ child: Element) {
        child.read { _ = tree.insert($0, links: nil, under: index, before: .none) }
        tree.trim()
    }

    private func insert(_ child: MutableElement, before sibling: NodeIndex) -> MutableElement {
        let tree = tree
        return tree.finish(tree.insert(child, under: index, before: sibling))
    }

    @discardableResult
    package func insert(_ child: Element, before sibling: NodeIndex) -> MutableElement {
        let tree = tree
        return tree.finish(child.read { tree.insert($0, links: nil, under: index, before: sibling) })
    }
}
