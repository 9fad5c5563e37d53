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

    /// The next matching route gets the stanza. Without one, the session answers it.
    @Test func aHandlerThatHasEndedMatchesNothing() async throws {
        let home = try await Household()
        let (session, journal) = (home.session, home.journal)
        let ended = try home.handler()
        try await session.on("/{jabber:client}iq", ended)
        try await session.on("/{jabber:client}iq", home.handler("Test|once"))
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

    /// The task that is ending it may fail after any time, so the stanza or the answer waits for the result of that
    /// task.
    @Test(arguments: [false, true])
    func anEndingHandlerIsNotTakenForEnded(isAnswer: Bool) async throws {
        let attempts = Counter()
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.hasPrefix("DELETE FROM request") { attempts.next() }
        }
        let home = try await Household(options: options) { $0.maximumHandlingAttempts = 1000 }
        let (session, journal) = (home.session, home.journal)
        let handler = try home.handler("Test|once")
        if !isAnswer {
            try await session.on("/{jabber:client}iq") { _, _ in attempts.next() }
            try await session.on("/{jabber:client}iq", handler)
        }
        try await home.run(server) {
            if isAnswer {
                try await home.request(query, handler)
                try await server.receives(1)
            }
            let elsewhere = Task { [handlers = session.workContext.handlers.using(UnsureStore(journal))] in
                try await handlers.call(handler, ["journal": journal, "iq": query])
            }
            try await eventually("it is claimed") { handler.mark == .called }
            server.say(isAnswer ? answer : Self.iq(1))
            try await eventually("it has reached the handler twice") { attempts.value > 1 }
            #expect(await session.stream.unhandledCount == 1)
            #expect(try await home.requests().count == (isAnswer ? 1 : 0))
            journal.note("give up")
            await #expect(throws: Household.Failure.self) { try await elsewhere.value }
            try await home.handles(1)
        }
        #expect(journal.all == ["give up", isAnswer ? "once result" : "once get"])
        #expect(try await home.database.handlers() == [])
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

    @Test func aHandlerThatDoesNotEndDoesNotKeepTheSessionFromBeingSuspended() async throws {
        let home = try await Household()
        try await home.onMessage { [journal = home.journal] _, _ in await journal.waitDeafly(for: "go on") }
        let running = await home.online(server)
        server.say(1...1)
        try await home.notes("1")
        try await home.session.suspend(gracePeriod: .milliseconds(10))
        home.journal.note("go on")
        _ = try await running.value
        #expect(server.unacknowledgedCount == 1)
    }

    // MARK: PubSub

    @Test func theItemsOfANodeComeById() async throws {
        let home = try await Household()
        server.answer { stanza in
            let isNode =
                stanza.child("pubsub", namespace: .uri("http://jabber.org/protocol/pubsub"))?
                .child("items")?["node"] == "urn:xmpp:avatar:metadata"
            let id = stanza["id"] ?? ""
            return isNode
                ? [
                    "<iq type='result' id='\(id)' from='romeo@example.org'><pubsub xmlns='http://jabber.org/protocol/pubsub'>"
                        + "<items node='n'><item id='a'><x xmlns='u'/></item><item id='b'/></items></pubsub></iq>"
                ]
                : [
                    "<iq type='error' id='\(id)'><error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:"
                        + "xmpp-stanzas'/></error></iq>"
                ]
        }
        let pubsub = home.session.pubsub
        try await home.run(server) {
            try await pubsub.items(
                "urn:xmpp:avatar:metadata", from: "romeo@example.org", maximum: 2, handler: home.handler("Test|items"),
                timeout: nil)
            try await home.endsRequests()
            try await pubsub.items("none", handler: home.handler("Test|items"), timeout: nil)
            try await home.endsRequests()
            try await pubsub.publish(xml("<x xmlns='u'/>"), id: "1", to: "n", handler: home.handler(), timeout: nil)
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["items [\"a\", \"b\"] ", "items [] item-not-found", "answered error"])
        #expect(server.stanzas.map { $0.firstChild?.firstChild?["max_items"] } == ["2", nil, nil])
    }
}
