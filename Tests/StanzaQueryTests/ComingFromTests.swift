// The pages for newcomers from XPath and from MLXMLNode: their tables and examples are true.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@Suite struct ComingFromTests {
    private static func article(_ name: String) throws -> String {
        let folder = packageFolder.appending(path: "Sources/StanzaQuery/StanzaQuery.docc")
        return try String(contentsOf: folder.appending(path: "\(name).md"), encoding: .utf8)
    }

    /// Each row of the table gives its results on the stanza of the page.
    @Test func queriesBesideXPath() throws {
        let article = try Self.article("ComingFromXPath")
        let stanza = try #require(article.firstMatch(of: /```xml\n([^`]+)```/)).output.1
        let iq = try Element(parsing: String(stanza))
        let rows = article.matches(of: /\n\| `[^`]+` \| `([^`]+)` \| ((?:`[^`]+` ?)+) \|/)
        #expect(rows.count == 12)
        for row in rows {
            let expected = row.output.2.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            let results = try iq.find(Query(String(row.output.1))).compactMap(\.string)
            #expect(results == expected, "\(row.output.1)")
        }
    }

    @Test func makingElements() throws {
        var printed = ""
        func print(_ text: String) { printed += text + "\n" }

        let credentials = try MutableElement("credentials", namespace: "urn:xmpp:extdisco:2") {
            try MutableElement("service", attributes: ["type": "turn", "host": "turn.example.org"])
        }
        print(credentials.xmlString())

        #expect(try Self.article("ComingFromMLXMLNode").contains("```text\n\(printed)```"), "\(printed)")
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

    @Test func streamErrors() throws {
        let streamError = try Element(
            parsing: """
                <error><not-well-formed xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\
                <text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Some descriptive Text...</text></error>
                """)
        let condition = try streamError.findFirst("{urn:ietf:params:xml:ns:xmpp-streams}!text$", as: String.self)
        #expect(condition == "not-well-formed")
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
