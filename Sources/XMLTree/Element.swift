// A handle to an element of a frozen tree: what parsers deliver and queries return.
//
// Reading is here and in the files Element+….swift; the storage behind it is Storage/Tree.swift; editing starts with
// `thaw()` and is MutableElement's.

/// An element of an immutable XML tree.
///
/// An `Element` is a small value: a reference to its tree and a position in it. It keeps the whole tree alive, can be
/// sent to any isolation domain, and can be read from many threads at once. To change a tree, `thaw()` it.
///
/// Sendable without being checked: a tree is never written after it was made.
public struct Element: @unchecked Sendable {
    @usableFromInline package let tree: Tree
    @usableFromInline package let index: NodeIndex

    @inlinable package init(tree: Tree, index: NodeIndex) {
        self.tree = tree
        self.index = index
    }

    @inlinable package var view: TreeView { tree.view }
}
