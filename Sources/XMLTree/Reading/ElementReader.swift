// Reads one element through a view of its tree's storage. Element and MutableElement share this implementation.
//
// A reader borrows: its creator holds the tree for the reader's lifetime (`withExtendedLifetime`).

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

    var childIndex: Int {
        guard let parent = view[index].parent.optional else { return 0 }
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
    var text: String? { view.hasText(index) ? view.textString(of: index) : nil }

    /// Elements and text in order.
    func content<Node>(of element: (NodeIndex) -> Node) -> [XMLContent<Node>] {
        var content: [XMLContent<Node>] = []
        func append(_ text: ByteReference) {
            if !text.isEmpty { content.append(.text(String(view.string(text)))) }
        }
        append(view[index].text)
        var child = view[index].firstChild
        while child != .none {
            content.append(.element(element(child)))
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

    func attribute(_ name: String) -> String? { name.withBytes { value(ofAttribute: $0).map { String($0) } } }

    /// Returns the value of an attribute, or of the pseudo-attribute `xmlns`, by a name as in rule 4.3.
    package func value(ofAttribute name: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
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
    func equals(_ literal: StaticString) -> Bool { equals(literal.buffer) }

    /// Namespace and local name of `{namespace}name`.
    package var clarkParts: (namespace: UnsafeBufferPointer, local: UnsafeBufferPointer)? {
        guard first == UInt8(ascii: "{"), let close = firstIndex(of: UInt8(ascii: "}")) else { return nil }
        return (UnsafeBufferPointer(rebasing: self[1..<close]), UnsafeBufferPointer(rebasing: self[(close + 1)...]))
    }

    /// Prefix and local name of `prefix:name`.
    var prefixedParts: (prefix: UnsafeBufferPointer, local: UnsafeBufferPointer)? {
        guard let colon = firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (UnsafeBufferPointer(rebasing: self[..<colon]), UnsafeBufferPointer(rebasing: self[(colon + 1)...]))
    }
}

// MARK: Prefixes

extension ElementReader {
    /// Returns the key of the namespace that a prefix is bound to here; `nil` if it is unbound. Linear in the depth and
    /// the number of attributes on the way.
    func namespaceKey(forPrefix prefix: UnsafeBufferPointer<UInt8>) -> NameKey? {
        view.namespaceKey(forPrefix: NameKey(.declaration, prefix), at: index, bindings: bindings)
    }

    func namespace(forPrefix prefix: String) -> String? {
        let key = NameKey(.declaration, prefix)
        if key == .xmlPrefix { return XMLNamespace.xml }
        if let name = view.declaration(ofPrefix: key, at: index) {
            return String(view.nameBytes.string(at: view[name].namespaceReference))
        }
        return bindings?.namespace(forPrefix: key)
    }

    /// Returns a prefix that is bound here to a namespace.
    func prefix(forNamespace namespace: String) -> String? {
        if namespace.isIdentical(to: XMLNamespace.xml) { return "xml" }
        return namespacesInScope.prefixes.lazy.filter { $0.value.isIdentical(to: namespace) }.map(\.key)
            .min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the first of `ns1`, `ns2`… that is not bound here. Linear in the depth and the attributes on the way.
    func freshPrefix() -> String {
        let bound = Set(namespacesInScope.prefixes.keys)
        var number = 1
        while bound.contains("ns\(number)") { number += 1 }
        return "ns\(number)"
    }

    var namespacesInScope: NamespaceContext { context(with: declarations(from: index)) }

    /// The bindings around a copy of this element: all bindings in scope but its own, which are copied with it. If no
    /// ancestor declares a prefix, they are the tree's own surroundings.
    var surroundings: SharedNamespaceContext? {
        if view[index].parent == .none { return bindings }
        let declared = declarations(from: view[index].parent)
        return declared.isEmpty ? bindings : SharedNamespaceContext(context(with: declared))
    }

    /// The tree's surroundings, with other declarations inside them.
    private func context(with declared: [StringMap.Entry]) -> NamespaceContext {
        var context = bindings?.context ?? .empty
        if !declared.isEmpty { context.prefixes = StringMap(Array(context.prefixes) + declared) }
        return context
    }

    /// Returns the prefixes that an element and its ancestors declare. Inner declarations hide outer ones.
    func declarations(from start: NodeIndex) -> [StringMap.Entry] {
        var seen: Set<NameKey> = []
        var declared: [StringMap.Entry] = []
        var node = start
        while node != .none {
            for record in view.attributeRecords(of: node) where view[record.name].kind == .declaration {
                let name = view[record.name]
                guard !name.isDefaultDeclaration, seen.insert(name.qualified).inserted else { continue }
                declared.append(
                    (
                        String(view.nameBytes.string(at: name.localReference)),
                        String(view.nameBytes.string(at: name.namespaceReference))
                    ))
            }
            node = view[node].parent
        }
        return declared
    }
}

extension TreeView {
    /// Returns the key of the namespace that a prefix, given as `NameKey(.declaration, prefix)`, is bound to at an
    /// element.
    func namespaceKey(forPrefix prefix: NameKey, at node: NodeIndex, bindings: SharedNamespaceContext?) -> NameKey? {
        if prefix == .xmlPrefix { return .xmlNamespace }
        if let name = declaration(ofPrefix: prefix, at: node) { return self[name].namespace }
        return bindings?.namespaceKey(forPrefix: prefix)
    }

    /// Returns the declaration of a prefix that is in scope at an element.
    func declaration(ofPrefix prefix: NameKey, at start: NodeIndex) -> NameIndex? {
        var node = start
        while node != .none {
            if let name = declaration(ofPrefix: prefix, writtenOn: node) { return name }
            node = self[node].parent
        }
        return nil
    }

    /// Returns the declaration of a prefix on the element itself.
    package func declaration(ofPrefix prefix: NameKey, writtenOn node: NodeIndex) -> NameIndex? {
        for record in attributeRecords(of: node) where self[record.name].qualified == prefix { return record.name }
        return nil
    }
}

extension NameKey {
    package static let xmlPrefix = NameKey(.declaration, "xml")
    package static let xmlNamespace = NameKey(.namespace, XMLNamespace.xml)
}
