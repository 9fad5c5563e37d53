// Completions and remarks during typing, without a terminal.

import StanzaQuery
import Testing

@testable import StanzaCLI

@Suite("Repl assistant")
struct ReplAssistantTests {
    private static let stanzas = [
        """
        <iq xmlns='jabber:client' type='result' id='1'><query xmlns='urn:xmpp:mam:2' queryid='f27'>\
        <x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE'><value>urn:form</value></field>\
        <field var='start'/><reported><field var='jid'/></reported></x></query></iq>
        """,
        "<iqs xmlns='urn:other' note=''/>", "<message xmlns='jabber:client' xmlns:o='urn:attribute' o:when=''/>",
    ]

    private func assistant(
        _ texts: [String] = stanzas, isColored: Bool = false, options: QueryOptions = []
    ) throws -> ReplAssistant {
        var settings = ReplSettings()
        settings.options = options
        settings.arguments = ["result"]
        let vocabulary = StanzaVocabulary(stanzas: try texts.map { try Element(parsing: $0) })
        return ReplAssistant(vocabulary, Painter(isOn: isColored), settings: { [settings] in settings })
    }

    @Test(
        "completes the names and values at the place, conversions and commands",
        arguments: [
            ("/i", ["iq", "iqs"], "iq"), ("/{jabber:client}i", ["{jabber:client}iq"], "{jabber:client}iq"),
            ("/{urn", ["{urn:other}iqs"], "{urn:other}iqs"), ("/{*}m", ["{*}message"], "{*}message"),
            // A namespace is inserted where the place has another one, and no other names are offered.
            ("/iq/qu", [query], query), ("/iq/{", [query], query), ("qu", [query], query), ("query/", [], ""),
            ("/message/", [], ""), ("/query", [], "query"), ("/iq/\(query)/", ["{jabber:x:data}x"], "{jabber:x:data}x"),
            ("/iq/\(query)/{jabber:x:data}x/fi", ["field"], "field"), ("/iq/\(query)@q", ["queryid"], "queryid"),
            ("/iq@", ["id", "type"], ""), ("/iq<t", ["type"], "type"), ("/*@n", ["note"], "note"), ("/iq@n", [], "n"),
            ("/iq<type=", ["result>"], "result>"), ("/<type=r", ["result>"], "result>"), ("/iq<type=get>@", [], ""),
            ("/iq<type=%@>@i", ["id"], "id"), ("a<b=", [], ""), ("/message<{urn:attribute}when=", [">"], ">"),
            ("/*@{", ["{urn:attribute}when"], "{urn:attribute}when"), ("/message@o", ["o:when"], "o:when"),
            ("/iq/\(query)/\\", ["form"], "form"), ("/iq/{*}*\\{urn:form}", ["form"], "form"), ("\\r", [], "r"),
            ("/iq/\(query)/\\@", ["FORM_TYPE\\", "jid\\", "start\\"], ""), ("a@@|", [], "a@@|"),
            ("\\&j\\|", [], "j\\|"),
            ("/iq/\(query)\\{", ["urn:form}"], "urn:form}"), ("/iq/\(query)\\{urn:form}@s", ["start\\"], "start\\"),
            ("a@b|u", ["uint", "uuid", "uuidcast"], "u"), ("a@b|dat", ["datetime"], "datetime"),
            (":e", [":explain"], ":explain"), (":explain /iq@i", ["id"], "id"), ("  :time /iqs@", ["note"], "note"),
            (":", [":explain", ":help", ":quit", ":set", ":stanza", ":time"], ":"),
            (":set str", ["strict "], "strict "), (":set format ", ["json", "text", "xml"], ""),
            (":set limit ", [], ""),
            (":stanza ", [], ""), ("nothing", [], "nothing"), ("/a//", [], ""), ("/iq<id=%@><id=%@>@", [], ""),
        ])
    func completions(text: String, candidates: [String], replacement: String) throws {
        let completion = try assistant().completion(of: text)
        #expect(completion.candidates == candidates, "\(text)")
        #expect(completion.replacement == replacement, "\(text)")
    }

    private static let query = "{urn:xmpp:mam:2}query"

