// Calls of other libraries with the same names: which calls the linter is sure of, and its treatment of the rest.

import TestSupport
import Testing

@testable import StanzaLint

@Suite struct OtherLibrariesTests {
    private func findings(
        _ source: String, _ language: SourceLanguage, unsure: Linter.UnsureCalls = .skip
    ) -> [String] {
        Linter(unsure: unsure).findings(in: source, language: language).map {
            "\($0.start.line) \($0.severity.rawValue) \($0.rule.name)"
        }
    }

    // MARK: Swift

    static let database = """
        import Foundation
        import SQLite
        extension Query {
            static let itemInsert = Query("INSERT INTO items (a, b) VALUES (:a, :b)");
            static let itemFind = Query("SELECT * FROM items WHERE a = :a")
        }
        let user = User.find("id 1", on: db)
        let ok = validator.check("a b c")
        """

    @Test func swiftWithoutAnImportIsPassedOver() {
        #expect(findings(Self.database, .swift) == [])
    }

    @Test func swiftWithoutAnImportGivesNotes() {
        let lines = findings(Self.database, .swift, unsure: .note)
        #expect(lines == ["4 note syntax", "5 note syntax", "7 note syntax", "8 note syntax"])
        #expect(findings(Self.database, .swift, unsure: .check).count == 4)
        #expect(findings(Self.database, .swift, unsure: .check).allSatisfy { $0.contains("error") })
    }

    @Test(arguments: [
        "import StanzaQuery", "@testable import StanzaQuery", "public import XMLTree",
        "import struct StanzaQuery.Query",
        "import StanzaQueryMacros", "import XMPPSession", "import DataForms", "@_exported import XMPPSession",
        "import\n  StanzaQuery", "#if canImport(StanzaQuery)\nimport StanzaQuery\n#endif",
    ])
    func anImportMakesSure(line: String) {
        #expect(findings(line + "; x.find(\"a//b\")", .swift).count == 1, "\(line)")
    }

    @Test(arguments: [
        "import Foundation", "// import StanzaQuery\n", "let s = \"import StanzaQuery\"", "import StanzaQueryOther",
        "x.import(StanzaQuery)", "import Handlers", "import A.StanzaQuery", "",
    ])
    func textThatIsNotAnImport(line: String) {
        #expect(findings(line + "; x.find(\"a//b\")", .swift) == [], "\(line)")
    }

    /// A file may use a database, too.
    @Test func labelsOfOthers() {
        let ours = "import StanzaQuery; "
        #expect(findings(ours + #"User.find("id 1", on: db)"#, .swift) == [])
        #expect(findings(ours + #"Query("SELECT *", in: db)"#, .swift) == [])
        #expect(findings(ours + #"User.find("id 1", on: db)"#, .swift, unsure: .note) == ["1 note syntax"])
        #expect(findings(ours + #"x.find("a//b", as: Int.self)"#, .swift).count == 1)
        #expect(findings(ours + #"x.find("a//b", arguments: y, as: Int.self)"#, .swift).count == 1)
        #expect(findings(ours + #"Query("a//b", options: [])"#, .swift).count == 1)
        #expect(findings(ours + #"x.find("a//b", f(on: db))"#, .swift).count == 1)
    }

    @Test func splicedLiteralsNeedAnImport() {
        let call = #"Query("a<b=\(c)>" + d)"#
        #expect(findings(call, .swift) == [])
        #expect(findings("import XMLTree; " + call, .swift) == ["1 warning spliced-interpolation"])
        let other = #"Query("a<b=\(c)>" + d, on: db)"#
        #expect(findings("import XMLTree; " + other, .swift) == [])
        #expect(findings("import XMLTree; " + other, .swift, unsure: .note) == ["1 note spliced-interpolation"])
        let options = #"Query(f ? "a<b=\(c)>" : d, options: [])"#
        #expect(findings("import XMLTree; " + options, .swift) == ["1 warning spliced-interpolation"])
    }

    // MARK: Objective-C

    @Test(arguments: [
        #"[validator check:@"a b c"];"#, #"[self.validator check:@"a//b"];"#, #"[[Store shared] find:@"id = 1"];"#,
        #"[User findFirst:@"id = 1"];"#, #"[regex check:@"^[a-z]+$"];"#, #"[regex check:@"^\\d+\\w"];"#,
        #"[text find:@"(a|b)@c"];"#, #"[text find:@"<b>bold text</b>"];"#, #"[text find:@"{0} of {1}"];"#,
        #"[text find:@"{\"a\": 1}/"];"#, #"[text find:@"mail: me@home or"];"#, #"[text find:@"%@"];"#,
        #"[text find:@"/path//to"];"#,
    ])
    func objectiveCOfOthers(call: String) {
        #expect(findings(call, .objectiveC) == [], "\(call)")
        #expect(findings(call, .objectiveC, unsure: .note).allSatisfy { $0.hasPrefix("1 note ") })
    }

    @Test func unsureFindingsAreNotes() {
        #expect(findings(#"[validator check:@"a b c"];"#, .objectiveC, unsure: .note) == ["1 note syntax"])
        #expect(findings(#"[validator check:@"a b c"];"#, .objectiveC, unsure: .check) == ["1 error syntax"])
    }

