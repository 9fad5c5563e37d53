// After a mistake the parser continues at the next segment: it finds independent mistakes, invents none, and keeps the
// understood parts in the tree.

import QuerySyntax
import QueryTools
import TestSupport
import Testing

struct RecoveryTests {
    @Test func laterMistakesAreReportedAsWell() {
        for (query, offsets) in [
            ("!/a*/b@", [1, 3, 7]),
            ("a//b//c/", [2, 5, 8]),
            ("a<b>/c<d=>/e<f~>", [3, 9, 15]),
            ("a<b=%y/z>/!", [5, 11]),
            ("a*{u/v}/!", [1, 9]),
            ("a!<b=c/d>/!", [1, 11]),
            ("a!\\@b/c\\/!", [1, 10]),
            ("a!|b{c/!", [1, 8]),
            ("\\form[/]\\/!", [6, 11]),
            ("a@b/c|int/d@e|nope", [1, 5, 14]),
            ("a@b|x/c", [1, 4]),
            ("@{*}a/!*", [3, 7]),
            ("..<a=b>/!", [2, 9]),
            ("..<a=b>/$", [2]),
            ("a/|int/$", [2, 7]),
            ("a[b//c]/!", [1, 9]),
            ("a/text()/!", [6, 10]),
            ("a*[b//c]/!", [1, 10]),
        ] {
            let found = ParsedQuery(parsing: query).diagnostics.map(\.range.lowerBound)
            #expect(found == offsets, "\(query)")
        }
    }

    @Test func nothingIsReportedInsideOfUnclosedParts() {
        for query in [
            "{a//b/!", "a<b=c//d/!", "a<b//d/!", "\\a//b/!", "a*{b//c/!", "a!<b//c/!", "a*\\b//c/!", "a[b//c/!",
            "a*[b//c/!",
        ] {
            #expect(ParsedQuery(parsing: query).diagnostics.count == 1, "\(query)")
        }
    }

    /// The text after a namespace without braces may be a part of it, but not the text before it.
    @Test func aNamespaceWithoutBracesIsOneMistake() {
        for (query, offsets) in [
            ("http://jabber.org/protocol/muc#user/x//y", [6]), ("/a@/https://b//c", [3, 11]), ("a:b:c}d//e", [5]),
            // None of these is a URL's beginning.
            ("://b//c", [2, 5]), ("a:b://c//d", [5, 8]), ("a<b=c:>//d//e", [8, 11]), ("{u}a://b//c", [6, 9]),
        ] {
            let found = ParsedQuery(parsing: query).diagnostics.map(\.range.lowerBound)
            #expect(found == offsets, "\(query)")
        }
    }

    /// The engine looks for bad regular expressions to the left of the first error.
    @Test func completeFiltersStayInTheTree() {
        for (query, patterns) in [
            ("a<b~(>/c//d", ["("]), ("foo/<a~(>", ["("]), ("a<b~(><c>/d<e~[>", ["(", "["]), ("a<b~(>!", ["("]),
            ("a<b~(>@c/d<e~)>", ["(", ")"]),
        ] {
            let tree = ParsedQuery(parsing: query).tree
            let found = tree.nodes.compactMap { node in
                if case .filter(let filter) = node.content { tree.text(in: filter.value) } else { nil }
            }
            #expect(found == patterns, "\(query)")
        }
    }

    @Test func aMisplacedExtractionIsNotTheQuerys() {
        #expect(ParsedQuery(parsing: "a@b|int/c").tree.description == "elements a\nelements c")
        #expect(ParsedQuery(parsing: "a@b/c#").tree.description == "elements a\nelements c\nextract text")
    }

    @Test func diagnosticsAreInOrder() {
        var random = SeededGenerator(salt: 11)
        for _ in 0..<3_000 {
            let query = RandomText.make(upTo: 25, using: &random)
            let starts = ParsedQuery(parsing: query).diagnostics.map(\.range.lowerBound)
            #expect(starts == starts.sorted(), "\(query.debugDescription), seed \(SeededGenerator.seed)")
        }
    }

    /// The text after a mistake does not move the mistake, and the parser reports nothing to the left of it.
    @Test func theFirstSyntaxErrorIsThatOfTheTextBeforeIt() {
        var random = SeededGenerator(salt: 12)
        for _ in 0..<3_000 {
            let query = RandomText.make(upTo: 15, using: &random)
            let parsed = ParsedQuery(parsing: query)
            guard let first = parsed.diagnostics.first, first.kind == .syntax else { continue }
            let cut = ParsedQuery(parsing: parsed.text(in: 0..<first.range.upperBound))
            #expect(
                cut.diagnostics.first?.range == first.range,
                "\(query.debugDescription), seed \(SeededGenerator.seed)"
            )
        }
    }
}
