// The source's first example: enabling message carbons (XEP-0280), with real answers.

import HandlerMacros
import StanzaQuery
import Testing

@Handlers
enum Carbons {
    /// Asks the server for carbons if it offers them.
    static func enable(account: Account, features: Element) async throws {
        let offered = try features.find("{http://jabber.org/protocol/disco#info}query/feature@var", as: String.self)
        guard offered.contains("urn:xmpp:carbons:2") else { return }
        let iq = try Element(
            parsing: "<iq type='set' id='c1'><enable xmlns='urn:xmpp:carbons:2'/></iq>", in: .clientStream)
        await account.send(iq, try Carbons.$enabled.handler())
    }

    @Handler
    static func enabled(account: Account, iq: Element) async throws {
        if try iq.check("/<type=error>") {
            let condition = try iq.findFirst("error/{urn:ietf:params:xml:ns:xmpp-stanzas}!text$", as: String.self)
            await account.post(error: "Failed to enable carbons: \(condition ?? "unknown")")
            return
        }
        await account.useCarbons()
    }
}

@Suite struct CarbonsTests {
    private let dispatcher: HandlerDispatcher

    init() throws {
        dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Carbons.self))
    }

    /// An answer to a request, called on a handler that was stored in between.
    private func answer(_ xml: String, account: Account) async throws {
        let features = try Element(
            parsing: """
                <iq type='result'><query xmlns='http://jabber.org/protocol/disco#info'><feature var='urn:xmpp:carbons:2'/>\
                </query></iq>
                """, in: .clientStream)
        try await Carbons.enable(account: account, features: features)
        let handler = try #require(await account.sent.first?.handler)
        #expect(handler.description == "Carbons|enabled")
        // The framework that sent the request calls with a fixed set of arguments.
        try await dispatcher.call(
            stored: dispatcher.data(of: handler),
            ["account": account, "iq": Element(stanza: xml), "request": "c1"])
    }

    @Test func success() async throws {
        let account = Account()
        try await answer("<iq type='result' id='c1'/>", account: account)
        #expect(await account.usesCarbons)
        #expect(await account.errors.isEmpty)
    }

    @Test func failure() async throws {
        let account = Account()
        try await answer(
            """
            <iq type='error' id='c1'><enable xmlns='urn:xmpp:carbons:2'/><error type='cancel'>\
            <not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
            """, account: account)
        #expect(await !account.usesCarbons)
        #expect(await account.errors == ["Failed to enable carbons: not-allowed"])
    }

    @Test func notOffered() async throws {
        let account = Account()
        let features = try Element(
            parsing: "<iq><query xmlns='http://jabber.org/protocol/disco#info'/></iq>", in: .clientStream)
        try await Carbons.enable(account: account, features: features)
        #expect(await account.sent.isEmpty)
    }
}
