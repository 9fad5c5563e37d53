// The examples of the documentation, run.

import Foundation
import Handlers
import StanzaQuery
import Testing

@Suite struct DocumentationTests {
    /// Handlers.md.
    @Test func overview() async throws {
        let store = MemoryHandlerStore()
        let account = Account()
        let iq = try Element(parsing: "<iq xmlns='jabber:client' type='result'/>")
        let enabled = HandlerDefinition(
            "Carbons|enabled", HandlerParameter("account", Account.self), HandlerParameter("iq", Element.self)
        ) { account, iq in
            if try iq.check("/<type=result>") { await account.useCarbons() }
        }
        let centre = HandlerCentre(registry: try HandlerRegistry(handlers: [enabled]), store: store)
        let handler = try centre.handler("Carbons|enabled")
        try await centre.store(handler)
        try await centre.call(stored: handler.id, ["account": account, "iq": iq])
        #expect(await account.usesCarbons)
    }
}
