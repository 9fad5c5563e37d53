// Reads one element through a view of its tree's storage. Element and MutableElement share this implementation.
//
// A reader borrows: its creator holds the tree for the reader's lifetime (`withExtendedLifetime`).
// ElementReader+Prefixes.swift reads prefixes.

/// One element of a borrowed tree.
package struct ElementReader {
    package let view: TreeView
    package let index: NodeIndex
    /// The bindings around the tree.
    package let bindings: SharedNamespaceContext?

    package init(view: TreeView, index: NodeIndex, bindings: SharedNamespaceContext?) {
        self.view = view
        self.index = index
        self.bindings = bindings
    }

    var name: String { String(view.localName(of: index)) }

    var namespace: String? { String(nonEmpty: view.namespace(of: index)) }

    var prefix: String? { String(nonEmpty: view.nameBytes.string(at: view.name(of: index).prefixReference)) }

    var parent: NodeIndex? { view[index].parent.optional }

    var root: NodeIndex {
        var node = index
        while let parent = view[node].parent.optional { node = parent }
        return node
    }

    var firstChild: NodeIndex? { view[index].firstChild.optional }

    var nextSibling: NodeIndex? { view[index].next.optional }

    var childIndex: Int {
        guard let parent else { return 0 }
        var position = 0
        var child = view[parent].firstChild
        while child != index {
            position += 1
            child = view[child].next
        }
        return position
    }

    func child(_ name: String, namespace: ElementNamespace) -> NodeIndex? {
        let namespaceKey: NameKey
        switch namespace {
        case .inherited: namespaceKey = view.name(of: index).namespace
        case .empty: namespaceKey = .noNamespace
        case .uri(let uri): namespaceKey = NameKey(.namespace, uri)
        }
        let key = namespaceKey + NameKey(.local, name)
        var child = view[index].firstChild
        while child != .none, view[child].key != key { child = view[child].next }
        return child.optional
    }

    // MARK: Text

    /// The element's own text (rule 1.4).
    var text: String? {
        switch view.ownText(of: index) {
        case .none: nil
        case .single(let text): String(text)
        case .several: view.textString(of: index)
        }
    }

    /// Elements and text in order.
    var content: [XMLContent<NodeIndex>] {
        var content: [XMLContent<NodeIndex>] = []
        func append(_ text: ByteReference) {
            if !text.isEmpty { content.append(.text(String(view.string(text)))) }
        }
        append(view[index].text)
        var child = view[index].firstChild
        while child != .none {
            content.append(.element(child))
            append(view[child].tail)
            child = view[child].next
        }
        return content
    }

    // MARK: Attributes

    /// The attribute of one record; `nil` for a declaration.
    func attribute(_ record: AttributeRecord) -> XMLAttribute? {
        let name = view[record.name]
        guard name.kind == .attribute else { return nil }
        let local = view.nameBytes.string(at: name.localReference)
        let prefix = view.nameBytes.string(at: name.prefixReference)
        return XMLAttribute(
            name: prefix.isEmpty ? String(local) : "\(String(prefix)):\(String(local))",
            namespace: String(nonEmpty: view.nameBytes.string(at: name.namespaceReference)),
            value: String(view.string(record.value)))
    }

    var attributes: [XMLAttribute] { view.attributeRecords(of: index).compactMap(attribute) }

    func attribute(_ name: String) -> String? {
        name.withBytes { value(ofAttribute: $0).map { String($0) } }
    }

    /// Returns the value of an attribute, or of the pseudo-attribute `xmlns`, by a name as in rule 4.3.
    func value(ofAttribute name: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        if name.equals("xmlns") {
            let namespace = view.namespace(of: index)
            return namespace.isEmpty ? nil : namespace
        }
        return position(ofAttribute: name).map { view.string(view.attributeRecords(of: index)[$0].value) }
    }

    /// Returns the position of an attribute among the element's records, by a name as in rule 4.3.
    func position(ofAttribute name: UnsafeBufferPointer<UInt8>) -> Int? {
        let records = view.attributeRecords(of: index)
        if let (namespace, local) = name.clarkParts {
            let key = NameKey(.namespace, namespace) + NameKey(.local, local)
            return records.firstIndex { view[$0.name].expanded == key }
        }
        let qualified = NameKey(.qualified, name)
        if let written = records.firstIndex(where: { view[$0.name].qualified == qualified }) { return written }
        guard let (prefix, local) = name.prefixedParts, let namespace = namespaceKey(forPrefix: prefix) else {
            return nil
        }
        let key = namespace + NameKey(.local, local)
        return records.firstIndex { view[$0.name].expanded == key }
    }
}

extension NodeIndex {
    /// `nil` instead of `.none`.
    var optional: NodeIndex? { self == .none ? nil : self }
}

extension UnsafeBufferPointer<UInt8> {
    func equals(_ literal: StaticString) -> Bool {
        equals(literal.buffer)
    }

    /// Namespace and local name of `{namespace}name`.
    var clarkParts: (namespace: UnsafeBufferPointer, local: UnsafeBufferPointer)? {
        guard first == UInt8(ascii: "{"), let close = firstIndex(of: UInt8(ascii: "}")) else { return nil }
        return (UnsafeBufferPointer(rebasing: self[1..<close]), UnsafeBufferPointer(rebasing: self[(close + 1)...]))
    }

    /// Prefix and local name of `prefix:name`.
    var prefixedParts: (prefix: UnsafeBufferPointer, local: UnsafeBufferPointer)? {
        guard let colon = firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (UnsafeBufferPointer(rebasing: self[..<colon]), UnsafeBufferPointer(rebasing: self[(colon + 1)...]))
    }
}
