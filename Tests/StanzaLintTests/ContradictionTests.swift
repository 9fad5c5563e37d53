// The linter reports filters that nothing passes, and only those that certainly match nothing.

import QuerySyntax
import Testing

@testable import StanzaLint

@Suite struct ContradictionTests {
    @Test(arguments: [
        ("a<b=1><b=2>", "'b' cannot be '1' and '2' at once"),
        ("a<b=1><b~2>", "'b' cannot be '1' and match '2' at once"),
        ("a<b~^2$><c~x><b=12>", "'b' cannot be '12' and match '^2$' at once"),
        ("a<b=X><b~x>", "'b' cannot be 'X' and match 'x' at once"),
        (#"a<xml:lang=de><xml:lang~\d>"#, #"'xml:lang' cannot be 'de' and match '\d' at once"#),
        ("a<{u}b=1><{u}b=2>", "'{u}b' cannot be '1' and '2' at once"),
        ("a<b=e\u{301}><b=\u{E9}>", "'b' cannot be 'e\u{301}' and '\u{E9}' at once"),
        ("a<b=100%%><b~%%>", "'b' cannot be '100%' and match '%%' at once"),
        // The namespace of an element is its 'xmlns'.
        ("{u}a<xmlns=v>", "'xmlns' cannot be 'u' and 'v' at once"),
        ("{u}a<xmlns~v>", "'xmlns' cannot be 'u' and match 'v' at once"),
        ("{*}a<xmlns=v><xmlns~u>", "'xmlns' cannot be 'v' and match 'u' at once"),
        ("{u}a/b/!c<xmlns=v>", "'xmlns' cannot be 'u' and 'v' at once"),
        ("a<xmlns=u>/b<xmlns=v>", "'xmlns' cannot be 'u' and 'v' at once"),
    ])
    func whatNothingPasses(query: String, message: String) throws {
        let findings = findings(query)
        #expect(findings.map(\.rule) == [.contradictingFilters], "\(query)")
        let shown = try #require(findings.first).message
        #expect(Array(shown.unicodeScalars) == Array(message.unicodeScalars), "\(shown)")
    }

    @Test func aQueryHasAsManyWarningsAsMistakes() {
        let filters = (0...2 * QueryLimits.diagnostics).map { "<b=\($0)>" }.joined()
        let findings = findings("a" + filters)
        #expect(findings.count == QueryLimits.diagnostics)
        #expect(findings.last?.message == "'b' cannot be '0' and '\(QueryLimits.diagnostics)' at once")
        #expect(findings.allSatisfy { $0.query == "a" + filters })
    }

    @Test func aLongValueIsCut() {
        let value = String(repeating: "é", count: 2 * LintFinding.shownScalars)
        let messages = findings("a<b=\(value)><b=2>").map(\.message)
        #expect(messages == ["'b' cannot be '\(value)".prefix(LintFinding.shownScalars) + "…"])
        let names = findings("u:\(value)")
        #expect(names.map(\.message.unicodeScalars.count) == [LintFinding.shownScalars + 1])
        #expect(names.map { $0.hint?.unicodeScalars.count } == [LintFinding.shownScalars + 1])
    }

    @Test func eachContradictionHasItsPlace() {
        let findings = findings("a<b~^2><b=1><b=3><c=4>/d<b=2><b~3>")
        #expect(findings.map(\.start.column) == [11, 22, 39])
    }

    @Test(arguments: [
        "a<b=1><b=1>", "a<b=1><c=2>", "a<b=1>/a<b=2>", "a<b=12><b~1><b~2$>", "a<b=X><b~(?i)x>", "a<b~1><b~2>",
        // Attributes other than the namespace, and namespaces other than the path's.
        "{u}a<xmlns=u><xmlns~u>", "{u}a<{v}xmlns=w>", "a<xmlns=u>", "*/a<xmlns=u>", "{*}a<xmlns=u>", "/a<xmlns=u>",
        "{u}a/{v}b<xmlns=v>", "{u}a/{*}b<xmlns=v>", "{u}a/../b<xmlns=v>", "{u}a<xmlns=u>/{*}b<xmlns=v>",
    ])
    func whatSomethingMayPass(query: String) {
        let findings = findings(query)
        #expect(findings.isEmpty, "\(query): \(findings)")
    }

    @Test(arguments: [
        #"a.find("a<b=%@><b~^1>", c)"#, #"a.find("a<b=x%@><b~^1>", c)"#, #"a.find("a<b=\(c)><b~^1><b=\(d)>")"#,
        #"a.find("a<b=x\(c)><b=y>")"#, #"a.find("a<\(b)=1><\(c)~2>")"#, #"a.find("{\(u)}a<xmlns=v>")"#,
        #"a.find("{u}a<xmlns=\(v)>")"#, #"Query("a<b=X><b~x>", options: .caseInsensitiveFilters)"#,
    ])
    func valuesKnownOnlyAtRunTime(source: String) {
        let findings = Linter(unsure: .check).findings(in: source, language: .swift)
        #expect(findings.isEmpty, "\(findings)")
    }

    /// The run time does not find them either.
    @Test func aPatternBeyondItsLimitsGivesNoFinding() {
        let long = String(repeating: "a", count: 4_097)
        #expect(findings("a<b=\(long)><b~b>").isEmpty)
        #expect(findings("a<b=\(long)><b~^b>").map(\.rule) == [.contradictingFilters])
        #expect(findings("a<b=\(String(repeating: "a", count: 40))!><b~^(a+)+$>").isEmpty)
    }
}
