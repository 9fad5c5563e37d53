// What the linter reports beside the place and the rule of a finding, and its cost. SampleTests has the findings in
// hundreds of sources, RemarkTests those in queries.

import StanzaLint
import TestSupport
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
        let found = Linter(unsure: .check).findings(in: "\u{FEFF}a.find(\"a//b\")\na.find(\"a//b\")", language: .swift)
        #expect(found.map(\.start.column) == [11, 11] && found.map(\.start.utf16Column) == [11, 11])
    }

    /// Escapes and lines that continue: the value of the literal, and the place after them.
    @Test(arguments: [
        (SourceLanguage.objectiveC, #"[iq find:@"\u00e9/\u65e5@b|integer"];"#, "1:28", "\u{E9}/\u{65E5}@b|integer"),
        (.objectiveC, #"[iq find:@"\U0001F600@b|integer"];"#, "1:25", "\u{1F600}@b|integer"),
        (.objectiveC, "[iq find:@\"a@\\\nb|integer\"];", "2:3", "a@b|integer"),
        (.objectiveC, #"[iq find:@"\a\?@b|integer"];"#, "1:12", "\u{7}?@b|integer"),
        (.objectiveC, #"[iq find:@"\v\f\b@c|integer"];"#, "1:12", "\u{B}\u{C}\u{8}@c|integer"),
        (.objectiveC, "[a find:@\"b\\\r\n//c\\e@d|x\"]", "2:2", "b//c\u{1B}@d|x"),
        // Literals are joined before they are read as text.
        (.objectiveC, #"[iq find:@"\xe2" "\x82\xac@b|integer"]"#, "1:30", "€@b|integer"),
        (.lua, #"s:find('{u}\u{e9}@b|integer')"#, "1:21", "{u}\u{E9}@b|integer"),
        (.lua, "s:find('{u}x@\\\nb|integer')", "1:14", "{u}x@\nb|integer"),
        (.lua, "a:find('{b}c\\\r\n/d')", "1:13", "{b}c\n/d"),
        (.lua, #"s:find('{\a\b\f\v}a@b|integer')"#, "1:23", "{\u{7}\u{8}\u{C}\u{B}}a@b|integer"),
        (.lua, "s:find('{u}a\\z\n   @b|integer')", "2:7", "{u}a@b|integer"),
        // Indentation is that of the source's lines.
        (.swift, "a.find(\n    \"\"\"\n    a\\ \n    @b\\n c\n    \"\"\")", "4:7", "a@b\n c"),
    ]) func escapes(language: SourceLanguage, source: String, place: String, query: String) throws {
        let finding = try #require(Linter(unsure: .check).findings(in: source, language: language).first)
        #expect("\(finding.start.line):\(finding.start.column)" == place && finding.query == query)
    }

    /// In them `self` is not an element, in any surroundings.
    @Test func typesAndStaticMembersInExtensionsOfElements() {
        let source = """
            extension Element {
                struct Form: P where A == B { func f() { find("a//b") } ; var x: Int { find("a//b") } }
                func f() throws { try find("a//4") }
                enum E { case x(Element); func f() { check("a//b") } ; class C { func g() { find("a//b") } } }
                final class C { init() { findFirst("a//b") } ; struct Inner {} ; func f() { find("a//b") } }
                actor A { func f() { find("a//b") } }
                static func make(_ a: () -> Void = {}, b: [Int] = [], c: () -> Int = { 1 }) { find("a//b") }
                var count: Int { find("a//8") }
                static let all: [Int] = { find("a//b") }()
                static var none = 0
                func g(class: Int, static: Int, extension: Int) { find("a//11") }
                class func h() { find("a//b") }
                class var h: Int { find("a//b") }
                func local() { struct S { func f() { find("a//b") } } ; find("a//14") }
                init(x: Int) { if let y = x.class { find("a//15") } }
                func h() { items.map { find("a//16") } ; switch x { case .a: find("a//16"); default: break } }
                subscript(i: Int) -> Int { find("a//17") }
                static subscript(i: Int) -> Int { find("a//b") }
            }
            func f() { find("a//b") }
            """
        let lines = Linter(unsure: .check).findings(in: source, language: .swift).map(\.start.line)
        #expect(lines == [3, 8, 11, 14, 15, 16, 16, 17])
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

    private func count(_ source: String, _ language: SourceLanguage) -> Int {
        Linter(unsure: .check).findings(in: source, language: language).count
    }

    /// The linter reads any text to its end.
    @Test(arguments: SourceLanguage.allCases) func everyPrefixIsRead(language: SourceLanguage) {
        let pieces = [
            #"a.find("a\u{61}\(b("c"))//\\", "#, ##"#"\#(d)"#"##, " 'x') ", #"[a find:@"b" "\x6"] "#,
            "s:find[==[a]=]]==] ", "\"\"\"\"", "\n é /* -- ",
        ]
        let source = pieces.joined()
        for end in source.indices { #expect(count(String(source[..<end]), language) < 8) }
    }

    /// With quadratic cost these would take many minutes.
    @Test(.timeLimit(.minutes(60)), arguments: SourceLanguage.allCases)
    func theCostIsLinear(language: SourceLanguage) {
        func repeated(_ text: String, _ times: Int) -> String { String(repeating: text, count: times) }
        let hashes = repeated("#", 1 << 18)
        #expect(count(hashes, language) == 0)
        #expect(count("x.find(\"\\(\(hashes)", language) == 0)
        let call = language == .objectiveC ? "[é find:@\"a//b\"];" : "é:find(\"a//b\");é.find(\"a//b\");"
        let long = Linter(unsure: .check).findings(
            in: repeated(call, 4_000) + repeated(" ", 1 << 18), language: language)
        #expect(long.count == 4_000)
        let shift = language == .objectiveC ? 4_000 : language == .lua ? 7_999 : 8_000
        #expect(long.last.map { $0.start.column - $0.start.utf16Column } == shift)
        // The scan of arguments has a limit: it does not reach the end of nested arguments.
        let open = language == .objectiveC ? "[x find:@\"a\", " : language == .lua ? "x:find(\"a\", " : "x.find(\"a\", "
        let text = "\"" + repeated("b", 1 << 18)
        #expect(count(repeated(open, 300) + text + "\"", language) == 0)
        #expect(count(repeated("x.find(b ?? ", 300) + text + "\"", language) == 0)
        #expect(count(repeated("#query<", 1 << 14), language) == 0)
        for open in [
            "\"", "(", "[[", "/*", "--[[", "\"\\(", "#\"", "'", "/a ", "#/", "#/a", "(/\\/", "#/\n", "R\"(", "{", "[!",
        ] {
            #expect(count(repeated("x:find(" + open, 5_000), language) == 0)
        }
    }

    /// The cost grows with the length of the text, however many findings, declarations and receivers it has.
    @Test(arguments: [
        #"_ = e.find("a<b=\u{85}>@b|integer"); "#, #"_ = Query(f ? "a<b=\(c)>" : d); "#, "MLXMLNode*",
        "MLXMLNode* x, ", "[MLXMLNode", "[x check:@\"a\"", "import ", "[[x] check:@\"{\"]",
    ])
    func repeatedPieces(piece: String) {
        for language in [SourceLanguage.swift, .objectiveC] {
            func find(_ times: Int) {
                let source = "import StanzaQuery\n" + String(repeating: piece, count: times)
                let found = Linter().findings(in: source, language: language).count
                #expect(!piece.hasPrefix("_") || language == .objectiveC || found == times)
            }
            #expect(growth(from: { find(400) }, to: { find(6_400) }, below: 48) < 48, "\(language)")
        }
    }
}
