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
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    @Test func whatIsRegisteredIsDoneInOrder() async throws {
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message/body") { stanza, _ in
            journal.note("body of \(stanza["id"] ?? "")")
        }
        let removed = try await session.on("/{jabber:client}message") { _, _ in journal.note("removed") }
        try await session.on("/<type=chat>") { stanza, _ in journal.note("chat \(stanza["id"] ?? "")") }
        await session.removeRoute(removed)
        await #expect(throws: (any Error).self) { try await session.on("body|nothing") { _, _ in } }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<message id='1' type='chat'><body>hi</body></message>")
            server.say("<message id='2' type='chat'/>")
            server.say("<presence id='3'/>")
            try await eventually("all is handled") { await session.stream.isAllHandled(3) }
        }
        #expect(journal.all == ["body of 1", "chat 1", "chat 2"])
    }

    /// The next matching route gets the stanza. Without one, the session answers it.
    @Test func aHandlerThatHasEndedMatchesNothing() async throws {
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        let ended = try home.handler()
        try await session.on("/{jabber:client}iq", ended)
        try await session.on("/{jabber:client}iq", home.handler("Test|once"))
        try await session.on("/{jabber:client}iq<id=2>") { _, _ in journal.note("next") }
        try await home.database.collect {
            try await session.handlers.invalidate(ended, because: .cancelled, ["journal": journal, "work": $0])
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            for id in 1...3 { server.say("<iq type='get' id='\(id)' from='romeo@example.org'><q xmlns='u'/></iq>") }
            try await eventually("all is handled") { await session.stream.isAllHandled(3) }
            try await eventually("the last is answered") { server.stanzas.count == 1 }
        }
        #expect(journal.all == ["ended cancelled", "once get", "next"])
        #expect(server.stanzas.map { $0["id"] } == ["3"])
        #expect(server.stanzas.first.flatMap(StanzaError.init)?.condition == "service-unavailable")
    }

    /// The task that is ending it may fail, so the stanza waits for the result of that task.
    @Test func aHandlerThatSomebodyIsAboutToEndIsNotTakenForEnded() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 1000
        let home = try await Household(folder, configuration: configuration)
        let (session, journal) = (home.session, home.journal)
        let handler = try home.handler("Test|once")
        try await session.on("/{jabber:client}iq") { _, _ in journal.note("seen") }
        try await session.on("/{jabber:client}iq", handler)
        let elsewhere = Task { [handlers = session.handlers.using(UnsureStore(journal))] in
            try await handlers.call(handler, ["journal": journal, "iq": query])
        }
        try await eventually("it is claimed") { handler.mark == .called }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<iq type='get' id='1' from='romeo@example.org'><q xmlns='u'/></iq>")
            try await eventually("the stanza has reached the handler") {
                let isHandled = await session.stream.isAllHandled(1)
                return isHandled || journal.all.count > 1
            }
            try #require(await !session.stream.isAllHandled(1))
            journal.note("give up")
            await #expect(throws: Household.Failure.self) { try await elsewhere.value }
            try await eventually("it is handled") { await session.stream.isAllHandled(1) }
        }
        #expect(journal.all.filter { $0 != "seen" } == ["give up", "once get"])
    }

    @Test func anUnknownRequestIsAnswered() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            server.say("<iq type='get' id='7' from='romeo@example.org'><q xmlns='u'/></iq>")
            try await eventually("there is an answer") { server.stanzas.count == 1 }
        }
        let answer = try #require(server.stanzas.first)
        #expect(answer["type"] == "error" && answer["id"] == "7" && answer["to"] == "romeo@example.org")
        #expect(StanzaError(answer)?.condition == "service-unavailable")
    }

    @Test func whatAHandlerDoesIsStoredTogetherOrNotAtAll() async throws {
        let home = try await Household(folder)
        let session = home.session
        try await home.database.write { try $0.database.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
        let attempts = Journal()
        try await session.on("/{jabber:client}message") { stanza, work in
            attempts.note(stanza["id"] ?? "")
            let text: String? = attempts.all.count < 3 ? nil : "noted"
            try work.send(xml("<message to='romeo@example.org' id='re-\(stanza["id"] ?? "")'/>"))
            try work.database.add { transaction in
                try transaction.database.execute(sql: "INSERT INTO note VALUES ('before')")
                try transaction.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
            }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("the third attempt has sent the answer") { server.stanzas.count == 1 }
        }
        #expect(attempts.all == ["1", "1", "1"])
        let notes = try await home.database.read {
            try Int.fetchOne($0.database, sql: "SELECT count(*) FROM note")
        }
        // The two failed attempts left nothing, not even their first row.
        #expect(notes == 2)
        #expect(server.stanzas.map { $0["id"] } == ["re-1"])
    }

    /// The process dies after it handles the stanza and before it acknowledges it. The next process does not repeat it.
    @Test func whatIsStoredIsNotDoneTwice() async throws {
        var configuration = StreamManagementConfiguration.patient
        // The session does not acknowledge on its own.
        configuration.acknowledgements = .off
        let first = try await Household(folder, configuration: configuration)
        try await first.session.on("/{jabber:client}message") { [journal = first.journal] stanza, work in
            journal.note("first \(stanza["id"] ?? "")")
            try work.send(xml("<message to='romeo@example.org' id='re-\(stanza["id"] ?? "")'/>"))
        }
        try await first.run(server) {
            try await eventually("the session runs") { await first.session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("it is handled") { first.journal.all.count == 1 && server.stanzas.count == 1 }
        }
        // Another process takes over, as if the first had died.
        #expect(server.unacknowledgedCount == 1)
        let second = try await Household(folder, takingOver: true)
        try await second.session.on("/{jabber:client}message") { [journal = second.journal] stanza, _ in
            journal.note("second \(stanza["id"] ?? "")")
        }
        try await second.run(server) {
            try await eventually("the session is resumed") { await second.session.stream.didResume }
            server.say("<message id='2'/>")
            try await eventually("the next one is handled") { !second.journal.all.isEmpty }
        }
        #expect(second.journal.all == ["second 2"])
        #expect(server.stanzas.map { $0["id"] } == ["re-1"])
        #expect(server.binds == 1)
    }

    // MARK: Two processes

    @Test func aSuspendedSessionGoesOnElsewhere() async throws {
        let app = try await Household(folder)
        let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
        let promise = try await app.promises.create(String.self, key: "avatar")
        let running = Task { [server, session = app.session] in try await session.run(connecting: server) }
        try await eventually("the session runs") { await app.session.stream.state == .enabled }
        try await app.session.request(query, handler: app.handler("Test|answered", ["promise": promise]))
        try await eventually("the request was sent") { server.stanzas.count == 1 }
        try await app.session.suspend(deadline: .seconds(30))
        guard case .suspended = try await running.value else {
            Issue.record("expected the run to end because the session was suspended")
            return
        }
        server.say(answer)
        let other = try await Household(folder, role: .resolver)
        try await other.run(server) {
            try await eventually("the answer was handled") { try await other.requests() == [] }
        }
        #expect(other.journal.all == ["answered result"])
        try await other.session.suspend()
        // The app returns and finds the outcome.
        try await app.run(server) {
            #expect(try await promise.value == "result")
            try await eventually("the session is resumed") { await app.session.stream.didResume }
        }
        #expect(app.journal.all == [])
        #expect(server.binds == 1)
    }

    @Test func whoeverLostTheSessionStoresNothing() async throws {
        let first = try await Household(folder)
        let gate = Journal()
        try await first.session.on("/{jabber:client}message") { stanza, work in
            gate.note("began")
            try work.send(xml("<message id='never'/>"))
            try await eventually("the other has taken over") { gate.all.contains("taken over") }
        }
        let running = Task { [server, session = first.session] in try await session.run(connecting: server) }
        try await eventually("the session runs") { await first.session.stream.state == .enabled }
        server.say("<message id='1'/>")
        try await eventually("the handler runs") { gate.all == ["began"] }
        let second = try await Household(folder, takingOver: true)
        try await second.session.on("/{jabber:client}message") { [journal = second.journal] stanza, _ in
            journal.note("second \(stanza["id"] ?? "")")
        }
        gate.note("taken over")
        guard case .takenOver = try await running.value else {
            Issue.record("expected the run to end because the session was taken over")
            return
        }
        try await second.run(server) {
            try await eventually("it comes again") { second.journal.all == ["second 1"] }
        }
        #expect(server.stanzas == [])
    }

    @Test func aHandlerThatDoesNotEndDoesNotKeepTheSessionFromBeingSuspended() async throws {
        let home = try await Household(folder)
        let gate = Journal()
        try await home.session.on("/{jabber:client}message") { _, _ in
            gate.note("began")
            await gate.waitDeafly(for: "let go")
        }
        let running = Task { [server, session = home.session] in try await session.run(connecting: server) }
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        server.say("<message id='1'/>")
        try await eventually("the handler runs") { gate.all == ["began"] }
        try await home.session.suspend(deadline: .milliseconds(10))
        gate.note("let go")
        _ = try await running.value
        #expect(server.unacknowledgedCount == 1)
    }

    // MARK: PubSub

    @Test func theItemsOfANodeComeById() async throws {
        let home = try await Household(folder)
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
        try await home.run(server) {
            try await home.session.pubsub.items(
                "urn:xmpp:avatar:metadata", from: "romeo@example.org", maximum: 2, handler: home.handler("Test|items"),
                timeout: nil)
            try await eventually("the first is answered") { try await home.requests() == [] }
            try await home.session.pubsub.items("none", handler: home.handler("Test|items"), timeout: nil)
            try await eventually("the second is answered") { try await home.requests() == [] }
            let payload = xml("<x xmlns='u'/>")
            try await home.session.pubsub.publish(payload, id: "1", to: "n", handler: home.handler(), timeout: nil)
            try await eventually("the third is answered") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["items [\"a\", \"b\"] ", "items [] item-not-found", "answered error"])
        #expect(server.stanzas.map { $0.firstChild?.firstChild?["max_items"] } == ["2", nil, nil])
    }
}

extension StreamSession {
    /// Whether this many stanzas have arrived and all are handled.
    func isAllHandled(_ count: Int) -> Bool {
        core.handledCounter == StanzaCounter(rawValue: UInt32(count)) && core.unhandledCount == 0
    }
}
