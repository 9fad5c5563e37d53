// The comparisons that the machine's loop consists of: looking for a child, looking at an element.
//
// Each is a few loads over the tree's records. The functions call only plain Swift, so that the optimizer does not
// retain the tree.

import XMLTree

// MARK: Looking for the first fitting element from a child on

extension TreeView {
    @inline(__always)
    func firstNamed(
        _ name: NameKey, from start: NodeIndex, _ observer: some MachineObserver
    ) -> NodeIndex {
        first(from: start, observer) { self[$0].key == name }
    }

    /// An element of that name, in the namespace of the parent (3.3).
    @inline(__always)
    func firstNamedInherited(
        _ name: NameKey, from start: NodeIndex, _ observer: some MachineObserver
    ) -> NodeIndex {
        if start == .none { return .none }
        return firstNamed(self.name(of: self[start].parent).namespace + name, from: start, observer)
    }

    @inline(__always)
    func firstNamedAnywhere(
        _ name: NameKey, from start: NodeIndex, _ observer: some MachineObserver
    ) -> NodeIndex {
        first(from: start, observer) { self.name(of: $0).local == name }
    }

    @inline(__always)
    func firstInNamespace(
        _ namespace: NameKey, from start: NodeIndex, _ observer: some MachineObserver
    ) -> NodeIndex {
        first(from: start, observer) { self.name(of: $0).namespace == namespace }
    }

    /// In the namespace of the parent.
    @inline(__always)
    func firstInInherited(from start: NodeIndex, _ observer: some MachineObserver) -> NodeIndex {
        if start == .none { return .none }
        return firstInNamespace(self.name(of: self[start].parent).namespace, from: start, observer)
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
}

// MARK: Looking at an element

extension TreeView {
    /// Whether an element has an attribute with that value.
    @inline(__always)
    func attribute(_ name: NameKey, of node: NodeIndex, equals text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let reference = attribute(qualified: name, of: node) else { return false }
        return string(reference).equals(text)
    }

    /// Rule 3.3 for the context: a root is in whatever namespace.
    @inline(__always)
    func isInNamespaceOfParent(_ node: NodeIndex) -> Bool {
        let parent = self[node].parent
        return parent == .none || name(of: node).namespace == name(of: parent).namespace
    }
}
