// Brings one element from old values to new ones: its attributes, and the kinds of children that it has.
//
// What is the same keeps its elements. How children are matched is ChildPatch.swift's business.

import XMLTree

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

    /// The children of a name.
    ///
    /// - Parameter isRead: Tells those that were read from those that were passed over.
    func all<Part: FormPart>(
        _ name: FormName, among isRead: (MutableElement) -> Bool = { _ in true }, from old: [Part], to new: [Part]
    ) throws(XMLTreeError) {
        if old == new { return }
        try apply(nodes: children(name).filter(isRead), after: name, from: old, to: new)
    }

    /// The child of a name that may stand once. The first counts; the others go with it, lest they come forward.
    func only<Part: FormPart>(
        _ name: FormName, among isRead: (MutableElement) -> Bool = { _ in true }, from old: Part?, to new: Part?
    ) throws(XMLTreeError) {
        if old == new { return }
        let nodes = children(name)
        if let new {
            let first = Array(nodes.filter(isRead).prefix(1))
            try apply(nodes: first, after: name, from: old.map { [$0] } ?? [], to: [new])
        } else {
            for node in nodes { node.remove() }
        }
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

    private func children(_ name: FormName) -> [MutableElement] {
        let key = FormNames.key(name)
        return element.children.filter { $0.view[$0.index].key == key }
    }

    /// The first child of those names that come after a name; `nil` is what is not known, and comes last.
    private func firstChild(after name: FormName?) -> MutableElement? {
        guard let name, let rank = order.firstIndex(of: name) else { return nil }
        let later = Set(order[(rank + 1)...].map(FormNames.key))
        return element.children.first { later.contains($0.view[$0.index].key) }
    }
}
