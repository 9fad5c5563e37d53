// Index paths of elements.

import QueryTools
import TestSupport
import Testing
import XMLTree

@Suite("Index paths")
struct IndexPathTests {
    @Test("are right in any order")
    func anyOrder() throws {
        let root = try Element(parsing: "<a><b/>x<c><d/><d/><e><f/></e></c>y<b><d/></b></a>")
        var expected: [(Element, [Int])] = []
        collect(root, [], into: &expected)
        var random = SeededGenerator(salt: 51)
        for order in [expected, expected.reversed(), expected.shuffled(using: &random), expected + expected] {
            var paths = IndexPaths<Element>()
            for (element, path) in order {
                #expect(paths.path(of: element) == path, "seed \(SeededGenerator.seed)")
            }
        }
        var paths = IndexPaths<MutableElement>()
        #expect(paths.path(of: root.thaw()) == [])
        #expect(paths.path(of: try #require(root.thaw().firstChild?.nextSibling?.firstChild?.nextSibling)) == [1, 1])
    }

    @Test("of the children of a wide element are linear work")
    func wide() throws {
        let count = 100_000
        let root = try Element(parsing: "<a>" + String(repeating: "<b/>", count: count) + "</a>", limits: .document)
        var paths = IndexPaths<Element>()
        var last: [Int] = []
        let time = processorTime {
            for child in root.children { last = paths.path(of: child) }
        }
        #expect(last == [count - 1])
        // Quadratic work would take five billion steps, which is minutes.
        #expect(time < 20)
    }

    private func collect(_ element: Element, _ path: [Int], into result: inout [(Element, [Int])]) {
        result.append((element, path))
        for (index, child) in element.children.enumerated() { collect(child, path + [index], into: &result) }
    }
}
