// Finds the namespace that a prefix is bound to at an element (rule 4.3).
//
// Declarations are records beside the attributes of their element. The bindings around the tree come last.

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
        var bound: Set<NameKey> = []
        var node = index
        while node != .none {
            for record in view.attributeRecords(of: node) where view[record.name].kind == .declaration {
                bound.insert(view[record.name].qualified)
            }
            node = view[node].parent
        }
        var number = 1
        while true {
            let prefix = "ns\(number)"
            let key = NameKey(.declaration, prefix)
            if !bound.contains(key), bindings?.namespaceKey(forPrefix: key) == nil { return prefix }
            number += 1
        }
    }

    /// All bindings in scope.
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
    func namespaceKey(
        forPrefix prefix: NameKey, at node: NodeIndex, bindings: SharedNamespaceContext?
    ) -> NameKey? {
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
