// The tutorial Getting started: each step prints the output on the page.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@Suite struct TutorialTests {
    @Test func gettingStarted() throws {
        var printed: [String] = []
        func print(_ item: Any) { printed += String(describing: item).split(separator: "\n").map(String.init) }

        let message = try Element(
            stanza: """
                <message from='romeo@example.net' type='chat'>\
                <body>Art thou not Juliet?</body>\
                <delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/>\
                </message>
                """)
        print(message.name)

        let body = try message.findFirst("body#", as: String.self)
        print(body ?? "no body")

        let sender = try message.findFirst("/@from", as: String.self)
        print(sender ?? "unknown")

        print(try message.check("/<type=chat>/body"))
        print(try message.check("/<type=groupchat>"))

        if let stamp = try message.findFirst("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self) {
            print(stamp.timeIntervalSince1970)
        }

        print(try message.findFirst("/@from|int", as: Int.self) ?? -1)
        print(try message.findFirst("/@from|int", as: Int.self, options: .lenient) ?? -1)

        let info = try Element(
            parsing: """
                <iq><query xmlns='http://jabber.org/protocol/disco#info'>\
                <feature var='urn:xmpp:mam:2'/><feature var='urn:xmpp:ping'/></query></iq>
                """)
        for feature in try info.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string) {
            print(feature)
        }

        let contact = "romeo@example.net"
        print(try message.check("/<from=\(contact)>"))

        do {
            _ = try Query("body#|integer")
        } catch {
            print(error)
        }

        let conditions = try Query("/<type=error>/error/{urn:ietf:params:xml:ns:xmpp-stanzas}!text$")
        var parser = XMLStreamParser(mode: .stream)
        parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
        parser.feed("<iq type='error'><error><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-st")
        parser.feed("anzas'/></error></iq>")
        while let event = try parser.next() {
            if case .element(let stanza, _) = event, let condition = try stanza.findFirst(conditions)?.string {
                print(condition)
            }
        }

        let reply = message.reply()
        reply?.addChild("body", text: "Neither, fair saint, if either thee dislike.")
        print(reply?.xmlString(in: .clientStream) ?? "no answer")

        let page = try String(
            contentsOf: packageFolder.appending(path: "Sources/StanzaQuery/StanzaQuery.docc/GettingStarted.md"),
            encoding: .utf8)
        let shown = page.components(separatedBy: "```text\n").dropFirst().flatMap { block in
            block.components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
        }
        #expect(printed == shown)
    }
}
