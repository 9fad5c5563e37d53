// The handle of an element of an editable tree. The files MutableElement+….swift read, edit and build;
// MutableTree.swift is the storage.

/// An element of an editable XML tree.
///
/// Each element has one `MutableElement` object as long as any code holds it: `===` checks whether two variables refer
/// to the same element. Changing an element that a query returned changes the tree it belongs to (rule 1.5). An element
/// never dangles: it keeps its tree alive, and a removed element becomes the root of a tree of its own.
///
/// ```swift
/// let stanza = try MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "id": "1"]) {
///     try MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
/// }
/// try stanza.setAttribute("to", to: "example.org")
/// let sendable = stanza.freeze()
/// ```
///
/// An editable tree belongs to one isolation domain. `freeze()` makes a copy for other domains.
public final class MutableElement {
    // Both are only assigned and read, and no reference to them is passed: accesses cannot overlap (see
    // MutableTree.swift).
    @exclusivity(unchecked) package private(set) var tree: MutableTree
    @exclusivity(unchecked) package internal(set) var index: NodeIndex

    init(tree: MutableTree, index: NodeIndex) {
        self.tree = tree
        self.index = index
        tree.links.base[index.offset].handle = Unmanaged.passUnretained(self)
    }

    convenience init(rootOf tree: MutableTree) {
        self.init(tree: tree, index: tree.root)
    }

    deinit {
        tree.links.base[index.offset].handle = nil
    }

    /// Moves the handle with its element to another arena.
    func move(to tree: MutableTree, _ index: NodeIndex) {
        self.tree = tree
        self.index = index
        tree.links.base[index.offset].handle = Unmanaged.passUnretained(self)
    }
}

/// Handles to one tree share it without locks: to send an element, send the copy that `freeze()` returns.
@available(*, unavailable)
extension MutableElement: Sendable {}

extension MutableElement: Equatable {
    /// Whether both subtrees are equal, as for `Element`. Identity is `===`.
    public static func == (one: MutableElement, other: MutableElement) -> Bool {
        one === other || one.read { one in other.read { one.isEqual(to: $0) } }
    }
}
