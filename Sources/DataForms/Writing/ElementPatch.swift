// Updates one element from old values to new ones: its attributes, and its children of each kind.
//
// Unchanged values keep their elements. ChildPatch.swift matches the children.

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
