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
        let vocabulary = StanzaVocabulary(try texts.map { try Element(parsing: $0) })
        return ReplAssistant(vocabulary, Painter(isOn: isColored), options: { options })
    }

    @Test(
        "completes names that occur in the stanzas, conversions and commands",
        arguments: [
            ("/i", ["iq", "iqs"], "q"), ("/{jabber:client}i", ["iq"], "q"), ("/iq/qu", ["query"], "ery"),
            ("/{urn:x", ["urn:xmpp:mam:2}"], "mpp:mam:2}"), ("{urn:", ["urn:other}", "urn:xmpp:mam:2}"], ""),
            ("/iq@", ["id", "type"], ""), ("/iq<t", ["type"], "ype"), ("*@q", ["queryid"], "ueryid"),
            ("unknown@n", ["note"], "ote"),
            ("a@{", ["urn:attribute}"], "urn:attribute}"), ("a<{urn:attribute}", ["when"], "when"),
            ("\\", ["form"], "form"), ("iq/\\{urn:form}", ["form"], "form"), ("\\r", [], ""),
            ("\\@", ["FORM_TYPE\\", "jid\\", "start\\"], ""), ("a@@|", [], ""), ("\\&j\\|", [], ""),
            ("\\{", ["urn:form}"], "urn:form}"), ("\\{urn:form}@s", ["start\\"], "tart\\"), ("\\&j", ["jid\\"], "id\\"),
            ("a@b|u", ["uint", "uuid", "uuidcast"], ""), ("a@b|dat", ["datetime"], "etime"),
            (":e", [":explain"], "xplain"), (":explain /iq@i", ["id"], "d"), ("  :time iqs@", ["note"], "note"),
            (":", [":explain", ":help", ":quit", ":set", ":stanza", ":time"], ""),
            (":set str", ["strict "], "ict "), (":set format ", ["json", "text", "xml"], ""), (":set limit ", [], ""),
            (":stanza ", [], ""), ("nothing", [], ""), ("a<b=", [], ""),
        ])
    func completions(text: String, candidates: [String], insertion: String) throws {
        let completion = try assistant().completion(of: text)
        #expect(completion.candidates == candidates, "\(text)")
        #expect(completion.insertion == insertion, "\(text)")
    }

    @Test("offers no control characters and nothing that cannot be typed, and a limited number")
    func hostileNames() throws {
        let hostile = """
            <a xmlns='urn:&#x9b;31m' b='' xmlns:c='urn:\u{202E}x'><c:d/><e xmlns='urn:}'/><f xmlns='urn:&#10;'/>\
            <x xmlns='jabber:x:data'><field var='g&#x85;'/><field var='h\\i'/><field var='\(String(repeating: "j", count: 257))'/>\
            </x></a>
            """
        let vocabulary = StanzaVocabulary([try Element(parsing: hostile)])
        #expect(vocabulary.namespaces.all(of: nil) == ["jabber:x:data"])
        #expect(vocabulary.fields.all(of: nil) == [])
        #expect(vocabulary.attributes.all(of: nil).sorted() == ["b", "var"])
        let children = (0..<StanzaVocabulary.maximumCount + 10).map { "<e\($0) f\($0)=''/>" }.joined()
        let many = StanzaVocabulary([try Element(parsing: "<a>\(children)</a>")])
        #expect(many.elements.all(of: nil).count == StanzaVocabulary.maximumCount)
        #expect(many.attributes.all(of: nil).count == StanzaVocabulary.maximumCount)
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
        #expect(remarks("\ta@b|integer").count == 1 && remarks(":time\ta@b|integer").count == 1)
        #expect(remarks(":time\ta@b|integer").first?.hasPrefix("unknown conversion 'integer'") == true)
        // No wider than the terminal; without a place under a wrapped line.
        #expect(remarks("a@b|integer", width: 30).allSatisfy { $0.count < 30 })
        #expect(remarks("a@b|integer", width: 19).count == 1)
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
