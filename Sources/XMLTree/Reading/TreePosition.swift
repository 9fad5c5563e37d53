// Access for the other modules of this package, to frozen and editable trees alike.

/// A position in a tree, which it keeps alive.
package protocol TreePosition: ReadableElement {
    var view: TreeView { get }
    var index: NodeIndex { get }
    /// The bindings around the tree.
    var bindings: SharedNamespaceContext? { get }
    /// Returns the element at another position of the same tree.
    func element(at index: NodeIndex) -> Self
}

extension TreePosition {
    /// Reads through the storage, and keeps the tree alive during the call.
    @inline(__always)
    package func read<Result>(_ body: (ElementReader) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(ElementReader(view: view, index: index, bindings: bindings))
        }
    }
}
