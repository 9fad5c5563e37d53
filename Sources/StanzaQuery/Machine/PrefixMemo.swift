// The namespace that a query's prefix is bound to at an element, looked up once for each element of the tree (4.3).
//
// A lookup goes through the declarations of all ancestors. A visit must not cost that much (2.6), so the memo stores
// the result for every element on the way.

import XMLTree

/// Resolves prefixes during one evaluation. The deinitializer lets the compiler destroy a machine in place: without
/// one, it would do so through the machine's metadata (Swift 6.3).
struct PrefixMemo: ~Copyable {
    private struct Place: Hashable {
        let node: NodeIndex
        let prefix: NameKey
    }

    /// `nil` until the first lookup: most evaluations look no prefix up.
    private var known: [Place: NameKey?]?
    /// The number of visited elements, for tests.
    private(set) var visits = 0

    deinit {}

    /// The key of the namespace of a prefix, passed as `NameKey(.declaration, prefix)`; `nil` if it is unbound.
    mutating func namespace(
        ofPrefix prefix: NameKey, at start: NodeIndex, in view: TreeView, bindings: SharedNamespaceContext?
    ) -> NameKey? {
        if prefix == .xmlPrefix { return .xmlNamespace }
        var node = start
        var path: [NodeIndex] = []
        var found: NameKey?
        while true {
            if node == .none {
                found = bindings?.namespaceKey(forPrefix: prefix)
                break
            }
            if let remembered = known?[Place(node: node, prefix: prefix)] {
                found = remembered
                break
            }
            visits += 1
            path.append(node)
            if let declaration = view.declaration(ofPrefix: prefix, writtenOn: node) {
                found = view[declaration].namespace
                break
            }
            node = view[node].parent
        }
        var updated = known.take() ?? [:]
        for node in path { updated.updateValue(found, forKey: Place(node: node, prefix: prefix)) }
        known = updated
        return found
    }
}
