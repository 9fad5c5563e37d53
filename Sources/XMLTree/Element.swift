// A handle to an element of a frozen tree. Parsers deliver it and queries return it.
// Reading/Element+Reading.swift reads it, Reading/Element+Copying.swift copies it, and Storage/Tree.swift is its
// storage. Editing starts with `thaw()`, which returns a MutableElement.

/// An element of an immutable XML tree.
///
/// An `Element` is a small value: a reference to its tree and a position in it. It keeps the whole tree alive, can be
/// sent to any isolation domain, and can be read from many threads at once. To change a tree, `thaw()` it.
///
/// ```swift
/// func greet(_ message: Element) -> String? {
///     guard message.name == "message", let body = message.child("body") else { return nil }
///     return "\(message["from"] ?? "Somebody") says: \(body.text ?? "nothing")"
/// }
/// ```
///
/// Two elements are equal when their subtrees have the same names, attributes, text and children in the same order.
/// Prefixes and the order of attributes do not count. `isSame(as:)` compares identity.
///
/// Sendable without a check: a tree is never written after it was made.
public struct Element: @unchecked Sendable {
    @usableFromInline package let tree: Tree
    @usableFromInline package let index: NodeIndex

    @inlinable package init(tree: Tree, index: NodeIndex) {
        self.tree = tree
        self.index = index
    }

    @inlinable package var view: TreeView { tree.view }
}
