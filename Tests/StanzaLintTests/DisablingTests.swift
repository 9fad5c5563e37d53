// Each warning is there, and can be switched off without the others.

import StanzaLint
import Testing

@Suite struct DisablingTests {
    /// Something that a warning is of, in Swift, and of which there is no other finding.
    private static let samples: [(rule: LintRule, source: String)] = [
        (.contradictingFilters, #"a.find("a<b=1><b=2>")"#),
        (.colonInName, #"a.find("stream:error")"#),
        (.textOfChildren, #"a.find("a/#")"#),
        (.checkOfBool, #"a.check("a@b|bool")"#),
        (.formInX, ##"a.find(#"x\@a\"#)"##),
        (.splicedInterpolation, #"a.find("c<d=\(e)>" + f)"#),
    ]

    @Test func eachByItself() {
        let source = Self.samples.map(\.source).joined(separator: "\n")
        let rules = Linter().findings(in: source, language: .swift).map(\.rule)
        #expect(rules == Self.samples.map(\.rule))
        for (rule, _) in Self.samples {
            let found = Linter(disabled: [rule]).findings(in: source, language: .swift).map(\.rule)
            #expect(found == rules.filter { $0 != rule }, "without \(rule.name)")
        }
        #expect(Linter(disabled: Set(LintRule.warnings)).findings(in: source, language: .swift).isEmpty)
    }
}
