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
        let cells = try Self.table("ComingFromMLXMLNode", "Making elements").map { $0[1] }
        for (code, element, xml) in [
            (#"("iq")"#, MutableElement("iq"), "<iq/>"),
            (#"("iq", namespace: "u")"#, MutableElement("iq", namespace: "u"), "<iq xmlns='u'/>"),
            (#"("body", text: "Hello")"#, MutableElement("body", text: "Hello"), "<body>Hello</body>"),
            (
                #"("a", namespace: "u", attributes: ["b": "c"], children: [], text: nil)"#,
                MutableElement("a", namespace: "u", attributes: ["b": "c"], children: [], text: nil),
                "<a xmlns='u' b='c'/>"
            ),
        ] {
            let code = code.replacing(#""u""#, with: code.hasPrefix(#"("iq"#) ? #""jabber:client""# : #""urn:x""#)
            #expect(element.xmlString() == xml && cells.contains("`MutableElement\(code)`"), "\(code)")
        }
    }

    @Test func examples() throws {
        var printed = ""
        func print(_ text: String) { printed += text + "\n" }

        let credentials = MutableElement("credentials", namespace: "urn:xmpp:extdisco:2") {
            MutableElement("service", attributes: ["type": "turn", "host": "turn.example.org"])
        }
        print(credentials.xmlString())

        #expect(try article("ComingFromMLXMLNode").contains("```text\n\(printed)```"), "\(printed)")

        let carbons = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "set", "id": "1"])
        carbons.add(MutableElement("enable", namespace: "urn:xmpp:carbons:2"))
        #expect(
            carbons.xmlString()
                == "<iq xmlns='jabber:client' type='set' id='1'><enable xmlns='urn:xmpp:carbons:2'/></iq>")

        let message = try element(
            "<message><body>one</body><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></message>"
        ).thaw()
        let body = try message.findFirst("body")?.element
        body?.copy().text = "changes nothing"
        body?.text = "changes the message"
        #expect(message.child("body")?.text == "changes the message")
        let stamp = try message.findFirst("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self)
        #expect(stamp == Date(timeIntervalSince1970: 1_031_699_305))

        let iq = try element(
            """
            <iq><fin xmlns='urn:xmpp:mam:2' complete='true'/>\
            <query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>\
            <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:http:upload:0</value></field>\
            <field var='max-file-size'><value>5242880</value></field></x></query></iq>
            """)
        let isComplete = try iq.findFirst("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self) ?? false
        #expect(isComplete)
        let size = try iq.findFirst(
            #"{http://jabber.org/protocol/disco#info}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#,
            as: Int.self)
        #expect(size == 5_242_880)

        let (node, jid) = ("eu.siacs.conversations.axolotl.devicelist", "user@example.com")
        let result = try element(
            """
            <iq type='result'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
            <subscription node='\(node)' subscription='subscribed' jid='\(jid)'/></pubsub></iq>
            """)
        let state = try result.findFirst(
            "/<type=result>/{http://jabber.org/protocol/pubsub}pubsub/subscription<node=%@><jid=%@>@subscription",
            node, jid, as: String.self)
        #expect(state == "subscribed")
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
}
