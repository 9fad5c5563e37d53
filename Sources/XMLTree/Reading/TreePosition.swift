// What the other modules of this package need to run over frozen and editable trees alike.

/// A position in a tree, and the tree held alive.
package protocol TreePosition: ReadableElement {
    var view: TreeView { get }
    var index: NodeIndex { get }
    /// What surrounds the tree.
    var bindings: SharedNamespaceContext? { get }
    /// The element at another position of the same tree.
    func element(at index: NodeIndex) -> Self
}

extension TreePosition {
    /// Reads through the storage; the tree is held meanwhile.
    @inline(__always)
    package func read<Result>(_ body: (ElementReader) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(ElementReader(view: view, index: index, bindings: bindings))
        }
    }
}
