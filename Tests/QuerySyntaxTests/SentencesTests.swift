// Random sentences of the grammar use the parts that they report: other tests rely on that.

import TestSupport
import Testing

@Suite struct SentencesTests {
    @Test func allPartsOfEveryRuleAreUsed() throws {
        let grammar = try EBNF.project()
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
}
