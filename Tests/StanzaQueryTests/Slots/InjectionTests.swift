// The query compares interpolated values and arguments, and never reads them: every sign of the language, and the
// suites' queries, in every kind of slot, against the naive evaluator.

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
            ":k", "p:", "{urn:a}k", "{*}k", "!item", "item/..", "..@k", "x><i=1", "x>/..<i=0", "x>@i", "x>|", "f\\|int",
            "f\\", "x' or '1'='1", "%@", "%d", "%%", "%n", "\\(0)", "\\(…)", "&amp;", "<!--", "]]>", "\\@f\\", "(?",
            ".*",
            "^.*$", "true", "|int", "\u{0}", "\u{1}", "\u{7F}", "\u{E9}", "e\u{301}", "\u{E000}", "\u{FFFD}",
            "\u{FFFE}",
            "\u{1F600}", "\u{202E}", "名",
        ]

    @Test func everySignInEverySlot() throws {
        let found = try Self.signs.reduce(0) { try $0 + compareInEverySlot($1) }
        // The values are in the tree where XML permits it: many are found.
        #expect(found > 1_500)
    }

    @Test func queriesInEverySlot() throws {
        var random = SeededGenerator(salt: 21)
        let queries = try ConformanceCase.all().map(\.query)
        for _ in 0..<SeededGenerator.cases(default: 100) {
            let value = random.pick(queries) + (random.chance(30) ? random.pick(Self.signs) : "")
            _ = try compareInEverySlot(value)
        }
    }

    /// Evaluates queries with one value in all slots as elements of both kinds do, and as the naive evaluator does,
    /// which only compares. Returns the number of results.
    private func compareInEverySlot(_ value: String) throws -> Int {
        let root = try treeForSlots(holding: value)
        let (frozenRoot, model) = (root.freeze(), NaiveTree(root))
        let (frozen, editable) = (NaiveTree.elements(of: frozenRoot), NaiveTree.elements(of: root))
        func place(_ element: Element) -> Int? { frozen.firstIndex { $0.isSame(as: element) } }
        var count = 0
        for shape in SlotShape.all {
            try FuzzSeeds.$current.withValue("\(shape) with \(value.debugDescription), \(SeededGenerator.seed)") {
                let values = Array(repeating: value, count: shape.slotCount)
                let parsed = ParsedQuery(parsing: shape.text)
                require(parsed.diagnostics == [], "\(parsed.diagnostics)")
                let expected = try NaiveEvaluator(
                    tree: model, query: parsed.tree, options: [], arguments: [], slotValues: values
                ).results(on: 0)
                let query = try Query(shape.literal(values))
                require(query.argumentCount == 0, "takes arguments")
                compare(query, on: frozenRoot, with: expected, place)
                compare(query, on: root, with: expected) { found in editable.firstIndex { $0 === found } }
                // The values of filters as arguments, which is how typed queries have them.
                let (named, arguments) = try compiledTemplate(shape.text).binding(values.map(\.queryArgument))
                compare(Query(named, arguments), on: frozenRoot, with: expected, place)
                count += expected.count
            }
        }
        guard let held = root["k"], held == value else { return count }
        for text in ["/<k=%@>", "/<k=%s>"] {
            let isFound = try root.check(Query(text), value)
            require(isFound, "\(text) reads \(value.debugDescription)")
        }
        return count
    }
}
