// The model of an editable tree: the simplest possible tree of objects, for comparison.

import XMLTree

/// Keeps all models of a test alive. A held element keeps its tree alive, but a model refers to its parent weakly.
final class ModelForest {
    fileprivate var elements: [ModelElement] = []
}

final class ModelElement {
    enum Piece {
        case element(ModelElement)
        case text(String)
    }

    var name: String
    var namespace: String?
    /// Whether the element was built without a namespace and not added to a parent that has one.
    var waits: Bool
    var attributes: [(name: String, value: String)] = []
    var pieces: [Piece] = []
    weak var parent: ModelElement?
    /// The most recent handle of this element.
    weak var handle: MutableElement?

    unowned let forest: ModelForest

    init(_ name: String, namespace: String?, waits: Bool, in forest: ModelForest) {
        self.name = name
        self.namespace = namespace
        self.waits = waits
        self.forest = forest
        forest.elements.append(self)
    }

    var children: [ModelElement] {
        pieces.compactMap {
            if case .element(let child) = $0 { child } else { nil }
        }
    }

    var root: ModelElement { parent?.root ?? self }

    var all: [ModelElement] { [self] + children.flatMap(\.all) }

    func copy(waiting: Bool = true) -> ModelElement {
        let copy = ModelElement(name, namespace: namespace, waits: waiting && waits, in: forest)
        copy.attributes = attributes
        copy.pieces = pieces.map { piece in
            guard case .element(let child) = piece else { return piece }
            let childCopy = child.copy(waiting: waiting)
            childCopy.parent = copy
            return .element(childCopy)
        }
        return copy
    }

    func insert(_ child: ModelElement, at position: Int) {
        child.parent = self
        var index = pieces.count
        if position < children.count { index = place(of: children[position]) }
        pieces.insert(.element(child), at: index)
        child.inherit()
    }

    func inherit() {
        guard waits, let parent, !parent.waits else { return }
        waits = false
        namespace = parent.namespace
        for child in children { child.inherit() }
    }

    func place(of child: ModelElement) -> Int {
        pieces.firstIndex { if case .element(let other) = $0 { other === child } else { false } } ?? pieces.count
    }

    func remove() {
        guard let parent else { return }
        parent.pieces.remove(at: parent.place(of: self))
        parent.joinTexts()
        self.parent = nil
    }

    func addText(_ text: String) {
        if !text.isEmpty { pieces.append(.text(text)) }
        joinTexts()
    }

    func setText(_ text: String) {
        pieces = children.map { .element($0) }
        if !text.isEmpty { pieces.insert(.text(text), at: 0) }
    }

    func removeChildren() {
        for child in children { child.remove() }
    }

    private func joinTexts() {
        var joined: [Piece] = []
        for piece in pieces {
            if case .text(let text) = piece, case .text(let before)? = joined.last {
                joined[joined.count - 1] = .text(before + text)
            } else {
                joined.append(piece)
            }
        }
        pieces = joined
    }

    // MARK: Comparison

    /// Returns a description of the first difference between this model and an element.
    func difference(from element: MutableElement) -> String? {
        let path = "\(name): "
        if let handle, handle !== element { return path + "another handle" }
        handle = element
        if element.name != name { return path + "name \(element.name)" }
        if element.namespace != namespace { return path + "namespace \(element.namespace ?? "none")" }
        if element.attributes.map(\.name) != attributes.map(\.name) { return path + "attributes \(element.attributes)" }
        if element.attributes.map(\.value) != attributes.map(\.value) { return path + "values \(element.attributes)" }
        for (name, value) in attributes where element[name] != value { return path + "attribute \(name)" }
        let content = element.content
        if content.count != pieces.count { return path + "content \(content)" }
        for (piece, expected) in zip(content, pieces) {
            switch (piece, expected) {
            case (.text(let text), .text(let expectedText)):
                if text != expectedText { return path + "text \(text)" }
            case (.element(let child), .element(let expectedChild)):
                if child.parent !== element { return path + "parent" }
                if let difference = expectedChild.difference(from: child) { return path + difference }
            default:
                return path + "content \(content)"
            }
        }
        if element.children.count != children.count { return path + "children" }
        return nil
    }
}
