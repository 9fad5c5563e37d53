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

    private static let payloads = HandlerDefinition(
        "Test|payloads", HandlerParameter("journal", Journal.self), HandlerParameter("items", PubSubItems?.self)
    ) { journal, items in
        journal.note(["a", "b", "c"].map { items?[$0]?.name ?? "nothing" }.joined(separator: " "))
    }

    @Test func aHandlerFindsPayloadsById() async throws {
        let server = FakeServer()
        let home = try await Household(handlers: Household.handlers + [Self.payloads])
        server.answer { [Self.answer("<item id='a'><x xmlns='u'/></item><item id='b'/>", id: $0["id"] ?? "")] }
        try await home.run(server) {
            try await home.session.pubsub.items(
                "n", from: "romeo@example.org", handler: home.handler("Test|payloads"), timeout: nil)
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["x nothing nothing"])
    }

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
