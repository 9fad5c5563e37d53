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
        (self.name, self.namespace, self.waits, self.forest) = (name, namespace, waits, forest)
        forest.elements.append(self)
    }

    /// The model of an element that does not wait for a namespace.
    convenience init(of element: MutableElement, in forest: ModelForest) {
        self.init(element.name, namespace: element.namespace, waits: false, in: forest)
        attributes = element.attributes.map { ($0.name, $0.value) }
        pieces = element.content.map { piece in
            switch piece {
            case .element(let child): .element(ModelElement(of: child, in: forest))
            case .text(let text): .text(text)
            }
        }
        for child in children { child.parent = self }
    }

    var children: [ModelElement] {
        pieces.compactMap { if case .element(let child) = $0 { child } else { nil } }
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
        let index = position < children.count ? place(of: children[position]) : pieces.count
        pieces.insert(.element(child), at: index)
        child.inherit()
    }

    func inherit() {
        guard waits, let parent, !parent.waits else { return }
        waits = false
        namespace = parent.namespace
        for child in children { child.inherit() }
    }

    private func place(of child: ModelElement) -> Int {
        pieces.firstIndex { if case .element(let other) = $0 { other === child } else { false } } ?? pieces.count
    }

    func remove() {
        guard let parent else { return }
        parent.pieces.remove(at: parent.place(of: self))
        parent.joinTexts()
        self.parent = nil
    }

    func set(_ attribute: String, to value: String) {
        if let known = attributes.firstIndex(where: { $0.name == attribute }) {
            attributes[known].value = value
        } else {
            attributes.append((attribute, value))
        }
    }

    func addText(_ text: String) {
        if !text.isEmpty { pieces.append(.text(text)) }
        joinTexts()
    }

    func setText(_ text: String) {
        pieces = children.map { .element($0) }
        if !text.isEmpty { pieces.insert(.text(text), at: 0) }
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

    /// Returns a description of the first difference between this model and an element.
    func difference(from element: MutableElement) -> String? {
        if let handle, handle !== element { return "\(name): another handle" }
        handle = element
        if element.name != name || element.namespace != namespace { return "\(name): \(element)" }
        let values = element.attributes.map { "\($0.name)=\($0.value)" }
        if values != attributes.map({ "\($0.name)=\($0.value)" }) { return "\(name): attributes \(values)" }
        for (name, value) in attributes where element[name] != value { return "\(self.name): attribute \(name)" }
        let content = element.content
        if content.count != pieces.count || element.children.count != children.count { return "\(name): \(content)" }
        for (piece, expected) in zip(content, pieces) {
            switch (piece, expected) {
            case (.text(let text), .text(let expected)) where text == expected: continue
            case (.element(let child), .element(let expected)) where child.parent === element:
                if let difference = expected.difference(from: child) { return "\(name)/\(difference)" }
            default: return "\(name): \(content)"
            }
        }
        return nil
    }
}
