// The examples of the README, the articles and the doc comments, word for word: .ci/check examples sees to it.

import Foundation
import StanzaQuery
import Testing

@Suite struct ExampleTests {
    private let node = "n"

    // MARK: README.md

    /// `.ci/embed` builds the same as a program of its own.
    @Test func readmeProgram() throws {
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        let received = """
            <stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
            <message from='romeo@example.net' type='chat'><body>Art thou not Juliet?</body></message>
            <message from='nurse@example.net' type='chat'><body>Anon!</body>
            <delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></message>
            """
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(received)
        while let event = try parser.next() {
            guard case .element(let stanza, _) = event else { continue }
            let sender = try stanza.findFirst("/@from", as: String.self) ?? "unknown"
            let body = try stanza.findFirst("/<type=chat>/body#", as: String.self) ?? ""
            let isDelayed = try stanza.check("{urn:xmpp:delay}delay")
            print("\(sender): \(body)\(isDelayed ? " (delayed)" : "")")
        }
        #expect(lines == ["romeo@example.net: Art thou not Juliet?", "nurse@example.net: Anon! (delayed)"])
    }

    // MARK: The language

    @Test func theLanguage() throws {
        let stanza = try element(
            """
            <message type='error'><event xmlns='http://jabber.org/protocol/pubsub#event'>\
            <items node='n'><item id='1'/><item id='2'/></items><items node='m'><item/></items></event>\
            <error><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        let iq = try element(
            """
            <iq><query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>\
            <field var='FORM_TYPE'><value>urn:xmpp:http:upload:0</value></field>\
            <field var='max-file-size'><value>7</value></field></x></query></iq>
            """)
        let condition = try stanza.findFirst("/<type=error>/error/{urn:ietf:params:xml:ns:xmpp-stanzas}!text$")?.string
        let items = try stanza.find("{http://jabber.org/protocol/pubsub#event}event/items<node=%@>/item", node)
        let size = try iq.findFirst(
            #"{http://jabber.org/protocol/disco#info}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#,
            as: Int.self)
        #expect(condition == "gone")
        #expect(items.compactMap { $0.element?["id"] } == ["1", "2"])
        #expect(size == 7)
    }

    // MARK: Limits and security

    @Test func smallerLimits() throws {
        var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(bytes: 10_000, depth: 20))
        parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
        parser.feed(String(repeating: "<a>", count: 21) + String(repeating: "</a>", count: 21))
        guard case .streamStart = try parser.next() else {
            Issue.record("no header")
            return
        }
        guard case .rejected(let stanza) = try parser.next() else {
            Issue.record("nothing was rejected")
            return
        }
        #expect(stanza.error.kind == .limit(.depth, maximum: 20) && stanza.name == "a")
    }

    @Test func foreignText() throws {
        let iq = try element("<iq><items node='n'/><items node='x&gt;/../{*}*@@'/></iq>")
        let node = "x>/../{*}*@@"
        let isThere = try iq.check("items<node=%@>", node)
        let isThereToo = try iq.check("items<node=\(node)>")
        #expect(isThere && isThereToo)
        #expect(try iq.find("items<node=%@>", node).count == 1)
    }

    @Test func mistakes() throws {
        do {
            _ = try Query("{urn:xmpp:mam:2}fin@count|integer")
        } catch {
            print(error)
            // error: unknown conversion 'integer'
            //   {urn:xmpp:mam:2}fin@count|integer
            //                             ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
            //   did you mean '|int'?
        }
        let error = queryError { _ = try Query("{urn:xmpp:mam:2}fin@count|integer") }
        #expect(
            error?.description == """
                error: unknown conversion 'integer'
                  {urn:xmpp:mam:2}fin@count|integer
                                            ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
                  did you mean '|int'?
                """)
    }

    // MARK: Doc comments

    @Test func query() throws {
        let iq = try element("<iq><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let fin = try Query("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self)
        let isComplete = try iq.findFirst(fin) == true
        #expect(isComplete)
        let message = try element("<m><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></m>")
        let stamp = try message.findFirst(Query("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self))
        #expect(stamp == Date(timeIntervalSince1970: 1_031_699_305))
    }

    @Test func binding() throws {
        let items = try Query("items<node=%@>/item").binding("urn:xmpp:avatar:metadata")
        let event = try element("<event><items node='urn:xmpp:avatar:metadata'><item/></items></event>")
        #expect(try event.check(items))
    }

    @Test func queryDecodable() throws {
        let presence = try element(
            """
            <presence><x xmlns='http://jabber.org/protocol/muc#user'><item role='visitor'/><item role='none'/>\
            <item role='moderator'/></x></presence>
            """)
        let roles = try presence.find("{http://jabber.org/protocol/muc#user}x/item@role", as: Role.self)
        #expect(roles == [.visitor, .moderator])
    }

    @Test func queryableElement() throws {
        let stanza = try element(
            """
            <message type='error'><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/>\
            <query xmlns='http://jabber.org/protocol/disco#info'><feature var='a'/><feature var='b'/></query>\
            <items node='n'><item id='1'/></items></message>
            """)
        let isError = try stanza.check("/<type=error>")
        let stamp = try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
        let features = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string)
        let id = try stanza.findFirst("items<node=%@>/item@id", node, as: String.self)
        #expect(isError)
        #expect(stamp == Date(timeIntervalSince1970: 1_031_699_305))
        #expect(features == ["a", "b"])
        #expect(id == "1")
    }

    @Test func queryArgument() throws {
        let element = try element("<pubsub><items node='n'><item id='17'/></items></pubsub>")
        let item = try element.findFirst("items<node=%@>/item<id=%u>", node, 17)?.element
        #expect(item?.name == "item")
        struct Address { let description = "n" }
        let value = QueryArgumentValue.text(String(describing: Address().description))
        #expect(try element.check("items<node=%@>", value))
    }
}

enum Role: String, QueryDecodable {
    case moderator, participant, visitor
}
