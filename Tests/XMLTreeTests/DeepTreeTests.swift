// Trees that are deeper than any stack: no function recurses.

import Testing
import XMLTree

@Suite struct DeepTreeTests {
    private static let depth = 60_000

    private func deepTree() throws -> MutableElement {
        let root = MutableElement("a")
        var tip = root
        for _ in 1..<Self.depth { tip = tip.add(MutableElement("a")) }
        tip.text = "deep"
        return root
    }

    @Test func everythingWorksOnDeepTrees() throws {
        let tree = try deepTree()
        tree.setNamespace("u")
        let frozen = tree.freeze()
        #expect(frozen == tree.copy().freeze())
        #expect(tree.copy() == tree)
        #expect(frozen.copy() == frozen)
        #expect(frozen.hashValue == frozen.copy().hashValue)
        let xml = frozen.xmlBytes()
        #expect(xml.count == Self.depth * 7 + " xmlns='u'".utf8.count + "deep".utf8.count)
        #expect(frozen.xmlBytes(format: .pretty).count < 600 * Self.depth)
        var tip = frozen
        while let child = tip.firstChild { tip = child }
        #expect(tip.text == "deep")
        #expect(tip.namespace == "u")
        #expect(tip.root.isSame(as: frozen))
        var limits = ParserLimits.document
        limits.depth = Self.depth + 1
        #expect(try Element(parsing: xml, limits: limits) == frozen)
    }

    /// Taken apart from both ends: the smaller part moves.
    @Test func deepTreesAreTakenApart() throws {
        var tip = try deepTree()
        while let child = tip.firstChild { tip = child }
        for _ in 0..<(Self.depth / 2) {
            guard let parent = tip.parent else { break }
            tip.remove()
            tip = parent
        }
        #expect(tip.firstChild == nil)
        var root = tip.root
        var pieces = 0
        while let child = root.firstChild {
            child.remove()
            root = child
            pieces += 1
        }
        #expect(pieces == Self.depth - Self.depth / 2 - 1)
    }
}
