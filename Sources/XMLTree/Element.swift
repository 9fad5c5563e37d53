// A handle to an element of a frozen tree. Parsers deliver it and queries return it. Storage/Tree.swift is its storage.
// Editing starts with `thaw()`, which returns a MutableElement.

/// An element of an immutable XML tree.
///
/// An `Element` is a small value: a reference to its tree and a position in it. It keeps the whole tree alive, can be
/// sent to any isolation domain, and can be read from many threads at once. To change a tree, `thaw()` it.
///
/// ```swift
/// func greet(_ message: Element) -> String? {
///     guard message.name == "message", let body = message.child("body") else { return nil }
///     return "\(message["from"] ?? "A stranger") says: \(body.text ?? "nothing")"
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

extension Element: ReadableElement, TreePosition {
    package var bindings: SharedNamespaceContext? { tree.dictionary.context }

    package func element(at index: NodeIndex) -> Element { Element(tree: tree, index: index) }

    // Not those of TreePosition: other packages would call these two, the steps of every loop, as generic functions.
    public var firstChild: Element? { read { $0.view[$0.index].firstChild.optional }.map(element) }

    public var nextSibling: Element? { read { $0.view[$0.index].next.optional }.map(element) }

    public var root: Element { element(at: .root) }

    public var children: ElementChildren { ElementChildren(parent: self) }

    public func isSame(as other: Element) -> Bool { tree === other.tree && index == other.index }

    public func write(to output: inout [UInt8], in context: NamespaceContext = .empty, format: XMLFormat = .compact) {
        read { XMLWriter.write($0, to: &output, in: context, format: format) }
    }
}

extension Element {
    /// Returns a detached deep copy: the root of its own tree, with the same namespace and all prefixes in scope, also
    /// those of the surrounding stream (rule 1.5). The copy does not keep the rest of the tree alive. Linear in the
    /// subtree.
    public func copy() -> Element {
        let dictionary = tree.dictionary
        return read { TreeCopier.copy($0, names: dictionary.names, dictionary: dictionary) }
    }

    /// Returns a detached copy without child elements: name, namespace, attributes, prefixes in scope, and, if
    /// requested, the element's own text in one piece.
    public func shallowCopy(withText: Bool = false) -> Element {
        MutableElement(rootOf: read { MutableTree.shallowCopy(of: $0, withText: withText) }).freeze()
    }

    /// Returns an editable copy of this element and its descendants: the root of its own tree. Linear in the subtree.
    public func thaw() -> sending MutableElement {
        let dictionary = tree.dictionary
        return MutableElement(
            rootOf: read { MutableTree.copy(of: $0, names: dictionary.names, dictionary: dictionary) })
    }
}

extension Element: Hashable {
    /// Whether both subtrees have the same names, namespaces, attributes, text and children in the same order, code
    /// point by code point. Linear in the smaller subtree, for common numbers of attributes.
    public static func == (one: Element, other: Element) -> Bool {
        one.isSame(as: other) || one.read { one in other.read { one.isEqual(to: $0) } }
    }

    /// Hashes the element's name, attributes and text, not its children. Constant cost per level matters more than
    /// different hashes for stanzas that differ only in their descendants.
    public func hash(into hasher: inout Hasher) {
        read { reader in
            hasher.combine(reader.view[reader.index].key)
            hasher.combine(reader.text)
            var sum: UInt64 = 0
            for record in reader.view.attributeRecords(of: reader.index)
            where reader.view[record.name].kind == .attribute {
                sum &+= reader.view[record.name].expanded.rawValue
                sum &+= NameKey(.local, reader.view.string(record.value)).rawValue
            }
            hasher.combine(sum)
        }
    }
}

extension ElementReader {
    /// Compares two subtrees without recursion.
    func isEqual(to other: ElementReader) -> Bool {
        var walk = TreeWalk(view, from: index)
        var otherWalk = TreeWalk(other.view, from: other.index)
        while let step = walk.next(), let otherStep = otherWalk.next() {
            switch (step, otherStep) {
            case (.enter(let node), .enter(let otherNode)):
                guard view[node].key == other.view[otherNode].key,
                    view.string(view[node].text).equals(other.view.string(other.view[otherNode].text)),
                    hasEqualAttributes(node, to: other, otherNode)
                else { return false }
            case (.leave(let node), .leave(let otherNode)):
                guard node != index else { return otherNode == other.index }
                guard view.string(view[node].tail).equals(other.view.string(other.view[otherNode].tail)) else {
                    return false
                }
            default:
                return false
            }
        }
        // Equal steps end together, at the end tag of the top element.
        return true
    }

    private func hasEqualAttributes(_ node: NodeIndex, to other: ElementReader, _ otherNode: NodeIndex) -> Bool {
        let records = view.attributeRecords(of: node)
        let otherRecords = other.view.attributeRecords(of: otherNode)
        var count = 0
        for record in records where view[record.name].kind == .attribute { count += 1 }
        for record in otherRecords where other.view[record.name].kind == .attribute { count -= 1 }
        guard count == 0 else { return false }
        // Searching for each of many attributes would be quadratic.
        var table: [NameKey: ByteReference]?
        if otherRecords.count > 64 {
            let values = otherRecords.lazy.map { (other.view[$0.name].expanded, $0.value) }
            table = Dictionary(values) { first, _ in first }
        }
        // No element has two attributes of one name, so one direction suffices.
        return records.allSatisfy { record in
            guard view[record.name].kind == .attribute else { return true }
            let name = view[record.name].expanded
            let value = table.map { $0[name] } ?? other.view.attribute(expanded: name, of: otherNode)
            return value.map { other.view.string($0).equals(view.string(record.value)) } ?? false
        }
    }
}