    /// A node in the file does not make other receivers nodes.
    @Test func receiversBesideNodes() {
        let source = """
            - (void) f:(XMPPIQ*) iq {
                [validator check:@"a b c"];
                [iq check:@"a b c"];
                [[Validator for:iq] check:@"a b c"];
                [texts[iq] check:@"a b c"];
            }
            """
        #expect(findings(source, .objectiveC) == ["3 error syntax"])
    }

    @Test(arguments: [
        #"- (MLXMLNode*) x { [x check:@"a//b"]; }"#, #"- (MLXMLNode*) x:(id) y { [x check:@"a//b"]; }"#,
        #"+ (NSArray<__kindof MLXMLNode*> * _Nullable) x {} [x check:@"a//b"];"#,
        #"-(nullable XMPPIQ*)x:(id) y; [x check:@"a//b"];"#,
    ])
    func methodsAreNoReceivers(source: String) {
        #expect(findings(source, .objectiveC) == [], "\(source)")
    }

    @Test(arguments: [
        #"- (void) f:(MLXMLNode*) x { [x check:@"a//b"]; }"#, #"MLXMLNode* x = y; [x check:@"a//b"];"#,
        #"XMPPIQ *x; [x find:@"a//b"];"#, #"@property (strong) XMPPMessage* _Nullable x; [self.x find:@"a//b"];"#,
        #"for(MLXMLNode* x in y) [x check:@"a//b"];"#, #"NSArray<MLXMLNode*>* x; [x[0] find:@"a//b"];"#,
        #"^(XMPPPresence* x) { [x find:@"a//b"]; }"#, #"$$ID(XMPPIQ*, x) [x find:@"a//b"];"#,
        #"[(XMPPStanza*)x find:@"a//b"];"#, #"[((XMPPStanza*) x[0]).y find:@"a//b"];"#,
        #"[[[MLXMLNode alloc] init] check:@"a//b"];"#, #"[[MLXMLNode parse:y] check:@"a//b"];"#,
        #"@implementation XMPPDataForm - (void) f { [self find:@"a//b"]; } @end"#,
        #"@class MLXMLNode; [[y z] findFirst:@"a//b"];"#,
        #"[x check:@"a//b"]; MLXMLNode* x;"#, #"- (MLXMLNode*) x; [self.x check:@"a//b"];"#,
        // Only queries have these forms.
        #"[x check:@"{urn:x}a//b"];"#, #"[x check:@"/{%@}a//b"];"#, #"[x check:@"{*}a//b"];"#,
        #"[x check:@"/a<type=error>//b"];"#, #"[x check:@"a<type~a b>//b"];"#, #"[x check:@"a//b@c"];"#,
        #"[x check:@"a//b#"];"#, #"[x check:@"a//b@c|int"];"#, #"[x check:@"a//b/@@"];"#,
        #"[x check:@"a//b$"];"#,
    ])
    func objectiveCOfNodes(source: String) {
        #expect(findings(source, .objectiveC) == ["1 error syntax"], "\(source)")
    }

    // MARK: Lua

    @Test func luaNeedsNothing() {
        #expect(findings("stanza:find('a//b')", .lua) == ["1 error syntax"])
    }

    /// A text that cannot be a query may be one with a mistake.
    @Test(arguments: [#"stanza:find "a|boolean""#, #"stanza:find("a|boolean")"#, #"stanza:find("^a//b")"#])
    func luaSearches(source: String) {
        #expect(findings(source, .lua) == [])
        #expect(findings(source, .lua, unsure: .note).first?.hasPrefix("1 note") == true)
        #expect(findings(source, .lua, unsure: .check).first?.hasPrefix("1 error") == true)
        let ofString = source.replacing("stanza:", with: "stanza:get_text():")
        #expect(findings(ofString, .lua, unsure: .check) == [])
    }

    @Test(arguments: [#"_ = e.find("a<b=\u{85}>@b|integer"); "#, #"_ = Query(f ? "a<b=\(c)>" : d); "#])
    func manyFindings(call: String) {
        let sources = [100, 1_600].map { "import StanzaQuery\n" + String(repeating: call, count: $0) }
        for (source, count) in zip(sources, [100, 1_600]) { #expect(findings(source, .swift).count == count) }
        let growth = growth(
            from: { _ = findings(sources[0], .swift) }, to: { _ = findings(sources[1], .swift) }, below: 48)
        #expect(growth < 48, "\(growth)")
    }

    /// The cost grows with the length of the text, however many declarations and receivers it has.
    @Test(
        arguments: ["MLXMLNode*", "MLXMLNode* x, ", "[MLXMLNode", "[x check:@\"a\"", "import ", "[[x] check:@\"{\"]"],
        [SourceLanguage.swift, .objectiveC])
    func repeatedDeclarations(piece: String, language: SourceLanguage) {
        let (short, long) = (String(repeating: piece, count: 2_000), String(repeating: piece, count: 20_000))
        let growth = growth(
            from: { _ = findings(short, language) }, to: { _ = findings(long, language) }, below: 30)
        #expect(growth < 30, "\(growth)")
    }
}
