// The handle of an element of an editable tree: reading and copying. ReadableElement documents each member that reads.
// MutableElement+Editing.swift edits, Building makes new elements; MutableTree.swift is the storage.

/// An element of an editable XML tree.
///
/// Each element has one `MutableElement` object as long as any code holds it: `===` checks whether two variables refer
/// to the same element. Changing an element that a query returned changes the tree it belongs to (rule 1.5). An element
/// never dangles: it keeps its tree alive, and a removed element becomes the root of a tree of its own.
///
/// ```swift
/// let stanza = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "id": "1"]) {
///     MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
/// }
/// stanza["to"] = "example.org"
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

    convenience init(rootOf tree: MutableTree) { self.init(tree: tree, index: tree.root) }

    deinit { tree.links.base[index.offset].handle = nil }

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

extension MutableElement: ReadableElement, TreePosition {
    package var view: TreeView { tree.view }

    package var bindings: SharedNamespaceContext? { tree.bindings }

    package func element(at index: NodeIndex) -> MutableElement { tree.handle(at: index) }

    public var root: MutableElement { element(at: tree.root) }

    /// The current child elements. The array does not change with the tree, so a loop over it may add and remove
    /// elements. Linear in their number; for the first alone, `firstChild` is cheaper.
    public var children: [MutableElement] {
        var children: [MutableElement] = []
        var child = view[index].firstChild
        while child != .none {
            children.append(element(at: child))
            child = view[child].next
        }
        return children
    }

    public func isSame(as other: MutableElement) -> Bool { self === other }

    /// Writes the element as XML to the end of `output`. An element that still waits for a namespace takes the
    /// context's default, as it would when added.
    public func write(to output: inout [UInt8], in context: NamespaceContext = .empty, format: XMLFormat = .compact) {
        if tree.links.base[index.offset].inheritsNamespace, let namespace = context.defaultNamespace {
            let resolved = copy()
            resolved.resolveNamespace(as: namespace)
            resolved.read { XMLWriter.write($0, to: &output, in: context, format: format) }
        } else {
            read { XMLWriter.write($0, to: &output, in: context, format: format) }
        }
    }
}

extension MutableElement {
    /// Returns a detached deep copy: the root of its own tree, with the same namespace and all prefixes in scope, also
    /// those around the tree (rule 1.5). Linear in the subtree.
    public func copy() -> sending MutableElement {
        // The new tree and this one share three references. The surrounding context and the dictionary are immutable
        // and Sendable. In the table of names the copy only reads names that no code writes again. So the caller can
        // send the copy.
        nonisolated(unsafe) let copy = MutableElement(rootOf: copiedTree())
        return copy
    }

    /// Returns a detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if
    /// requested, the element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> sending MutableElement {
        let arena = read { MutableTree.shallowCopy(of: $0, withText: withText) }
        arena.links.base[arena.root.offset].inheritsNamespace = tree.links.base[index.offset].inheritsNamespace
        // The new tree and this one share only the surrounding context, which is Sendable.
        nonisolated(unsafe) let copy = MutableElement(rootOf: arena)
        return copy
    }

    /// Returns an immutable copy that you can send to any isolation domain: the root of its own tree, with all prefixes
    /// in scope. An element that has not received its namespace yet has none in the copy. Linear in the subtree. The
    /// copy shares the names of this tree.
    public func freeze() -> Element {
        read {
            TreeCopier.copy($0, names: tree.names.table, dictionary: tree.dictionary, size: tree.knownSize(of: index))
        }
    }

    /// Returns an editable copy, the same as `copy()`.
    public func thaw() -> sending MutableElement { copy() }

    func copiedTree() -> MutableTree {
        read {
            MutableTree.copy(
                of: $0, names: tree.names.table, dictionary: tree.dictionary, links: UnsafePointer(tree.links.base),
                size: tree.knownSize(of: index))
        }
    }
}
