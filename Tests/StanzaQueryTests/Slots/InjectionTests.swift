// The query compares interpolated values and never reads them: every sign of the language, and fragments of all of its
// rules, in every kind of slot, against the naive evaluator.

import Foundation
import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct InjectionTests {
    /// Signs of the language, and texts that mean something somewhere in it.
    private static let signs =
        "/<>=~@#$\\|{}[]*!.&%'\"-+:;,? \n\t".map { String($0) }
        + [
            "", "..", "*", "@@", "a", "x", "item", "k", "i", "f", "T", "urn:a", "urn:r", "xmlns", "xml:lang", "p:k",
            ":k", "p:",
            "{urn:a}k", "{*}k", "!item", "item/..", "..@k", "x><i=1", "x>/..<i=0", "x>@i", "x>|", "f\\|int", "f\\",
            "x' or '1'='1",
            "%@", "%d", "%%", "%n", "\\(0)", "\\(…)", "&amp;", "<!--", "]]>", "\\@f\\", "(?", ".*", "^.*$", "true",
            "|int",
            "\u{0}", "\u{1}", "\u{7F}", "\u{E9}", "e\u{301}", "\u{E000}", "\u{FFFD}", "\u{FFFE}", "\u{1F600}",
            "\u{202E}", "名",
        ]

    /// Fragments of the grammar: everything that any of its rules writes out, and longer ones.
    private static func fragments(_ count: Int, using random: inout SeededGenerator) throws -> [String] {
        let grammar = try EBNF.project()
        let rules = grammar.rules.keys.sorted()
        let parts = rules.flatMap { grammar.sentences(ofAllPartsOf: $0, using: &random) }
        let others = (0..<count).map { grammar.starting(at: rules[$0 % rules.count]).sentence(using: &random) }
        return Array(Set(parts + others)).sorted()
    }

    /// The shapes have a slot at each place where the grammar has one.
    @Test func theShapesHaveEverySlot() throws {
        let file = packageFolder.appending(path: "Grammar/stanza-query-slots.ebnf")
        let grammar = try EBNF.project().overridden(by: String(contentsOf: file, encoding: .utf8))
        var coverage = GrammarCoverage(of: grammar)
        for shape in SlotShape.all {
            let isSentence = coverage.accept(shape.pieces.joined(separator: "\u{E000}"))
            #expect(isSentence, "\(shape)")
        }
        let slots = coverage.parts.filter { $0.value == "slot" || $0.key.rule == "slot" }.map(\.key)
        #expect(Set(slots.map(\.rule)) == ["namespace", "elementName", "attributeName", "fieldName", "slot"])
        #expect(coverage.used.isSuperset(of: slots))
    }

    @Test func everySignInEverySlot() throws {
        var found = 0
        for value in Self.signs {
            let root = try treeForSlots(holding: value)
            for index in SlotShape.all.indices { found += try expectComparison(index, value, on: root) }
        }
        // The values are in the tree where XML permits it: many are found.
        #expect(found > 1_500)
    }

    @Test func everyFragmentInEverySlot() throws {
        var random = SeededGenerator(salt: 21)
        for fragment in try Self.fragments(SeededGenerator.cases(default: 20), using: &random) {
            let value = random.chance(30) ? fragment + random.pick(Self.signs) : fragment
            let root = try treeForSlots(holding: value)
            for index in SlotShape.all.indices { _ = try expectComparison(index, value, on: root) }
        }
    }

    /// Evaluates a query with one value in all slots as elements of both kinds do, and as the naive evaluator does,
    /// which only compares. Returns the number of results.
    private func expectComparison(_ index: Int, _ value: String, on root: MutableElement) throws -> Int {
        let shape = SlotShape.all[index]
        func note() -> Comment { "\(shape) with \(value.debugDescription), seed \(SeededGenerator.seed)" }
        let values = Array(repeating: value, count: shape.slotCount)
        let parsed = ParsedQuery(parsing: shape.text)
        try #require(parsed.diagnostics == [], note())
        let naive = NaiveEvaluator(
            tree: NaiveTree(root), query: parsed.tree, options: [], arguments: [], slotValues: values)
        let expected = try naive.results(on: 0)

        let frozenRoot = root.freeze()
        let frozen = NaiveTree.elements(of: frozenRoot)
        let editable = NaiveTree.elements(of: root)
        let query = try Query(shape.literal(values))
        #expect(query.argumentCount == 0)
        let onFrozen = try frozenRoot.find(query).map {
            NaiveValue($0) { found in frozen.firstIndex { $0.isSame(as: found) } }
        }
        #expect(onFrozen == expected, note())
        #expect(try frozenRoot.check(query) == !expected.isEmpty, note())
        let onEditable = try root.find(query).map { NaiveValue($0) { found in editable.firstIndex { $0 === found } } }
        #expect(onEditable == expected, note())

        // The values of filters as arguments, which is how typed queries have them.
        let (named, arguments) = try compiledTemplate(shape.text).binding(values.map(\.queryArgument))
        let asArguments = try frozenRoot.find(Query<QueryValue>(named, arguments))
            .map { NaiveValue($0) { found in frozen.firstIndex { $0.isSame(as: found) } } }
        #expect(asArguments == expected, note())
        return expected.count
    }
}
