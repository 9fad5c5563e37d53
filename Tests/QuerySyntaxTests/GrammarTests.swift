// The grammar file against the parser: both must describe the same language, and the same place for every mistake. The
// tests compare them on sentences of the grammar, on sentences with small changes, and on noise.

import QuerySyntax
import TestSupport
import Testing

struct GrammarTests {
    private let grammar: EBNF
    /// The texts that count as free of syntax errors (7.2): extractions and conversions in the wrong places are other
    /// mistakes.
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

    /// Every rule, every alternative of it, and everything that may be left out or come several times.
    @Test func sentencesReachEveryPartOfTheLanguage() {
        var random = SeededGenerator(salt: 2)
        var coverage = GrammarCoverage(of: grammar)
        // The empty query is none of the sentences that are made.
        var sentence = ""
        for _ in 0..<3_000 where coverage.used.count < coverage.parts.count {
            let isAccepted = coverage.accept(sentence)
            #expect(isAccepted, "\(sentence.debugDescription), seed \(SeededGenerator.seed)")
            sentence = grammar.sentence(using: &random)
        }
        for part in coverage.unused {
            Issue.record("no \(coverage.parts[part] ?? "") of \(part.rule), seed \(SeededGenerator.seed)")
        }
    }

    /// Sentences are changed until they are none, and until then they are queries.
    @Test func sentencesThatBreakAreRefused() {
        var random = SeededGenerator(salt: 5)
        for _ in 0..<1_500 {
            var text = grammar.sentence(using: &random)
            var isSentence = true
            while isSentence {
                text = RandomText.mutate(text, using: &random)
                isSentence = grammar.match(text).isSentence
                let isAccepted = ParsedQuery(parsing: text).diagnostics.isEmpty
                #expect(isAccepted == isSentence, "\(text.debugDescription), seed \(SeededGenerator.seed)")
                if isAccepted != isSentence { break }
            }
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
        // The run has enough cases of both.
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
