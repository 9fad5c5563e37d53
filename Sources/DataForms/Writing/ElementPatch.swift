// Brings one element from old values to new ones: its attributes, and the kinds of children that it has.
//
// What is the same keeps its elements. How children are matched is ChildPatch.swift's business.

import FormModel

struct ElementPatch {
    private let element: MutableElement
    /// The names of the children that are known here, in the order in which new ones are put.
    private let order: [FormName]

    init(_ element: MutableElement, order: [FormName]) {
        self.element = element
        self.order = order
    }

    func attribute(_ name: FormName, from old: String?, to new: String?) throws(XMLTreeError) {
        if !old.isIdentical(to: new) { try element.setAttribute("\(name)", to: new) }
    }

    /// A number. What reads as the new one stays as it is written.
    func number(_ name: FormName, from old: Int?, to new: Int?) throws(XMLTreeError) {
        if old != new { try element.setAttribute("\(name)", to: new.map(String.init)) }
    }

    /// The children of some names. Those that were passed over, because they stand for nothing, go with the change.
    ///
    /// - Parameter isRead: Tells those that were read from those that were passed over.
    func all<Part: FormPart>(
        _ names: FormName..., among isRead: (MutableElement) -> Bool = { _ in true }, from old: [Part], to new: [Part]
    ) throws(XMLTreeError) {
        if old == new { return }
        for node in children(names) where !isRead(node) { node.remove() }
        try apply(nodes: children(names), after: names.last, from: old, to: new)
    }

    /// The child that may stand once, of a name or some names. The first counts; the others go with the change, lest
    /// they come forward.
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

    /// The children that are not known here.
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

    /// The first child of those names that come after a name; `nil` is what is not known, and comes last.
    private func firstChild(after name: FormName?) -> MutableElement? {
        guard let name, let rank = order.firstIndex(of: name) else { return nil }
        let later = Set(order[(rank + 1)...].map(FormNames.key))
        return element.children.first { later.contains($0.view[$0.index].key) }
    }
}
