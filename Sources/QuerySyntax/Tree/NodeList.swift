// The nodes of a tree while the parser writes them.

/// A growing list in memory that the caller lends; on the heap if it is long. Nodes hold no references.
struct NodeList: ~Copyable {
    /// The nodes of nearly all queries; a constant, so that the memory is on the stack.
    static let usualCount = 16

    private var nodes: UnsafeMutableBufferPointer<QueryNode>
    private var isOnHeap = false
    private(set) var count = 0

    init(_ memory: UnsafeMutableBufferPointer<QueryNode>) { nodes = memory }

    deinit { if isOnHeap { nodes.deallocate() } }

    /// All nodes. Valid until the next change.
    var all: UnsafeBufferPointer<QueryNode> { UnsafeBufferPointer(rebasing: nodes[..<count]) }

    subscript(index: Int) -> QueryNode {
        get {
            precondition(index < count)
            return nodes[index]
        }
        _modify {
            precondition(index < count)
            yield &nodes[index]
        }
    }

    @inline(__always)
    mutating func append(_ content: QueryNode.Content, _ range: SourceRange) {
        if count == nodes.count { grow() }
        nodes.initializeElement(at: count, to: QueryNode(content, range))
        count &+= 1
    }

    /// Removes the nodes from an index on.
    mutating func remove(from index: Int) { count = index }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<QueryNode>.allocate(capacity: 2 * count)
        _ = larger.initialize(fromContentsOf: nodes)
        if isOnHeap { nodes.deallocate() }
        (nodes, isOnHeap) = (larger, true)
    }
}
