// Each warning exists, and can be disabled without the others.

import StanzaLint
import Testing

@Suite struct DisablingTests {
    /// A source with one warning and no other finding.
    struct Sample {
        let rule: LintRule
        let source: String
        var language = SourceLanguage.swift
    }

    static let samples = [
        Sample(rule: .contradictingFilters, source: #"a.find("a<b=1><b=2>")"#),
        Sample(rule: .colonInName, source: #"a.find("stream:error")"#),
        Sample(rule: .namespaceNeedsBraces, source: #"a.find("urn:xmpp:mam:2fin")"#),
        Sample(rule: .textOfChildren, source: #"a.find("a/#")"#),
        Sample(rule: .checkOfBool, source: #"a.check("a@b|bool")"#),
        Sample(rule: .truthOfBool, source: #"if([a findFirst:@"b@c|bool"])"#, language: .objectiveC),
        Sample(rule: .formInX, source: ##"a.find(#"x\@a\"#)"##),
        Sample(rule: .dotInName, source: #"a.find("a.b")"#),
        Sample(rule: .foreignValue, source: #"a.find("a<b='c'>")"#),
        Sample(rule: .splicedInterpolation, source: #"Query("c<d=\(e)>" + f)"#),
    ]

    @Test func everyWarningHasASample() {
        #expect(Self.samples.map(\.rule.name) == LintRule.warnings.map(\.name))
    }

    @Test(arguments: samples) func eachByItself(sample: Sample) {
        let (rule, others) = (sample.rule, Set(LintRule.warnings).subtracting([sample.rule]))
        func rules(without disabled: Set<LintRule>) -> [LintRule] {
            Linter(disabled: disabled, unsure: .check).findings(in: sample.source, language: sample.language).map(
                \.rule)
        }
        #expect(rules(without: []) == [rule])
        #expect(rules(without: others) == [rule])
        #expect(rules(without: [rule]).isEmpty)
    }
}
