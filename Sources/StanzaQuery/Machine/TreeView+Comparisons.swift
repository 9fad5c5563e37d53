// The comparisons that the machine's loop consists of: looking for a child, looking at an element.
//
// Each is a few loads over the tree's records. The functions call only plain Swift, so that the optimizer does not
// retain the tree.

import XMLTree

extension TreeView {
    /// The first element that passes a test, from a child on.
    @inline(__always)
    func first(
        _ test: Step.Test, _ key: NameKey, from start: NodeIndex, _ observer: some MachineObserver
    ) -> NodeIndex {
        switch test {
        case .name: firstNamed(key, from: start, observer)
        case .inherited: firstNamedInherited(key, from: start, observer)
        case .anywhere: first(from: start, observer) { self.name(of: $0).local == key }
        case .namespace: first(from: start, observer) { self.name(of: $0).namespace == key }
        case .inheritedNamespace: firstInInherited(from: start, observer)
        case .any: first(from: start, observer) { _ in true }
        }
    }

    @inline(__always)
    func firstNamed(_ name: NameKey, from start: NodeIndex, _ observer: some MachineObserver) -> NodeIndex {
        first(from: start, observer) { self[$0].key == name }
    }

    /// An element of that name, in the namespace of the parent (3.3).
    @inline(__always)
    func firstNamedInherited(_ name: NameKey, from start: NodeIndex, _ observer: some MachineObserver) -> NodeIndex {
        if start == .none { return .none }
        return firstNamed(self.name(of: self[start].parent).namespace + name, from: start, observer)
    }

    /// In the namespace of the parent.
    @inline(__always)
    private func firstInInherited(from start: NodeIndex, _ observer: some MachineObserver) -> NodeIndex {
        if start == .none { return .none }
        let namespace = name(of: self[start].parent).namespace
        return first(from: start, observer) { self.name(of: $0).namespace == namespace }
    }

    @inline(__always)
    private func first(
        from start: NodeIndex, _ observer: some MachineObserver, where fits: (NodeIndex) -> Bool
    ) -> NodeIndex {
        var child = start
        while child != .none {
            observer.receive(.visited(child))
            if fits(child) { return child }
            child = self[child].next
        }
        return .none
    }

    /// Whether an element itself passes a test.
    @inline(__always)
    func passes(_ test: Step.Test, _ key: NameKey, _ node: NodeIndex) -> Bool {
        switch test {
        case .name: self[node].key == key
        case .inherited: name(of: node).local == key && isInNamespaceOfParent(node)
        case .anywhere: name(of: node).local == key
        case .namespace: name(of: node).namespace == key
        case .inheritedNamespace: isInNamespaceOfParent(node)
        case .any: true
        }
    }

    /// Rule 3.3 for the context: a root is in whatever namespace.
    @inline(__always)
    func isInNamespaceOfParent(_ node: NodeIndex) -> Bool {
        let parent = self[node].parent
        return parent == .none || name(of: node).namespace == name(of: parent).namespace
    }
}
