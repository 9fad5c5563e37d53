// Every part of the tree has its range in the text.

import QuerySyntax
import QueryTools
import Testing

struct SourceRangeTests {
    @Test func segmentsAndFilters() throws {
        let query = ParsedQuery(parsing: "/<ä=1>/{u}!b<{n}c=x%5d%@><d~[/>]>/../e@id|int")
        // The regex ends at the first '>', regardless of the text before it.
        #expect(query.diagnostics.first?.range.lowerBound == 32)

        let good = ParsedQuery(parsing: "/<ä=1>/{u}!b<{n}c=x%5d%@><d~[/]>/../e@id|int")
        #expect(good.diagnostics.isEmpty)
        #expect(
            good.tree.nodes.filter(\.isStep).map { good.text(in: $0.range) } == [
                "<ä=1>", "{u}!b<{n}c=x%5d%@><d~[/]>", "..", "e",
            ]
        )
        let nodes = good.tree.nodes[3...7]
        #expect(nodes.map { good.text(in: $0.range) } == ["<{n}c=x%5d%@>", "x", "%5d", "%@", "<d~[/]>"])
        let filters = nodes.compactMap { if case .filter(let filter) = $0.content { filter } else { nil } }
        #expect(filters.map { good.text(in: $0.name.range) } == ["{n}c", "d"])
        #expect(filters.map { good.text(in: $0.value.range) } == ["x%5d%@", "[/]"])
        let specifiers = nodes.compactMap {
            if case .part(.specifier(let found)) = $0.content { good.text(in: found.range) } else { nil }
        }
        #expect(specifiers == ["%5d", "%@"])
    }

    @Test func linesOfTheOutline() throws {
        let query = ParsedQuery(parsing: "/ä<k=1>/../{u}b/@id|int")
        #expect(query.tree.outline.map(\.text).count == query.tree.description.split(separator: "\n").count)
        #expect(query.tree.outline.map(\.depth) == [0, 0, 1, 0, 0, 0, 0, 0])
        #expect(
            query.tree.outline.map { $0.range.map(query.text) } == [
                "/", "ä<k=1>", "<k=1>", "..", "{u}b", nil, "@id", "int",
            ])
        #expect(query.tree.outline[2].text == "k = \"1\"" && query.tree.outline[5].text == "self")
        #expect(ParsedQuery(parsing: "").tree.outline.isEmpty)
    }

    @Test func extractionsAndConversions() throws {
        for (text, extraction, conversion) in [
            ("a@{u}b|int", "@{u}b", "int"), ("a/@@", "@@", nil), ("#|uuid", "#", "uuid"), ("/$", "$", nil),
            ("ü\\{f}t[0]@v\\|bool", "\\{f}t[0]@v\\", "bool"),
        ] {
            let query = ParsedQuery(parsing: text)
            #expect(query.tree.extractionRange.map(query.text) == extraction)
            #expect(query.tree.conversionRange.map(query.text) == conversion)
        }
    }

    @Test func namelessSegmentsAreEmptyOrTheirFilters() throws {
        for (text, segments) in [("@id", [""]), ("a/#", ["a", ""]), ("../<a=b>\\\\", ["..", "<a=b>"])] {
            let query = ParsedQuery(parsing: text)
            #expect(query.tree.nodes.filter(\.isStep).map { query.text(in: $0.range) } == segments)
        }
    }

    @Test func rangesOutsideOfTheTextAreCut() {
        let query = ParsedQuery(parsing: "abc")
        #expect(query.text(in: 2..<9) == "c")
        #expect(query.text(in: 7..<9) == "")
    }
}
