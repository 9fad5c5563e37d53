// Costs that hostile input might drive up: caseless arguments and prefixes, at many elements (rule 2.6).

import TestSupport
import Testing

@testable import StanzaQuery
@testable import XMLTree

@Suite struct BoundedCostTests {
    /// The regular expression of a long argument is not compiled for each of many elements that it cannot equal.
    @Test func caselessArgumentsAtManyElements() throws {
        let root = try element("<r>" + String(repeating: "<a k='é'/>", count: 20_000) + "</r>")
        let query = try Query("a<k=%@>", options: .caseInsensitiveFilters)
        var (isThere, count) = (true, 0)
        let time = try processorTime {
            isThere = try root.check(query, String(repeating: "É", count: 20_000))
            count = try root.find(query, "É").count
        }
        #expect(!isThere)
        #expect(count == 20_000)
        // Compiling the long argument for each of them would take minutes.
        #expect(time < 30)
    }

    @Test func caselessComparisonOutsideOfASCII() throws {
        let root = try element("<r><a k='\u{212A}elvin'/><a k='kelvin'/><a k='kelvi\u{144}'/></r>")
        let query = try Query("a<k=%@>", options: .caseInsensitiveFilters)
        #expect(try root.find(query, "KELVIN").count == 2)
        #expect(try root.find(query, "kelvi\u{143}").count == 1)
        #expect(try root.find(query, "kelvin\u{301}").isEmpty)
    }

    /// The evaluation reads every element's declarations once for each prefix, for any number of descendants.
    @Test func prefixesAreLookedUpOnce() throws {
        let depth = 100
        let xml =
            "<r xmlns:p='urn:p'>" + String(repeating: "<n>", count: depth)
            + String(repeating: "<c x='1'><b x='1'/></c>", count: 1000) + String(repeating: "</n>", count: depth)
            + "</r>"
        let root = try element(xml)
        var memo = PrefixMemo()
        let prefix = NameKey(.declaration, "p")
        var pending = [root]
        var elements = 0
        while let next = pending.popLast() {
            elements += 1
            #expect(memo.namespace(ofPrefix: prefix, at: next.index, in: next.view, bindings: nil) != nil)
            pending.append(contentsOf: next.children)
        }
        #expect(elements == depth + 2001)
        let visits = memo.visits
        #expect(visits <= elements)
    }

    @Test func prefixesThatHideEachOther() throws {
        let root = try element(
            "<r xmlns:p='u' xmlns:q='u'><a p:k='1'><b xmlns:p='v' q:k='2' p:k='3'/><b q:k='4'/></a></r>")
        let found = try root.find("a/b@p:k").compactMap(\.string)
        #expect(found == ["3", "4"])
    }
}