    @Test("lists namespaces if a name has several, and keeps the typed text")
    func namespaces() throws {
        let assistant = try assistant(["<a xmlns='u'><b xmlns='v'/><b xmlns='w'/><b/><bc/></a>"])
        let completion = assistant.completion(of: "/a/b")
        #expect(completion.candidates == ["b", "bc", "{v}b", "{w}b"] && completion.replacement == "b")
        #expect(try self.assistant(["<a><b xmlns='v'/><b xmlns='w'/></a>"]).completion(of: "b").replacement == "b")
    }

    @Test("offers no control characters and nothing that cannot be typed, and a limited number")
    func hostileNames() throws {
        let hostile = """
            <a xmlns='urn:&#x9b;31m' b='' xmlns:c='urn:\u{202E}x'><c:d/><e xmlns='urn:}'/><f xmlns='urn:&#10;'/>\
            <x xmlns='jabber:x:data'><field var='g&#x85;'/><field var='h\\i'/><field var='\(String(repeating: "j", count: 257))'/>\
            </x></a>
            """
        let hostileAssistant = try assistant([hostile])
        func candidates(_ text: String) -> [String] { hostileAssistant.completion(of: text).candidates }
        #expect(candidates("") == ["{jabber:x:data}x"] && candidates("{*}") == ["{*}d", "{*}e", "{*}f", "{*}x"])
        #expect(candidates("\\@") == [] && candidates("/*@") == ["b"])
        let children = (0..<StanzaVocabulary.maximumCount + 10).map { "<e\($0) f\($0)=''/>" }.joined()
        let many = try assistant(["<a>\(children)</a>", "<b/>"])
        #expect(many.completion(of: "").candidates.count == StanzaVocabulary.maximumCount)
        #expect(many.completion(of: "*@").candidates.count == StanzaVocabulary.maximumCount)
    }

    @Test("points at mistakes during typing")
    func remarks() throws {
        let assistant = try assistant()
        func remarks(_ line: String, width: Int = 80) -> [String] {
            assistant.remarks(on: line, promptWidth: 8, width: width)
        }
        #expect(remarks("") == [] && remarks("/iq@id|int") == [] && remarks(":help") == [] && remarks(":explain") == [])
        let unknown = remarks("a@b|integer", width: 200)
        #expect(unknown.count == 2)
        #expect(unknown.first == "            ^~~~~~~")
        #expect(unknown.last?.hasPrefix("unknown conversion 'integer'; expected one of: bool") == true)
        #expect(unknown.last?.hasSuffix("did you mean '|int'?") == true)
        #expect(remarks(":explain a@b|integer").first == "                     ^~~~~~~")
        #expect(remarks("a<b~(>").first == "            ^")
        #expect(remarks("日本@b|integer").first == "               ^~~~~~~")
        // No place is shown where control characters make it uncertain.
        #expect(remarks("  a@b|integer").first == "              ^~~~~~~")
        #expect(remarks("\ta@b|integer", width: 200).count == 1 && remarks(":time\ta@b|integer", width: 200).count == 1)
        #expect(remarks(":time\ta@b|integer").first?.hasPrefix("unknown conversion 'integer'") == true)
        // No wider than the terminal, and whole; without a place under a wrapped line.
        let narrow = remarks("a@b|integer", width: 30)
        #expect(narrow.allSatisfy { $0.count < 30 } && narrow.last?.hasSuffix("'|int'?") == true)
        #expect(remarks("a@b|integer", width: 19).first == "unknown conversion")
        #expect(remarks("a@\u{1B}[31m|integer").allSatisfy { !$0.contains("\u{1B}") })
        #expect(remarks(String(repeating: "/", count: 3_000)) == [])
    }

    @Test("uses colors if they are wanted")
    func colors() throws {
        let remarks = try assistant(isColored: true).remarks(on: "a//", promptWidth: 0, width: 80)
        #expect(remarks.allSatisfy { $0.hasPrefix("\u{1B}[31m") && $0.hasSuffix("\u{1B}[0m") })
        #expect(!Terminal.wantsColors(["NO_COLOR": "1", "TERM": "xterm"]))
        #expect(!Terminal.wantsColors(["TERM": "dumb"]))
        #expect(Terminal.wantsColors(["NO_COLOR": "", "TERM": "xterm"]))
    }
}
