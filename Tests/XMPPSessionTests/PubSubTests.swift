// The items of a node: how handlers read them, and how they are stored.

import Handlers
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct PubSubTests {
    private static func answer(_ items: String, id: String = "1") -> String {
        "<iq type='result' id='\(id)' from='romeo@example.org'><pubsub xmlns='http://jabber.org/protocol/pubsub'>"
            + "<items node='n'>\(items)</items></pubsub></iq>"
    }

    private static let note = HandlerDefinition(
        "Test|items", HandlerParameter("journal", Journal.self), HandlerParameter("items", PubSubItems?.self),
        HandlerParameter("error", StanzaError?.self)
    ) { journal, items, error in
        let payloads = ["a", "b", "c"].map { items?[$0]?.name ?? "nothing" }
        journal.note("\(items?.ids ?? []) \(payloads) \(error?.condition ?? "")")
    }

    @Test func aHandlerFindsItemsById() async throws {
        let server = FakeServer()
        let home = try await Household(handlers: Household.handlers + [Self.note])
        let pubsub = home.session.pubsub
        server.answer { stanza in
            let (request, id) = (stanza.firstChild?.firstChild, stanza["id"] ?? "")
            let items = "<item id='a'><x xmlns='u'/></item><item id='b'/>"
            if request?["node"] == "n" { return [Self.answer(items, id: id)] }
            return ["<iq type='error' id='\(id)'><error type='cancel'><gone xmlns='\(Self.errors)'/></error></iq>"]
        }
        try await home.run(server) {
            try await pubsub.items(
                "n", from: "romeo@example.org", maximum: 2, handler: home.handler("Test|items"), timeout: nil)
            try await home.endsRequests()
            try await pubsub.items("none", handler: home.handler("Test|items"), timeout: nil)
            try await home.endsRequests()
            try await pubsub.publish(xml("<x xmlns='u'/>"), id: "1", to: "p", handler: home.handler(), timeout: nil)
            try await home.endsRequests()
        }
        #expect(
            home.journal.all == [
                #"["a", "b"] ["x", "nothing", "nothing"] "#, #"[] ["nothing", "nothing", "nothing"] gone"#,
                "answered error",
            ])
        #expect(server.stanzas.map { $0.firstChild?.firstChild?["max_items"] } == ["2", nil, nil])
    }

    private static let errors = "urn:ietf:params:xml:ns:xmpp-stanzas"

    @Test func namesOfItemsAreBytes() throws {
        let items = try #require(
            PubSubItems(xml(Self.answer("<item id='\u{E9}'><x/></item><item><y/></item><item id='\u{E9}'><z/></item>")))
        )
        #expect(items["\u{E9}"]?.name == "x" && items["e\u{301}"] == nil && items[""] == nil)
        #expect(items.items.count == 3 && items.ids.count == 2 && items.node == "n")
    }

    @Test func storedItemsAreReadBack() throws {
        let items = try #require(PubSubItems(xml(Self.answer("<item id='a'><x xmlns='u'/></item>"))))
        #expect(try PubSubItems(storedValue: items.storedValue()) == items)
        #expect(throws: StorableMismatch.self) { try PubSubItems(storedValue: .element(xml("<message/>"))) }
        #expect(throws: (any Error).self) { try PubSubItems(storedValue: .string("items")) }
    }
}
