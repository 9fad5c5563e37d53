// Indexes of a frozen element's children: an invalid index stops the program before it reads memory.

import Foundation
import Testing
import XMLTree

@Suite struct IndexTests {
    @Test func everyIndexOfTheCollectionsIsGood() throws {
        let a = try Element(parsing: "<a k='1' xmlns:p='u' p:k='2'><b/><c><d/></c><e/></a>")
        #expect(a.children.indices.map { a.children[$0].name } == ["b", "c", "e"])
        #expect(a.attributes.indices.map { a.attributes[$0].value } == ["1", "2"])
        let b = try #require(a.firstChild)
        #expect(b.children.isEmpty && b.children.startIndex == b.children.endIndex)
        #expect(b.attributes.isEmpty)
        #expect(a.children.firstIndex { $0.name == "c" }.map { a.children[...$0].count } == 2)
    }

    #if os(Linux) || os(macOS)
    /// Expects that a check stopped the program, not an access to invalid memory.
    private func expectCheck(_ result: ExitTest.Result?) {
        guard let result else { return }
        #expect([.signal(SIGILL), .signal(SIGTRAP)].contains(result.exitStatus))
    }

    @Test func theEndIsNotAChild() async {
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let children = try Element(parsing: "<a/>").children
                _ = children[children.startIndex]
            })
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let children = try Element(parsing: "<a/>").children
                _ = children.index(after: children.endIndex)
            })
    }

    @Test func indexesOfOtherTreesAreNoChildren() async {
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let large = try Element(parsing: "<a>" + String(repeating: "<b/>", count: 1000) + "</a>").children
                let last = try #require(large.indices.max())
                _ = try Element(parsing: "<a><b/></a>").children[last]
            })
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let a = try Element(parsing: "<a><b/><c><d/></c></a>")
                let c = try #require(a.child("c"))
                _ = a.children[c.children.startIndex]
            })
    }
    #endif
}
