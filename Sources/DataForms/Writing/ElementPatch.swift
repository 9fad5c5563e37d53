// Updates one element from old values to new ones: its attributes, and its children of each kind.
//
// Unchanged values keep their elements. Children are matched from both ends, and by key in between.

import FormModel

struct ElementPatch {
    private let element: MutableElement
    /// The names of the known children, in the order in which new ones are inserted.
    private let order: [FormName]

    init(_ element: MutableElement, order: [FormName]) {
        self.element = element
        self.order = order
    }

    func attribute(_ name: FormName, from old: String?, to new: String?) throws(XMLTreeError) {
        if old.isIdentical(to: new) { return }
        try XMLTreeError.check(text: new ?? "")
        element[XMLName(known: "\(name)")] = new
    }

    /// Updates a number. A text with an equal number stays as written.
    func number(_ name: FormName, from old: Int?, to new: Int?) {
        if old != new { element[XMLName(known: "\(name)")] = new.map(String.init) }
    }

    /// Updates the children of some names. A change also removes ignored children, which represent no value.
    ///
    /// - Parameter isRead: Whether a child was read, not ignored.
    func all<Part: FormPart>(
        _ names: FormName..., among isRead: (MutableElement) -> Bool = { _ in true }, from old: [Part], to new: [Part]
    ) throws(XMLTreeError) {
        if old == new { return }
        for node in children(names) where !isRead(node) { node.remove() }
        try apply(nodes: children(names), after: names.last, from: old, to: new)
    }

    /// Updates a child that may occur once, of one or several names. The first counts; a change removes the others,
    /// because one of them could become the first.
    func only<Part: FormPart>(
        _ names: FormName..., among isRead: (MutableElement) -> Bool = { _ in true }, from old: Part?, to new: Part?
    ) throws(XMLTreeError) {
        if old == new { return }
        let first = children(names).first(where: isRead)
        for node in children(names) where first.map(node.isSame) != true { node.remove() }
        try apply(
            nodes: first.map { [$0] } ?? [], after: names.last, from: old.map { [$0] } ?? [],
            to: new.map { [$0] } ?? [])
    }

    /// Updates the unknown children.
    func foreign(from old: [Element], to new: [Element]) throws(XMLTreeError) {
        if old == new { return }
        let known = Set(order.map(FormNames.key))
        let nodes = element.children.filter { !known.contains($0.view[$0.index].key) }
        try apply(nodes: nodes, after: nil, from: old.map(ForeignPart.init), to: new.map(ForeignPart.init))
    }

    private func apply<Part: FormPart>(
        nodes: [MutableElement], after name: FormName?, from old: [Part], to new: [Part]
    ) throws(XMLTreeError) {
        let follower = nodes.last.map(\.nextSibling) ?? firstChild(after: name)
        try ChildPatch(parent: element, nodes: nodes, follower: follower).apply(from: old, to: new)
    }

    private func children(_ names: [FormName]) -> [MutableElement] {
        let keys = names.map(FormNames.key)
        return element.children.filter { keys.contains($0.view[$0.index].key) }
    }

    /// Returns the first child whose name comes after a given one; a `nil` name means unknown names, which come last.
    private func firstChild(after name: FormName?) -> MutableElement? {
        guard let name, let rank = order.firstIndex(of: name) else { return nil }
        let later = Set(order[(rank + 1)...].map(FormNames.key))
        return element.children.first { later.contains($0.view[$0.index].key) }
    }
}

struct ChildPatch {
    let parent: MutableElement
    /// The elements of the old values, in order.
    let nodes: [MutableElement]
    /// The element before which new ones at the end are inserted; `nil` for the parent's end.
    let follower: MutableElement?

    /// Updates the elements to represent the new values. Linear in their number, except for the changes.
    func apply<Part: FormPart>(from old: [Part], to new: [Part]) throws(XMLTreeError) {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var ends = (old: old.count, new: new.count)
        while ends.old > start, ends.new > start, old[ends.old - 1] == new[ends.new - 1] {
            ends = (ends.old - 1, ends.new - 1)
        }
        try align(old, start..<ends.old, new, start..<ends.new)
    }

    private func align<Part: FormPart>(
        _ old: [Part], _ oldRange: Range<Int>, _ new: [Part], _ newRange: Range<Int>
    ) throws(XMLTreeError) {
        // For each key, the number of remaining new values that have it.
        var expected: [String?: Int] = [:]
        for part in new[newRange] { expected[part.key, default: 0] += 1 }
        var newIndices = newRange.makeIterator()
        var pending = newIndices.next()
        for oldIndex in oldRange {
            let key = old[oldIndex].key
            guard expected[key, default: 0] > 0 else {
                nodes[oldIndex].remove()
                continue
            }
            // All values before the one with this key are new.
            while let newIndex = pending {
                pending = newIndices.next()
                expected[new[newIndex].key, default: 0] -= 1
                if new[newIndex].key == key {
                    if new[newIndex] != old[oldIndex] { try new[newIndex].patch(nodes[oldIndex], from: old[oldIndex]) }
                    break
                }
                parent.insert(try new[newIndex].newElement(), before: nodes[oldIndex].index)
            }
        }
        while let newIndex = pending {
            let sibling = oldRange.upperBound < nodes.count ? nodes[oldRange.upperBound] : follower
            parent.insert(try new[newIndex].newElement(), before: sibling?.index ?? .none)
            pending = newIndices.next()
        }
    }
}
