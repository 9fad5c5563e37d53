// Which namespace a prefix is bound to at an element (rule 4.3).
//
// Declarations are records beside the attributes of the element that made them; what surrounds the tree comes last.

extension ElementReader {
    /// The key of the namespace that a prefix is bound to here; `nil` when it is unbound. Linear in the depth and the
    /// number of attributes on the way.
    package func namespaceKey(forPrefix prefix: UnsafeBufferPointer<UInt8>) -> NameKey? {
        view.namespaceKey(forPrefix: NameKey(.declaration, prefix), at: index, bindings: bindings)
    }

    func namespace(forPrefix prefix: String) -> String? {
        let key = NameKey(.declaration, prefix)
        if key == .xmlPrefix { return XMLNamespace.xml }
        if let name = view.declaration(ofPrefix: key, at: index) {
            return String(view.nameBytes.string(at: view[name].namespaceReference))
        }
        return bindings?.context.prefixes[prefix]
    }

    /// A prefix that is bound here to a namespace.
    func prefix(forNamespace namespace: String) -> String? {
        if namespace.isIdentical(to: XMLNamespace.xml) { return "xml" }
        return namespacesInScope.prefixes.filter { $0.value.isIdentical(to: namespace) }.keys.min()
    }

    /// Every binding in scope.
    var namespacesInScope: NamespaceContext { scope.context }

    /// Every binding in scope; what surrounds the tree itself when no element on the way declares a prefix.
    var sharedScope: SharedNamespaceContext? {
        let scope = scope
        return scope.isDeclaredInside ? SharedNamespaceContext(scope.context) : bindings
    }

    private var scope: (context: NamespaceContext, isDeclaredInside: Bool) {
        var context = bindings?.context ?? .empty
        let declared = declarations(from: index)
        for (prefix, namespace) in declared { context.prefixes[prefix] = namespace }
        return (context, !declared.isEmpty)
    }

    /// The prefixes that an element and its ancestors declare, the inner ones hiding the outer.
    func declarations(from start: NodeIndex) -> [String: String] {
        var declared: [String: String] = [:]
        var node = start
        while node != .none {
            for record in view.attributeRecords(of: node) where view[record.name].kind == .declaration {
                let name = view[record.name]
                let prefix = String(view.nameBytes.string(at: name.localReference))
                if declared[prefix] == nil {
                    declared[prefix] = String(view.nameBytes.string(at: name.namespaceReference))
                }
            }
            node = view[node].parent
        }
        return declared
    }
}

extension TreeView {
    /// The key of the namespace that a prefix, given as `NameKey(.declaration, prefix)`, is bound to at an element.
    package func namespaceKey(
        forPrefix prefix: NameKey, at node: NodeIndex, bindings: SharedNamespaceContext?
    ) -> NameKey? {
        if prefix == .xmlPrefix { return .xmlNamespace }
        if let name = declaration(ofPrefix: prefix, at: node) { return self[name].namespace }
        return bindings?.namespaceKey(forPrefix: prefix)
    }

    /// The declaration of a prefix that is in scope at an element.
    func declaration(ofPrefix prefix: NameKey, at start: NodeIndex) -> NameIndex? {
        var node = start
        while node != .none {
            for record in attributeRecords(of: node) where self[record.name].qualified == prefix {
                return record.name
            }
            node = self[node].parent
        }
        return nil
    }
}

extension NameKey {
    package static let xmlPrefix = NameKey(.declaration, "xml")
    package static let xmlNamespace = NameKey(.namespace, XMLNamespace.xml)
}
