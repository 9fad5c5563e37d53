// The grammar file against the parser: both must describe the same language, and the same place for every mistake. The
// tests compare them on sentences of the grammar, on sentences with small changes, and on noise; also with slots.

import Foundation
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

    /// Other tests rely on sentences that use every part of every rule.
    @Test func sentencesUseEveryPartOfEveryRule() {
        var random = SeededGenerator(salt: 61)
        for rule in grammar.rules.keys.sorted() {
            var coverage = GrammarCoverage(of: grammar.starting(at: rule))
            for sentence in grammar.sentences(ofAllPartsOf: rule, using: &random) {
                let isSentence = coverage.accept(sentence)
                #expect(isSentence, "\(sentence.debugDescription) of \(rule), seed \(SeededGenerator.seed)")
            }
            let unused = coverage.parts.filter { $0.key.rule == rule && !coverage.used.contains($0.key) }
            #expect(unused.isEmpty, "\(rule), seed \(SeededGenerator.seed)")
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

    /// The parser accepts what the grammar does. A syntax error begins at the first character that cannot continue a
    /// query.
    @Test func parserAndGrammarAgreeOnNoise() {
        var random = SeededGenerator(salt: 3)
        var accepted = 0
        for index in 0..<6_000 {
            let query =
                switch index % 3 {
                case 0: RandomText.make(upTo: 8, using: &random)
                case 1: RandomText.mutate(grammar.sentence(using: &random), using: &random)
                default: RandomText.mutate(RandomText.make(upTo: 5, using: &random), using: &random)
                }
            let comment: Comment = "\(query.debugDescription), seed \(SeededGenerator.seed)"
            let diagnostics = ParsedQuery(parsing: query).diagnostics
            if diagnostics.isEmpty { accepted += 1 }
            #expect(grammar.match(query).isSentence == diagnostics.isEmpty, comment)
            let match = lenient.match(query)
            let expected = match.isSentence ? nil : match.viableLength
            #expect(diagnostics.first { $0.kind == .syntax }?.range.lowerBound == expected, comment)
        }
        // The run has enough cases of both.
        #expect(accepted > 400 && accepted < 4_500, "\(accepted) accepted")
    }

    @Test func exceptionsKeepTheirRules() {
        for (text, length) in [("{a}..", 5), ("{a}...", nil), ("@{*}a", 3), ("a<b=%1000d>", nil), ("a<b=%1001d>", 8)] {
            let match = grammar.match(text)
            #expect(match.isSentence == (length == nil) && match.viableLength == length ?? text.utf8.count, "\(text)")
        }
    }

    @Test func namesEndWhereXMLSays() {
        var edges: Set<UInt32> = Set(0...0x100)
        for name in ["nameChar", "nameStartChar"] {
            guard case .choice(let alternatives)? = grammar.rules[name] else { continue }
            for case .set(let set) in alternatives {
                for range in set.ranges { edges.formUnion([range.lowerBound, range.upperBound]) }
            }
        }
        #expect(edges.count > 270)
        let inNames = grammar.starting(at: "nameChar")
        for value in edges.flatMap({ [$0 &- 1, $0, $0 + 1] }) {
            guard let scalar = Unicode.Scalar(value), scalar.value > 0x20 else { continue }
            let query = ParsedQuery(parsing: "a\(scalar)b")
            let isName =
                query.diagnostics.isEmpty && query.tree.nodes.count == 1
                && query.tree.nodes[0].range == 0..<query.source.utf8.count
            #expect(isName == inNames.match(String(scalar)).isSentence, "U+\(String(value, radix: 16))")
        }
    }
}
