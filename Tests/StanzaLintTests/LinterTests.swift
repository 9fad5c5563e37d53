// The linter's findings, and the code that it leaves alone, in each language.

import QuerySyntax
import StanzaLint
import Testing

struct LinterTests {
    @Test func aFindingSaysAllThatTheCompilerDoes() throws {
        let source = #"let count = try stanza.findFirst("{urn:xmpp:mam:2}fin@count|integer"); import StanzaQuery"#
        let findings = Linter().findings(in: source, language: .swift)
        let first = findings.first?.message  // unknown conversion 'integer'
        #expect(first == "unknown conversion 'integer'")
        let finding = try #require(findings.first)
        #expect(finding.rule == .error(.unknownConversion) && findings.count == 1)
        #expect(finding.hint?.hasSuffix("did you mean '|int'?") == true)
        #expect(finding.start.line == 1 && finding.start.column == 61)
        #expect(finding.end.line == 1 && finding.end.column == 68)
        #expect(finding.query == "{urn:xmpp:mam:2}fin@count|integer")
    }

    @Test func aByteOrderMarkIsNotPartOfTheFirstLine() {
        let source = "\u{FEFF}a.find(\"a//b\")\na.find(\"a//b\")"
        #expect(findings(source, .swift) == ["1:11 syntax", "2:11 syntax"])
        #expect(Linter(unsure: .check).findings(in: source, language: .swift).map(\.start.utf16Column) == [11, 11])
    }

    // MARK: Swift

    @Test func swiftCalls() {
        #expect(findings(#"a.find("a//b"); a.findFirst("a//b"); a.check("a//b")"#, .swift).count == 3)
        #expect(findings(##"Query("a//b"); #query("a//b"); try Query( "a//b" , options: [])"##, .swift).count == 3)
        // Not ours: other calls, functions of these names, declarations.
        #expect(
            findings(#"find("a//b"); x.finds("a//b"); x.Query("a//b"); x.query("a//b"); func check("a//b")"#, .swift)
                == [])
        // Built at run time.
        #expect(
            findings(#"a.find("a/" + "/b"); a.find(query); a.find(f("a//b")); a.find("a//b" as String)"#, .swift) == [])
        #expect(findings("a.find(\"a//b", .swift) == [])
    }

    /// Explicit types for the compiler precede the query.
    @Test func swiftQueriesWithTypes() {
        #expect(findings(##"#query<Int>("a//b"); #query<Pair<A, [B: C?]>>("a//b")"##, .swift).count == 2)
        #expect(findings(#"Query("a//b", as: Int.self); Query.init("a//b", as: Int.self)"#, .swift).count == 2)
        #expect(findings(#"Query.init("a//b"); try Query.init("a/\(b)/")"#, .swift).count == 2)
        #expect(findings(##"#query < 3 ("a//b"); #query<3 + (4)>("a//b"); #query<Int("a//b")"##, .swift) == [])
        #expect(findings(#"Query<Int>("a//b", as: Int.self); Query<QueryValue>.init("a//b")"#, .swift).count == 2)
        #expect(findings(#"try Query<Int>(a ? "b<c=\(d)>" : e, as: Int.self)"#, .swift).count == 1)
        #expect(findings(#"x.Query("a//b"); Query.make("a//b"); Query<Int>.make("a//b")"#, .swift) == [])
        // It takes values only in the text.
        #expect(
            findings(##"#query<Int>("a<b=%@>@c|int"); Query("a<b=\(c, default: d)>", as: Int.self)"##, .swift) == [
                "1:18 syntax"
            ])
        // The documentation excludes these: nearly all calls of these names belong to other libraries.
        #expect(findings(#"set.insert("a//b"); find("a//b"); QuerySet(["a//b"])"#, .swift) == [])
    }

