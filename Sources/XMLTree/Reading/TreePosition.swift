// Access for the other modules of this package, the same for frozen and editable trees.

/// A position in a tree, and the tree held alive.
package protocol TreePosition: ReadableElement {
    var view: TreeView { get }
    var index: NodeIndex { get }
    /// The bindings that surround the tree.
    var bindings: SharedNamespaceContext? { get }
    /// The element at another position of the same tree.
    func element(at index: NodeIndex) -> Self
}

extension TreePosition {
    /// Reads through the storage, and holds the tree for that time.
    @inline(__always)
    package func read<Result>(_ body: (ElementReader) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(ElementReader(view: view, index: index, bindings: bindings))
        }
    }
}
