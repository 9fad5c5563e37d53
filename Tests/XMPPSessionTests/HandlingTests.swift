// The transaction of a stanza, and the routes that match it.

import GRDB
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct HandlingTests {
    private let server = FakeServer()

    private static func iq(_ id: Int) -> String {
        "<iq type='get' id='\(id)' from='romeo@example.org'><q xmlns='u'/></iq>"
    }

    @Test func routesRunInRegistrationOrder() async throws {
        let home = try await Household()
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message/body") { stanza, _ in
            journal.note("body of \(stanza["id"] ?? "")")
        }
        let removed = try await session.on("/{jabber:client}message") { _, _ in journal.note("removed") }
        try await session.on("/<type=chat>") { stanza, _ in journal.note("chat \(stanza["id"] ?? "")") }
        await session.removeRoute(removed)
        await #expect(throws: (any Error).self) { try await session.on("body|nothing") { _, _ in } }
        try await home.run(server) {
            server.say("<message id='1' type='chat'><body>hi</body></message>")
            server.say("<message id='2' type='chat'/>")
            server.say("<presence id='3'/>")
            try await home.handles(3)
        }
        #expect(journal.all == ["body of 1", "chat 1", "chat 2"])
    }

    @Test func addressesAreArguments() throws {
        let jid = try JID(parsing: "romeo@example.org/Garden")
        let message = try Element(parsing: "<message from='romeo@example.org/Garden'/>")
        #expect(try message.check("/<from=\(jid)>") && message.check("/<from=%@>", jid))
        #expect(try !message.check("/<from=\(jid.bare)>"))
    }

    /// The next matching route gets the stanza. Without one, the session answers it.
    @Test func aHandlerThatTheAppHasInvalidatedMatchesNothing() async throws {
        let home = try await Household()
        let (session, journal) = (home.session, home.journal)
        let ended = try home.handler()
        try await session.on("/{jabber:client}iq", ended)
        let once = try home.handler("Test|once")
        try await session.on("/{jabber:client}iq<id=1>", once)
        try await session.on("/{jabber:client}iq<id=2>") { _, _ in journal.note("next") }
        try await home.database.collect {
            try await session.workContext.handlers.invalidate(
                ended, because: .canceled, ["journal": journal, "changes": $0])
        }
        try await home.run(server) {
            for id in 1...3 { server.say(Self.iq(id)) }
            try await home.handles(3)
            try await server.receives(1)
        }
        #expect(journal.all == ["ended cancelled", "once get", "next"])
        let reply = try #require(server.stanzas.first)
        #expect(reply["type"] == "error" && reply["id"] == "3" && reply["to"] == "romeo@example.org")
        #expect(StanzaError(reply)?.condition == "service-unavailable")
    }

    @Test func theEffectsOfAHandlerCommitTogetherOrNotAtAll() async throws {
        let home = try await Household()
        let journal = home.journal
        try await home.database.write { try $0.db.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
        try await home.onMessage { id, work in
            let text: String? = journal.all.count < 3 ? nil : "noted"
            try work.send(xml("<message to='romeo@example.org' id='re-\(id)'/>"))
            try work.changes.add { transaction in
                try transaction.db.execute(sql: "INSERT INTO note VALUES ('before')")
                try transaction.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
            }
        }
        try await home.run(server) {
            server.say(1...1)
            try await server.receives(1)
        }
        #expect(journal.all == ["1", "1", "1"])
        // The two failed attempts left nothing, not even their first row.
        let notes = try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        #expect(notes == ["before", "noted"])
        #expect(server.ids == ["re-1"])
    }
}
