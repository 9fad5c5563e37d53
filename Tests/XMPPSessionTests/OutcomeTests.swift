// Requests that end under special conditions: other requests of the same handler, an answer that no process can
// handle, a stanza that was never sent.

import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct OutcomeTests {
    private let server = FakeServer()

    // MARK: One handler, several requests

    /// The session calls a single-shot handler once for each request, and drops a second answer.
    @Test(arguments: [false, true]) func aHandlerServesSeveralRequests(isSingleShot: Bool) async throws {
        let home = try await Household()
        try await home.run(server) {
            let handler = try home.handler(isSingleShot ? "Test|once" : "Test|answered")
            try await home.request(query, handler)
            try await home.request(otherQuery, handler)
            try await server.receives(2)
            if isSingleShot { for _ in 1...2 { server.say(answer) } } else { try await home.end("q1") }
            try await eventually("the first has ended") { try await home.requests().count == 1 }
            server.say(otherAnswer)
            try await home.endsRequests()
        }
        #expect(
            home.journal.all == (isSingleShot ? ["once result", "once error"] : ["ended timed-out", "answered error"]))
    }

    /// Each request keeps the values that were bound when it was made.
    @Test func eachRequestHasItsOwnBoundValues() async throws {
        let home = try await Household()
        let promise = try await home.promises.create(String.self)
        let other = try await home.promises.create(String.self)
        var handler = try home.handler("Test|answered", ["promise": promise])
        try await home.request(query, handler)
        handler = try handler.binding(["promise": other])
        try await home.request(otherQuery, handler)
        server.answer { [$0["id"] == "q1" ? answer : otherAnswer] }
        try await home.run(server) { try await home.endsRequests() }
        #expect(try await promise.value == "result")
        #expect(try await other.value == "error")
    }

    /// No task needs the outcome, but the answer is handled.
    @Test func aPromiseThatWasRemovedUndoesNothing() async throws {
        let home = try await Household()
        server.answer { _ in [answer] }
        let promise = try await home.promises.create(String.self)
        let handler = try home.handler("Test|answered", ["promise": promise])
        try await home.database.write { try $0.promises.remove(promise.id) }
        try await home.request(query, handler)
        try await home.run(server) { try await home.endsRequests() }
        #expect(home.journal.all == ["answered result"])
    }

    // MARK: Answers that no process handles

    /// The row of the request says that another process has ended it. Of the handler's effects none remains.
    @Test func whatAnotherProcessHasEndedHasNoEffects() async throws {
        let home = try await Household()
        let promise = try await home.promises.create(String.self)
        try await home.run(server) {
            try await home.request(query, home.handler("Test|answered", ["promise": promise]))
            try await home.duringHandler(server, 1) {
                server.say(answer)
                try await home.finds(2)
                try await home.database.write { try $0.db.execute(sql: "DELETE FROM stanza_request") }
            }
            try await home.handles(2)
        }
        #expect(home.journal.all.last == "answered result")
        #expect(try await promise.state == .pending)
    }

    /// The process that could not handle the answer ends before it has invalidated the handler.
    @Test func theNextProcessKnowsThatNoProcessCouldHandleAnAnswer() async throws {
        let app = try await Household()
        server.answer { _ in [answer] }
        let running = app.start(server)
        try await app.request(query, app.handler("Test|failing", invalidation: "Test|held"))
        try await app.notes("held answer-not-handled")
        #expect(app.journal.all.dropLast() == Array(repeating: "failing", count: 5)[...])
        #expect(try await app.requests().map(\.end) == [.notHandled])
        let other = try await Household(app.folder, takingOver: true)
        app.journal.note("go on")
        _ = try await running.value
        other.journal.note("go on")
        try await other.run(server) { try await other.endsRequests() }
        #expect(other.journal.all == ["go on", "held answer-not-handled"])
    }

    /// Identifiers are bytes: canonically equivalent characters make different identifiers.
    @Test func equivalentNamesAreTwo() async throws {
        let home = try await Household()
        let handler = try home.handler()
        for id in ["\u{E9}", "e\u{301}"] {
            let stanza = xml("<iq type='get' to='room@chat.example.org' id='\(id)'/>")
            try await home.session.request(stanza, handler: handler, timeout: .zero)
        }
        try await home.run(server) { try await home.endsRequests() }
        #expect(home.journal.all == ["ended timed-out", "ended timed-out"])
        #expect(server.stanzas == [])
    }

    // MARK: Requests that are not sent any more

    @Test func whatTimedOutBeforeItWasSentIsNotSent() async throws {
        let home = try await Household()
        let (session, stream) = (home.session, home.session.stream)
        try await home.run(server) {
            try await home.disconnect(server)
            try await session.request(query, handler: home.handler(), timeout: .milliseconds(10))
            try await home.notes("ended timed-out")
            await #expect(throws: RequestError.timedOut) {
                try await session.request(otherQuery, timeout: .milliseconds(10))
            }
            let canceled = Task { try await session.request(xml("<iq type='get' id='q3'/>")) }
            try await stream.until("it waits") { !$0.unacknowledged.isEmpty }
            canceled.cancel()
            await #expect(throws: CancellationError.self) { try await canceled.value }
            #expect(await stream.unacknowledged.isEmpty)
            try await session.send(xml("<message id='m'/>"))
            server.setDown(false)
            try await server.receives("m")
        }
        #expect(server.ids == ["m"])
        let stored = try await home.database.read { try $0.sessions.session(of: Household.account) }
        #expect(stored?.pending.filter { $0.element.name == "iq" } == [])
    }

    /// A running invalidation does not matter: the clean-up before the stream takes the other request back.
    @Test func whatTimesOutWhileAConnectionIsMadeIsNotSent() async throws {
        let home = try await Household()
        let handler = try home.handler(invalidation: "Test|held")
        try await home.session.request(query, handler: handler, timeout: .milliseconds(1))
        try await home.request(otherQuery)
        try await home.session.send(xml("<message id='m'/>"))
        let held = HeldConnector(server: server, journal: home.journal, word: "connect")
        let running = Task { [session = home.session] in try await session.run(connecting: held) }
        try await home.notes("connecting")
        try await home.notes("held timed-out")
        try await home.end("q2")
        home.journal.note("connect")
        try await server.receives("m")
        home.journal.note("go on")
        try await home.endsRequests()
        await running.stop()
        #expect(server.ids == ["m"])
    }

    /// The session counts a sent stanza even if its request has ended: the server may have it.
    @Test func whatTimedOutWhenItWasSentStaysCounted() async throws {
        let home = try await Household()
        let stream = home.session.stream
        try await home.run(server) {
            try await home.request()
            try await server.receives(1)
            try await home.disconnect(server)
            try await home.end("q1")
            try await home.notes("ended timed-out")
            #expect(await stream.unacknowledged.count == 1)
            server.setDown(false)
            try await stream.until("the server's count is right") { $0.unacknowledged.isEmpty }
        }
        #expect(server.ids == ["q1"])
        #expect(server.binds == 1)
    }

    /// The invalidation of a request asks again with the same `id`, after the sweep has read which requests have timed
    /// out and before its transaction.
    @Test("A sweep withdraws no request that was sent anew") func sentAnew() async throws {
        let home = try await Household()
        let session = home.session
        let handler = try home.handler()
        try await session.request(query, handler: handler, timeout: .seconds(60))
        let serial = try #require(try await home.requests().first?.serial)
        let work = StanzaWork(DatabaseWork(database: session.database), in: session.workContext)
        try work.changes.add { _ = try $0.requests.remove(serial) }
        try await work.request(query, handler: handler, timeout: nil)
        let stanzas = work.takeStanzas()
        try await holding { holder in
            await session.stream.hold(holder)
        } during: { holder in
            let asking = Task {
                try await session.stream.commit(
                    nil, with: work.changes, sending: stanzas,
                    withdrawing: { $0["id"] == "q1" })
            }
            try await Task.sleep(for: .milliseconds(50))
            let sweeping = Task {
                try await session.rows.sweep(
                    losesUnresumable: false, timedOut: [.init(rawValue: serial)], with: session.stream)
            }
            try await Task.sleep(for: .milliseconds(200))
            holder.letGo()
            _ = try await asking.value
            try await sweeping.value
        }
        #expect(try await home.requests().map(\.id) == ["q1"])
        #expect(await session.stream.unacknowledged.map(\.id) == ["q1"])
    }
}

extension StreamSession {
    /// Holds up the stream's thread.
    fileprivate func hold(_ holder: Holder) { holder.hold() }
}
