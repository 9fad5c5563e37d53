// The pages for newcomers from other languages and libraries: their tables and examples are true.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@Suite struct ComingFromTests {
    /// The cells of the tables below a heading, without their heads.
    private static func table(_ name: String, _ heading: String) throws -> [[String]] {
        let lines = try article(name).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "## \(heading)")) + 1
        let section = lines[start...].prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("| ") }.map { row in
            row.replacing(#"\|"#, with: "\u{1}").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("\u{1}", with: "|")
            }
        }.filter { $0[0] != "---" }
    }

    /// The pieces of code in a cell; an empty one is written `(empty)`.
    private static func codes(in cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`|\(empty\)/).map { $0.output.1.map(String.init) ?? "" }
    }

    private static func results(of query: String, on element: Element) throws -> [String] {
        try element.find(Query(query)).map { value in
            switch value {
            case .element(let element): "<\(element.name)>"
            case .string(let text): text
            case .attributes(let attributes): "\(attributes)"
            case .int(let number): "\(number)"
            case .date(let date): "\(Int(date.timeIntervalSince1970))"
            case .data(let data): data.base64EncodedString()
            case .field(let field): field.name ?? ""
            case .form(let form): form.rawKind ?? ""
            case .bool, .uint, .double, .uuid: "\(value)"
            }
        }
    }

    private static func stanza(in name: String) throws -> Element {
        let xml = try #require(try article(name).firstMatch(of: /```xml\n([^`]+)```/)).output.1
        return try Element(parsing: String(xml), in: .clientStream)
    }

    /// Each row of the table has the right results on the stanza of the page.
    @Test(arguments: [("XPath", 15), ("Prosody", 8), ("Slixmpp", 6), ("Martin", 8)])
    func queriesBesideOthers(name: String, count: Int) throws {
        let (page, heading) = ("ComingFrom\(name)", "From \(name == "Slixmpp" ? "slixmpp" : name) to a query")
        let iq = try Self.stanza(in: page)
        let rows = try Self.table(page, heading).dropFirst()
        #expect(rows.count == count)
        for row in rows {
            let query = try #require(Self.codes(in: row[1]).first)
            #expect(try Self.results(of: query, on: iq) == Self.codes(in: row[2]), "\(query)")
        }
    }

    @Test func whatSwiftDoesForXPath() throws {
        let iq = try Self.stanza(in: "ComingFromXPath")
        let rest = try iq.find("{*}query/*").compactMap(\.element).filter { $0.attribute("category") == nil }
        #expect(rest.map(\.name) == ["feature", "feature"])
        let cells = try Self.table("ComingFromXPath", "What Swift does").flatMap(\.self)
        #expect(
            cells.contains(
                #"`find("{*}query/*").compactMap(\.element).filter { $0.attribute("category") == nil }`"#))
    }

    // MARK: MLXMLNode

    @Test func queriesOfMonal() throws {
        let rows = try Self.table("ComingFromMLXMLNode", "Queries").dropFirst()
        #expect(rows.count == 13)
        for row in rows {
            let query = try #require(Self.codes(in: row[0]).first)
            let element = try Element(parsing: #require(Self.codes(in: row[1]).first), in: .clientStream)
            #expect(try Self.results(of: query, on: element) == Self.codes(in: row[2]), "\(query)")
        }
    }

    /// The literals of both languages are the same query.
    @Test func formQueriesOfMonal() throws {
        let iq = try Self.stanza(in: "ComingFromMLXMLNode")
        let rows = try Self.table("ComingFromMLXMLNode", "Data forms")
            .filter { $0.count == 3 && $0[0].hasPrefix("`@\"") }
        #expect(rows.count == 7)
        for row in rows {
            let objectiveC = row[0].dropFirst(3).dropLast(2).replacing(#"\\"#, with: #"\"#)
            let query = String(row[1].dropFirst(3).dropLast(3))
            #expect(objectiveC == query)
            #expect(try Self.results(of: query, on: iq) == Self.codes(in: row[2]), "\(query)")
        }
    }

    @Test func typesOfResults() throws {
        let names: [ResultKind: String] = [
            .element: "Element", .string: "String", .attributes: "StringMap", .bool: "Bool", .int: "Int",
            .uint: "UInt", .double: "Double", .datetime: "Date", .base64: "Data", .uuid: "UUID", .form: "DataForm",
            .field: "FormField",
        ]
        var kinds: Set<ResultKind> = []
        for row in try Self.table("ComingFromMLXMLNode", "Types of results").dropFirst() {
            let codes = Self.codes(in: row[0])
            for code in codes.isEmpty ? ["a"] : codes {
                let query =
                    code.hasPrefix("|") ? "a#\(code)" : code == #"\…\"# ? #"\\"# : code.replacing("field", with: "f")
                let kind = try Query(query.hasPrefix("$") || query == "#" ? "a\(query)" : query).resultKind
                #expect(Self.codes(in: row[2]).first == names[kind], "\(code)")
                kinds.insert(kind)
            }
        }
        #expect(kinds.count == names.count)
    }

    @Test func initializers() throws {
        let made: [(String, MutableElement, String)] = [
            (#"MutableElement("iq")"#, MutableElement("iq"), "<iq/>"),
            (
                #"MutableElement("iq", namespace: "jabber:client")"#,
                MutableElement("iq", namespace: "jabber:client"), "<iq xmlns='jabber:client'/>"
            ),
            (
                #"MutableElement("body", text: "Hello")"#, MutableElement("body", text: "Hello"),
                "<body>Hello</body>"
            ),
            (
                #"MutableElement("body", namespace: "jabber:client", text: "Hello")"#,
                MutableElement("body", namespace: "jabber:client", text: "Hello"),
                "<body xmlns='jabber:client'>Hello</body>"
            ),
            (
                #"MutableElement("a", attributes: ["b": "c"], children: [], text: nil)"#,
                MutableElement("a", attributes: ["b": "c"], children: [], text: nil), "<a b='c'/>"
            ),
            (
                #"MutableElement("a", namespace: "urn:x", attributes: ["b": "c"], children: [], text: nil)"#,
                MutableElement("a", namespace: "urn:x", attributes: ["b": "c"], children: [], text: nil),
                "<a xmlns='urn:x' b='c'/>"
            ),
        ]
        let cells = try Self.table("ComingFromMLXMLNode", "Making elements").map { $0[1] }
        for (code, element, xml) in made {
            #expect(element.xmlString() == xml)
            #expect(cells.contains("`\(code)`"), "\(code)")
        }
        let element = MutableElement("a")
        element["id"] = "1"
        element.text = "Hello"
        element.setNamespace("urn:x")
        let child = element.add(MutableElement("b"))
        #expect(element.xmlString() == "<a xmlns='urn:x' id='1'>Hello<b/></a>" && child.parent == element)
        #expect(element.shallowCopy().xmlString() == "<a xmlns='urn:x' id='1'/>")
        child.remove()
        #expect(element.copy().xmlString() == "<a xmlns='urn:x' id='1'>Hello</a>")
    }

    @Test func makingStanzas() throws {
        let carbons = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "set", "id": "1"])
        carbons.add(MutableElement("enable", namespace: "urn:xmpp:carbons:2"))
        #expect(
            carbons.xmlString()
                == "<iq xmlns='jabber:client' type='set' id='1'><enable xmlns='urn:xmpp:carbons:2'/></iq>")
    }

    @Test func references() throws {
        let message = try Element(parsing: "<message><body>one</body></message>").thaw()
        let body = try message.findFirst("body")?.element
        body?.copy().text = "changes nothing"
        body?.text = "changes the message"
        #expect(message.xmlString() == "<message><body>changes the message</body></message>")
    }

    @Test func specifiers() throws {
        let items = try Element(parsing: "<r><a node='urn:x:8' k='100%'/></r>")
        #expect(try items.check("a<node=urn:x:%u><k=100%%>", 8))
        #expect(try items.check("a<k~^1..%$>"))
        #expect(throws: QueryError.self) { try items.check("a<node=urn:x:%u>", "eight") }
    }

    @Test func uploadSizes() throws {
        let iq = try Element(
            parsing: """
                <iq><query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>\
                <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:http:upload:0</value></field>\
                <field var='max-file-size'><value>5242880</value></field></x></query></iq>
                """)
        let size = try iq.findFirst(
            #"{http://jabber.org/protocol/disco#info}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#,
            as: Int.self)
        #expect(size == 5_242_880)
    }

    @Test func dataForms() throws {
        var form = DataForm(.submit, formType: "urn:x:room", ["name": "value"])
        form["name"] = "new"
        form.set("name", to: ["value"], type: .textSingle)
        #expect(form.field("name")?.type == .textSingle && form["name"] == "value" && form.formType == "urn:x:room")
        form.removeField("name")
        #expect(form == DataForm(.submit, formType: "urn:x:room"))
        let iq = try Self.stanza(in: "ComingFromMLXMLNode")
        let table = try #require(try iq.findFirst(#"query/\\"#, as: DataForm.self))
        #expect(table.items.count == 2 && table.items[0].values["name"] == "first")
        #expect(table.field("name", inItem: 0)?.value == "first")
    }

    /// The language of a stream's header is not an attribute of its stanzas, as it is in Prosody (8.1).
    @Test func theLanguageOfAStream() throws {
        var parser = XMLStreamParser(mode: .stream)
        parser.feed("<s:stream xmlns='jabber:client' xmlns:s='http://etherx.jabber.org/streams' xml:lang='de'>")
        parser.feed("<message/><message xml:lang='en'/>")
        var languages: [String?] = []
        while let event = try parser.next() {
            if case .element(let stanza, _) = event { languages.append(try stanza.findFirst("/@xml:lang")?.string) }
        }
        #expect(languages == [nil, "en"])
    }

    @Test func differencesFromMonal() throws {
        let a = try Element(parsing: "<a k='V'><b/></a>")
        #expect(try !a.check("/<k=v>"))
        #expect(try a.check(Query("/<k=v>", options: .caseInsensitiveFilters)))
        #expect(throws: QueryError.self) { try Query("b#|INT") }
        #expect(try a.find("../..").count == 1 && a.find("!b").isEmpty && a.find("{*}*/..").count == 1)
    }

    @Test func makingElements() throws {
        var printed = ""
        func print(_ text: String) { printed += text + "\n" }

        let credentials = MutableElement("credentials", namespace: "urn:xmpp:extdisco:2") {
            MutableElement("service", attributes: ["type": "turn", "host": "turn.example.org"])
        }
        print(credentials.xmlString())

        #expect(try article("ComingFromMLXMLNode").contains("```text\n\(printed)```"), "\(printed)")
    }

    @Test func completeArchives() throws {
        let iq = try Element(parsing: "<iq><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let isComplete = try iq.findFirst("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self) ?? false
        #expect(isComplete)
    }

    @Test func delayedMessages() throws {
        let message = try Element(
            parsing: "<message><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></message>")
        let stamp = try message.findFirst("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self)
        #expect(stamp == Date(timeIntervalSince1970: 1_031_699_305))
    }

    @Test func subscriptions() throws {
        let (node, jid) = ("eu.siacs.conversations.axolotl.devicelist", "user@example.com")
        let result = try Element(
            parsing: """
                <iq type='result'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
                <subscription node='\(node)' subscription='subscribed' jid='\(jid)'/></pubsub></iq>
                """)
        let state = try result.findFirst(
            "/<type=result>/{http://jabber.org/protocol/pubsub}pubsub/subscription<node=%@><jid=%@>@subscription",
            node, jid, as: String.self)
        #expect(state == "subscribed")
    }
}
