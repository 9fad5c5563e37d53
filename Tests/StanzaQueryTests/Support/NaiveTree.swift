// A tree as an array of plain nodes in document order, for the naive evaluator. The public reading API makes it,
// without the storage that the engine runs over.

import StanzaQuery

/// A tree whose nodes refer to each other by their place in document order; the root is node 0.
struct NaiveTree: Equatable {
    struct Node: Equatable {
        let name: String
        let namespace: String?
        /// Without the pseudo-attribute `xmlns` and without declarations.
        let attributes: [XMLAttribute]
        /// The element's own text nodes.
        let texts: [String]
        /// The prefixes that are bound here, with their namespaces.
        let prefixes: StringMap
        let parent: Int?
        var children: [Int] = []
    }

    private(set) var nodes: [Node] = []

    init(_ root: some ReadableElement) {
        add(root, parent: nil)
    }

    private mutating func add<Node: ReadableElement>(_ element: Node, parent: Int?) {
        let place = nodes.count
        var texts: [String] = []
        for case .text(let text) in element.content { texts.append(text) }
        nodes.append(
            NaiveTree.Node(
                name: element.name, namespace: element.namespace, attributes: Array(element.attributes),
                texts: texts, prefixes: element.namespacesInScope.prefixes, parent: parent))
        for case .element(let child) in element.content {
            nodes[place].children.append(nodes.count)
            add(child, parent: place)
        }
    }

    subscript(_ node: Int) -> Node { nodes[node] }

    /// The elements of the same tree, in the same order.
    static func elements<Node: ReadableElement>(of root: Node) -> [Node] {
        var elements = [root]
        for child in root.children { elements += Self.elements(of: child) }
        return elements
    }
}

extension String {
    /// Equality of code points (rule 1.1): `==` takes canonical equivalents for equal.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
    func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let two?): one.isExactly(two)
        default: false
        }
    }
}
