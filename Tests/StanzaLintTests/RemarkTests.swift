// Remarks on queries that are legal but probably wrong: names with a colon, a namespace or a dot, values of other
// languages, filters that contradict each other. Each has a name, and can be disabled without the others.

import QuerySyntax
import Testing

@testable import StanzaLint

@Suite struct RemarkTests {
    /// The findings about a query.
    private func findings(_ query: String) -> [LintFinding] {
        Linter(unsure: .check).findings(in: "a.find(#\"\(query)\"#)", language: .swift)
    }

    // MARK: Names

    @Test(
        arguments: [
            ("stream:error", "did you mean '{http://etherx.jabber.org/streams}error'?"),
            ("{*}stream:error", "did you mean '{http://etherx.jabber.org/streams}error'?"),
            ("a/b:c", "write '{namespace}c', with the namespace of 'b'"),
            ("streams:error", "write '{namespace}error', with the namespace of 'streams'"),
            ("{*}b:c", "did you mean '{*}c'?"), ("{urn:x}b:c<d=e>", "did you mean '{urn:x}c'?"),
            ("{urn:x}stream:c", "did you mean '{urn:x}c'?"),
            ("stream:a:b", nil), ("{*}a:b:c", nil), ("a:", nil), (":a", nil), ("!a:b", nil),
        ] as [(String, String?)])
    func aPrefixIsNotPartOfAName(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .colonInName && findings(query).count == 1)
        #expect(finding.message.contains(": names have no colon here"))
        #expect(finding.hint == hint)
    }

    @Test(
        arguments: [
            ("/urn:xmpp:foo:0name", "did you mean '{urn:xmpp:foo:0}name'?"),
            ("a/urn:xmpp:mam:2fin@complete", "did you mean '{urn:xmpp:mam:2}fin'?"),
            ("a<urn:x:1b=c>", "did you mean '{urn:x:1}b'?"), ("a@urn:x:12é", "did you mean '{urn:x:12}é'?"),
            // The end of these namespaces is unknown.
            ("jabber:x:datax", nil), ("jabber:iq:roster/item", nil), ("urn:xmpp:foo:tmpname", nil),
            ("urn:xmpp:mam:2", nil), ("urn:ietf:params:xml:ns:xmpp-stanzastext", nil), ("jabber:client", nil),
            ("urn:x:2-3", nil), ("urn:2x", nil),
        ] as [(String, String?)])
    func aNamespaceNeedsBraces(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .namespaceNeedsBraces && !finding.rule.isError && findings(query).count == 1)
        #expect(finding.message.hasSuffix("': write a namespace in braces, '{namespace}name'"))
        #expect(finding.hint == hint)
    }

    @Test(
        arguments: [
            ("a.b", "did you mean 'a/b'?"), (".a.b", "did you mean 'a/b'?"), ("x/a.b#", "did you mean 'a/b'?"),
            (".", "leave it out: a path begins at the element itself"),
            ("./a", "leave it out: a path begins at the element itself"),
        ])
    func aDotPartsNothing(query: String, hint: String) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .dotInName && finding.severity == .warning && findings(query).count == 1)
        #expect(finding.hint == hint)
    }

    @Test(
        arguments: [
            (#"a<b="c">"#, "did you mean 'a<b=c>'?"), ("a<b='c d'>@e", "did you mean 'a<b=c d>@e'?"), ("a<b=''>", nil),
            ("a<b==c>", "did you mean 'a<b=c>'?"), ("a<b==>", nil), ("a<b=='c'>", "did you mean 'a<b=c>'?"),
            ("a<x:é='ü%%'>", "did you mean 'a<x:é=ü%%>'?"), ("a<b=?>", "did you mean 'a<b=%@>'?"),
            ("a<b=:id>", "did you mean 'a<b=%@>'?"), ("a<b=$1>", "did you mean 'a<b=%@>'?"),
            ("a<b=c or b=d>", "did you mean 'a<b~^(c|d)$>'?"), ("a<b=c|d>", "did you mean 'a<b~^(c|d)$>'?"),
            ("a<b=c or b='d'>", "did you mean 'a<b~^(c|d)$>'?"), ("{'urn:x'}a", "did you mean '{urn:x}a'?"),
        ] as [(String, String?)])
    func valuesOfOtherLanguages(query: String, hint: String?) throws {
        let finding = try #require(findings(query).first)
        #expect(finding.rule == .foreignValue && finding.severity == .warning && findings(query).count == 1)
        #expect(finding.hint == hint)
    }

    @Test(arguments: [
        "..", "a/../b", "a<b='c>", "a<b=c'>", "a<b='>", "a<b~'c'>", "a<b~=c>", "a<b=c.d>", "a<b=c|>", "a<b=to or fro!>",
        "a<b=:>", "a@b.c", "{u.v}a",
    ])
    func usualQueries(query: String) {
        #expect(findings(query).isEmpty)
    }

    /// Missing braces give no warning in a query that does not compile.
    @Test func whatDoesNotCompile() {
        #expect(findings("http://jabber.org/protocol/muc#user").map(\.rule) == [.error(.syntax)])
        #expect(findings("http://jabber.org/protocol/muc#user").map(\.message) == ["a namespace without braces"])
        #expect(findings("http://jabber.org/protocol/muc#user").first?.hint?.contains("did you mean") == false)
        #expect(findings("urn:x:1}a").first?.hint?.hasSuffix("did you mean '{urn:x:1}a'?") == true)
        #expect(findings("/@<type=error>@id").first?.hint?.hasSuffix("did you mean '/<type=error>@id'?") == true)
    }

    @Test(arguments: [
        "a<xml:lang=de>@xml:lang", "{urn:x:0}a", "a@urn:x", "a<{urn:x:0}b=urn:x:1>@{jabber:x:data}c", "a<b~urn:x:0c>",
        "a@stream:b", "a#", "..", "\\{urn:x:0}@a:b:c\\",
    ])
    func namesThatAreRight(query: String) {
        #expect(findings(query).isEmpty)
    }

    // MARK: Contradictions

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

    @Test(
        arguments: [
            ("a<b=1><b=2>", "contradicting-filters"), ("{urn:x}a:b/c", "colon-in-name"), ("{urn:x:y}a<b:c=1>@d:e", nil),
            ("a/#", "text-of-children"), ("a/*#", nil), ("a#", nil), ("#", nil), ("../#", nil),
            ("a/b/#|int", "text-of-children"), ("a@b|bool", "check-of-bool"), ("a@b|int", nil),
            ("x\\{f}@a\\", "form-in-x"), ("{jabber:x:data}x\\@a\\", nil), ("\\@a\\", nil), ("x@a", nil),
            ("y\\@a\\", nil),
        ] as [(String, String?)])
    func probableMistakes(query: String, rule: String?) {
        let found = Linter(unsure: .check).findings(in: "a.check(#\"\(query)\"#)", language: .swift)
        #expect(found.map(\.rule.name) == (rule.map { [$0] } ?? []), "\(query)")
        #expect(found.allSatisfy { !$0.rule.isError })
    }

    // MARK: Rules

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

    @Test func everyWarningHasANameAndASample() {
        for rule in LintRule.warnings { #expect(LintRule(warning: rule.name) == rule) }
        #expect(LintRule(warning: "syntax") == nil)
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
