// The positions of elements in their tree, as indexes of child elements from the root down.

import XMLTree

/// Computes index paths of elements, cheaply if they come in document order.
///
/// It keeps the path to the last element, and finds the neighbors of that element from there. So the paths of all
/// children of a wide element take linear time, not quadratic.
package struct IndexPaths<Node: ReadableElement> {
    private struct Step {
        let node: Node
        let index: Int
    }

    /// The last element and its ancestors below the root, each with its index.
    private var way: [Step] = []

    package init() {}

    /// Returns the path of an element: `[]` for the root, `[0, 2]` for the third child of its first child.
    package mutating func path(of element: Node) -> [Int] {
        var ancestors: [Node] = []
        var current = element
        while let parent = current.parent {
            ancestors.append(current)
            current = parent
        }
        ancestors.reverse()
        var steps: [Step] = []
        // Steps are siblings of the last path's steps as long as both paths have the same elements.
        var isShared = true
        for (depth, node) in ancestors.enumerated() {
            let known = isShared && depth < way.count ? way[depth] : nil
            let step = Step(node: node, index: Self.index(of: node, behind: known?.node, known?.index ?? 0))
            isShared = known.map { $0.node.isSame(as: node) } ?? false
            steps.append(step)
        }
        way = steps
        return steps.map(\.index)
    }

    /// Searches for an element among the siblings after a known one, then among all.
    private static func index(of node: Node, behind known: Node?, _ knownIndex: Int) -> Int {
        var candidate = known
        var index = knownIndex
        while let sibling = candidate {
            if sibling.isSame(as: node) { return index }
            candidate = sibling.nextSibling
            index += 1
        }
        return node.childIndex
    }
}
