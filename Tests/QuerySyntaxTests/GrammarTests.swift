// The grammar file against the parser: they must describe the same language, and the same place for every mistake.
// Both ways are tried on sentences of the grammar, on sentences with small changes, and on noise.

import QuerySyntax
import TestSupport
import Testing

struct GrammarTests {
    private let grammar: EBNF
    /// What counts as free of syntax errors (7.2): extractions and conversions in the wrong places are other mistakes.
    private let lenient: EBNF

    init() throws {
        grammar = try EBNF.project()
        lenient = try grammar.overridden(
            by: """
                rootedPath ::= ( element | filter+ ) continuation | parent | ending rest?
                path ::= element continuation | parent | nameless rest?
                continuation ::= ( ending | misplaced )? rest?
                rest ::= '/' path
                parent ::= '..' ( ending | misplaced )? ( '/' ( path | nameEnding rest? ) )?
                conversion ::= '|' [^/]+
                misplaced ::= '|' [^/]*
                allAttributes ::= '@@' misplaced?
                formEnding ::= '\\' formSelection ( '@' fieldName '\\' conversion? | ( '&' fieldName )? '\\' misplaced? )
                """
        )
    }

    @Test func everySentenceIsAQuery() {
        var random = SeededGenerator(salt: 1)
        for _ in 0..<3_000 {
            let sentence = grammar.sentence(using: &random)
            let found = ParsedQuery(parsing: sentence).diagnostics
            #expect(found.isEmpty, "\(sentence.debugDescription), seed \(SeededGenerator.seed)")
        }
    }

    @Test func sentencesReachEveryPartOfTheLanguage() {
        var random = SeededGenerator(salt: 2)
        let all = (0..<3_000).map { _ in grammar.sentence(using: &random) }.joined(separator: " ")
        for part in ["..", "{", "!", "<", "~", "%%", "%l", "@@", "#", "$", "\\", "&", "[", "|uuid"] {
            #expect(all.contains(part), "no \(part), seed \(SeededGenerator.seed)")
        }
    }

    @Test func parserAndGrammarAcceptTheSame() {
        var random = SeededGenerator(salt: 3)
        var acceptedCount = 0
        let samples = samples(4_000, using: &random)
        for query in samples {
            let accepted = ParsedQuery(parsing: query).diagnostics.isEmpty
            if accepted { acceptedCount += 1 }
            #expect(
                grammar.match(query).isSentence == accepted,
                "\(query.debugDescription), seed \(SeededGenerator.seed)"
            )
        }
        // Both are asked often enough.
        #expect(acceptedCount > 300 && samples.count - acceptedCount > 1_000, "\(acceptedCount) accepted")
    }

    /// A syntax error begins at the first character that cannot continue a query.
    @Test func syntaxErrorsBeginAfterTheLongestViablePrefix() {
        var random = SeededGenerator(salt: 4)
        for query in samples(4_000, using: &random) {
            let match = lenient.match(query)
            let found = ParsedQuery(parsing: query).diagnostics.first { $0.kind == .syntax }?.range.lowerBound
            let expected = match.isSentence ? nil : match.viableLength
            #expect(found == expected, "\(query.debugDescription), seed \(SeededGenerator.seed)")
        }
    }

    @Test func exceptionsKeepTheirRules() throws {
        #expect(!grammar.match("{a}..").isSentence)
        #expect(grammar.match("{a}...").isSentence)
        #expect(grammar.match("{a}..").viableLength == 5)
        #expect(grammar.match("@{*}a").viableLength == 3)
        #expect(grammar.match("a<b=%1000d>").isSentence)
        #expect(grammar.match("a<b=%1001d>").viableLength == 8)
    }

    private func samples(_ count: Int, using random: inout SeededGenerator) -> [String] {
        (0..<count).map { index in
            switch index % 3 {
            case 0: RandomText.make(upTo: 8, using: &random)
            case 1: RandomText.mutate(grammar.sentence(using: &random), using: &random)
            default: RandomText.mutate(RandomText.make(upTo: 5, using: &random), using: &random)
            }
        }
    }
}