    /// A method that a program adds to elements calls `find` without a receiver.
    @Test func extensionsOfElements() {
        let method = #"{ func f() throws { if a { try check("a//b") } } } find("a//b")"#
        for type in ["Element", "MutableElement", "QueryableElement", "Element: P where"] {
            #expect(findings("extension \(type) \(method)", .swift).count == 1)
        }
        for type in ["Elements", "Array where Element == A", "A: QueryableElement", "XMLTree.Element"] {
            #expect(findings("extension \(type) \(method)", .swift) == [])
        }
        #expect(findings("extension Element {} struct S \(method)", .swift) == [])
        #expect(findings("extension Element { struct T {} }} { find(\"a//b\") }", .swift) == [])
        #expect(
            findings("extension Element { let q = \"}\" /* } */; func f() { findFirst(\"a//b\") } }", .swift).count == 1
        )
        #expect(findings("@implementation Element { find(\"a//b\") }", .objectiveC) == [])
    }

    /// Values are allowed at some places of a query, and only there.
    @Test func swiftInterpolations() {
        #expect(findings(#"a.find("{\(u)}\(b[1, 2])<k=x\(f(c, d))\(e)>@\("l")")"#, .swift) == [])
        #expect(findings(##"a.check(#"a<k=\#(b)>"#); Query("\(a)/b", options: o)"##, .swift) == [])
        #expect(findings(#"a.find("a//\(b)")"#, .swift) == ["1:11 syntax"])
        #expect(findings(#"a.findFirst("a//\(b)", as: Int.self); a.check("a//\(b)")"#, .swift).count == 2)
        #expect(findings(#"a.find("a<k~\(b ? c : d)>")"#, .swift) == ["1:13 syntax"])
        #expect(findings(#"Query("{urn:\(n)}b")"#, .swift) == ["1:13 syntax"])
        #expect(findings(#"a.find("\(b)<k=%@>", c)"#, .swift) == ["1:16 syntax"])
        #expect(findings(#"a.find("a<k=\(b)>", c)"#, .swift) == ["1:9 arguments"])
        #expect(findings(#"a.find("a<k=\(b)>@c|integer")"#, .swift) == ["1:21 unknownConversion"])
        #expect(findings(##"a.find(#"a<k=\#(b)>@c|integer"#)"##, .swift) == ["1:23 unknownConversion"])
        #expect(findings(#"a.find("\(a.find("b//c"))")"#, .swift) == [])
        let lines = "a.find(\n    \"\"\"\n    \\(a)\\\n    /\\(b)c\n    \"\"\")"
        #expect(findings(lines, .swift) == ["4:6 syntax"])
    }

    /// An interpolation other than one value makes the literal a `String`, which is not a query; a default is a part of
    /// a value.
    @Test func literalsWithInterpolations() {
        #expect(findings(#"a.find("a//\(b, c)"); a.find("a//\(f: b)"); a.find("a//\( f :b)")"#, .swift) == [])
        #expect(findings(#"a.find("a/\(raw: rest)b")"#, .swift) == [])
        #expect(findings(#"a.find("a//\(b, default: "c", d)"); a.find("a//\(b, format: c)")"#, .swift) == [])
        #expect(findings(#"a.find("a//\(b, default: "c")"); Query("a//\(b[1, 2], default: c)")"#, .swift).count == 2)
        #expect(findings(#"a.find("a<k=\(b, default: "c, d")>@e")"#, .swift) == [])
        #expect(
            findings(#"a.find("a//\(M::b)"); a.find("a//\({ $0, $1 })"); a.find("a//\([b: c])")"#, .swift).count == 3)
    }

    /// The macro takes interpolations only, and reports by itself which are invalid.
    @Test func interpolationsOfTheMacro() {
        #expect(findings(##"#query("a<b=\(c)>@d|int"); #query("a//\(b, default: "c")")"##, .swift) == [])
        #expect(findings(##"#query("a//\(b)"); #query("a<b~\(c)>")"##, .swift) == ["1:11 syntax", "1:32 syntax"])
        #expect(
            findings(##"#query("a<b=%@>"); #query("a<b=%@>/c<d=\(e)>")"##, .swift) == ["1:13 syntax", "1:32 syntax"])
        #expect(findings(##"#query("a<b~(>")"##, .swift).count == 1)
    }

    /// A specifier does not hide later warnings.
    @Test func warningsAfterArguments() {
        #expect(findings(#"a.check("a<b=%@>@c|bool", d)"#, .swift) == ["1:20 check-of-bool"])
        #expect(findings(#"a.check("a<b=\(d)>@c|bool")"#, .swift) == ["1:22 check-of-bool"])
        #expect(findings(##"a.check(#"x<t=%@>\@f\"#, d)"##, .swift) == ["1:11 form-in-x"])
        #expect(findings(#"a.find("a<b=%@><c=1><c=2>", d)"#, .swift) == ["1:21 contradicting-filters"])
        #expect(findings(#"a.find("a<b=\(d)><c=1><c=2>")"#, .swift) == ["1:23 contradicting-filters"])
        #expect(
            findings(#"a.find("\(a)/#"); a.find("s:a<b=\(c)>")"#, .swift) == [
                "1:14 text-of-children", "1:27 colon-in-name",
            ])
        // Two values may be the same, and so may two names be different.
        #expect(findings(#"a.find("a<b=\(c)><b=\(d)><b=e>"); a.find("a<\(b)=1><\(c)=2>")"#, .swift) == [])
    }

    @Test func swiftLiterals() {
        #expect(findings(##"a.find(#"a\{f}@b\|nothing"#)"##, .swift) == ["1:19 unknownConversion"])
        #expect(findings(#"a.find("a\\{f}@b\\|nothing")"#, .swift) == ["1:20 unknownConversion"])
        #expect(findings(#"a.find("\u{61}\t|int")"#, .swift).count == 1)
        let lines = "a.find(\n    \"\"\"\n    a/\n    \"\"\")"
        #expect(findings(lines, .swift) == ["3:7 syntax"])
        // Indentation is that of the source's lines, for any kind of line break.
        let continued = "a.find(\n    \"\"\"\n    a\\ \n    @b\\n c\n    \"\"\")"
        #expect(Linter(unsure: .check).findings(in: continued, language: .swift).map(\.query) == ["a@b\n c"])
        #expect(findings("/* a.find(\"a//b\") /* */ a.find(\"a//b\") */ // a.find(\"a//b\")\n", .swift) == [])
        #expect(findings(#"let s = "a.find(\"a//b\")""#, .swift) == [])
        // The documentation excludes these.
        #expect(findings(#"let s = "\(a.find("a//b"))"; StanzaQuery.Query("a//b")"#, .swift) == [])
    }

    @Test func argumentsAreCountedWhereTheyCanBeSeen() {
        #expect(findings(#"a.find("/<id=%@><type=%@>", x)"#, .swift) == ["1:9 arguments"])
        #expect(findings(#"a.find("/<id=%@>", f(x, y), as: String.self)"#, .swift) == [])
        #expect(findings(#"a.find("/<id=%@>")"#, .swift) == ["1:9 arguments"])
        #expect(findings(#"a.find("/<id=%@>", arguments: xs)"#, .swift) == [])
        #expect(findings(#"a.check("/<id=a>", x)"#, .swift) == ["1:10 arguments"])
        #expect(findings(#"Query("/<id=%@>")"#, .swift) == [])
        #expect(findings(#"[a find:@"/<id=%@>", [x y:z], 1]"#, .objectiveC) == ["1:11 arguments"])
        // A pack has any number of arguments.
        #expect(findings(#"a.find("/<id=%@><type=%@>", repeat each arguments)"#, .swift) == [])
        #expect(findings(#"a.find("/<id=%@>", x, repeat (each xs).name, as: type)"#, .swift) == [])
        #expect(findings(#"a.find("/<id=%@>", repeated, x)"#, .swift) == ["1:9 arguments"])
    }

    // MARK: Objective-C

    @Test func objectiveCCalls() {
        #expect(
            findings(#"[iq check:@"a//b"]; [iq find:@"a//b"]; [[a b:c] findFirst:@"a//b"];"#, .objectiveC).count == 3)
        #expect(
            findings(#"[iq find:@"a/" "/b"]; [iq find:@"a/" @"/b"]"#, .objectiveC) == ["1:17 syntax", "1:40 syntax"])
        #expect(findings(#"[iq find:[NSString stringWithFormat:@"a//b"]]; [iq finds:@"a//b"]"#, .objectiveC) == [])
        #expect(findings(#"char c = '"'; [iq find:@"a//b"]; // [iq find:@"a//b"]"#, .objectiveC) == ["1:28 syntax"])
        #expect(findings(#"[iq find:@"a\\{f}@b\\|integer"]"#, .objectiveC) == ["1:23 unknownConversion"])
        #expect(findings(#"[iq find:@"\x61\57\057b"]"#, .objectiveC) == ["1:19 syntax"])
    }

    // MARK: Lua

    @Test func luaCalls() {
        #expect(
            findings(#"stanza:find("a//b"); stanza:find('a//b'); stanza:find"a//b"; stanza:find[[a//b]]"#, .lua).count
                == 4)
        // String searches: patterns, and the start of the search.
        let searches = ##"s:find("^a//b"); s:find("a//%d"); s:find("a$"); s:find("a//b", 1, true); find("a//b")"##
        #expect(Linter().findings(in: searches, language: .lua).isEmpty)
        #expect(
            findings("-- stanza:find('a//b')\n--[==[ stanza:find('a//b') ]==] stanza:find('a//\\98')", .lua) == [
                "2:48 syntax"
            ])
    }

    // MARK: Ignoring

    @Test func linesCanBeIgnored() {
        #expect(findings("a.find(\"a//b\") // stanza-lint: ignore\na.find(\"a//b\")", .swift) == ["2:11 syntax"])
        #expect(findings("a.find(\n\"a//b\") // stanza-lint: ignore  \n", .swift) == [])
        #expect(findings("s:find('a//b') -- stanza-lint: ignore", .lua) == [])
        #expect(findings("s:find('a//b') // stanza-lint: ignore", .lua) == ["1:11 syntax"])
    }

    @Test func warningsHaveNames() {
        for rule in LintRule.warnings { #expect(LintRule(warning: rule.name) == rule) }
        #expect(LintRule(warning: "syntax") == nil)
    }

    // MARK: Warnings

    @Test(
        arguments: [
            ("a<b=1><b=2>", "contradicting-filters"), ("a<b=1><b=1><c=2>", nil), ("a<b=1><b~1>", nil),
            ("a<b=1>/c<b=2>", nil),
            ("stream:error", "colon-in-name"), ("{urn:x}a:b/c", "colon-in-name"), ("{urn:x:y}a<b:c=1>@d:e", nil),
            ("a/#", "text-of-children"), ("a/*#", nil), ("a#", nil), ("#", nil), ("../#", nil),
            ("a/b/#|int", "text-of-children"),
            ("a@b|bool", "check-of-bool"), ("a@b|int", nil),
            ("x\\{f}@a\\", "form-in-x"), ("{jabber:x:data}x\\@a\\", nil), ("\\@a\\", nil), ("x@a", nil),
            ("y\\@a\\", nil),
        ] as [(String, String?)])
    func probableMistakes(query: String, rule: String?) {
        let found = Linter(unsure: .check).findings(in: "a.check(#\"\(query)\"#)", language: .swift)
        #expect(found.map(\.rule.name) == (rule.map { [$0] } ?? []), "\(query)")
        #expect(found.allSatisfy { !$0.rule.isError })
    }

    /// With options, values that differ in case may be the same.
    @Test func optionsChangeHowFiltersCompare() {
        #expect(findings(#"Query("a<b=X><b=x>", options: .caseInsensitiveFilters)"#, .swift) == [])
        #expect(findings(#"Query("a<b=X><b=x>")"#, .swift) == ["1:14 contradicting-filters"])
    }

    /// The query may contain anything: control characters, line breaks, and characters that change the direction of
    /// writing.
    @Test(arguments: [
        #"a.find("b<c=\n1><c=\u{1B}[2J\u{2028}>")"#, #"a.find("b\u{7}/\n#")"#, #"a.find("a\u{200D}:b\u{200C}")"#,
        #"a.find("urn:x:1b\u{200D}")"#, #"a.find("b|\u{202E}tni")"#, #"a.find("<\u{85}=\n>")"#,
    ])
    func messagesAreOneLine(source: String) throws {
        let findings = Linter(unsure: .check).findings(in: source, language: .swift)
        #expect(!findings.isEmpty)
        for text in findings.flatMap({ [$0.message, $0.hint ?? ""] }) {
            let categories = text.unicodeScalars.map(\.properties.generalCategory)
            #expect(Set(categories).isDisjoint(with: [.control, .format, .lineSeparator, .paragraphSeparator]))
        }
    }

    // MARK: Anything

    /// The linter reads any text to its end.
    @Test(arguments: SourceLanguage.allCases) func everyPrefixIsRead(language: SourceLanguage) {
        let pieces = [
            #"a.find("a\u{61}\(b("c"))//\\", "#, ##"#"\#(d)"#"##, " 'x') ", #"[a find:@"b" "\x6"] "#,
            "s:find[==[a]=]]==] ",
            "\"\"\"\"", "\n é /* -- ",
        ]
        let source = pieces.joined()
        for end in source.indices { _ = findings(String(source[..<end]), language) }
        #expect(findings(source, language).count < 4)
    }
}
