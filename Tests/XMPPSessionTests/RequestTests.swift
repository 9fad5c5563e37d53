// Requests and their outcomes: exactly one each.

import Handlers
import Persistence
import Promises
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct RequestTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let result = "<iq type='result' from='room@chat.example.org' id='q1'/>"

    @Test func theAnswerCallsTheHandlerAndResolvesThePromise() async throws {
        let home = try await Household(folder)
        server.answer { $0["id"] == "q1" ? [Self.result] : [] }
        try await home.run(server) {
            let promise = try await home.promises.create(String.self)
            try await home.session.request(query, handler: home.handler("Test|answered", ["promise": promise]))
            #expect(try await promise.value == "result")
        }
        #expect(home.journal.all == ["answered result"])
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
        #expect(server.stanzas == [query])
    }

    @Test func aPromiseIsMadeTogetherWithItsRequest() async throws {
        let home = try await Household(folder)
        server.answer { $0["id"] == "q1" ? [Self.result] : [] }
        let (iq, session, promises, handler) = (query, home.session, home.promises, try home.handler())
        try await home.run(server) {
            let promise = try await session.together { work in
                let promise = try promises.create(String.self, in: work.database)
                try await work.request(iq, handler: handler.binding(["promise": promise]))
                return promise
            }
            #expect(try await promise.value == "result")
        }
        // A refused request leaves no promise.
        let before = try await home.database.read { try $0.promises.allPromises().count }
        await #expect(throws: RequestError.notARequest) {
            try await session.together { work in
                let promise = try promises.create(String.self, in: work.database)
                try await work.request(xml("<message/>"), handler: home.handler().binding(["promise": promise]))
            }
        }
        #expect(try await home.database.read { try $0.promises.allPromises().count } == before)
    }

    @Test func aKeyIsAskedForOnce() async throws {
        let home = try await Household(folder)
        let (session, iq) = (home.session, query)
        server.answer { $0["id"] == "q1" ? [Self.result] : [] }
        @Sendable func ask(_ promise: Promise<String>, _ work: StanzaWork) async throws {
            try await work.request(iq, handler: home.handler("Test|answered", ["promise": promise]))
        }
        let first = try await session.promise(key: "k", asking: ask)
        let second = try await session.promise(key: "k", asking: ask)
        #expect(second.id == first.id)
        #expect(try await home.requests().count == 1)
        #expect(try await home.database.handlers().count == 1)
        await #expect(throws: PromiseError.wrongType(expected: "Int", actual: "String")) {
            try await session.promise(Int.self, key: "k") { _, _ in }
        }
        try await home.run(server) {
            #expect(try await second.value == "result")
            // The outcome of the first promise is acknowledged, so the key is free.
            let third = try await session.promise(key: "k", asking: ask)
            #expect(third.id != first.id)
            #expect(try await third.value == "result")
        }
        #expect(home.journal.all == ["answered result", "answered result"])
    }

    @Test func aRequestThatFailsLeavesNoPromise() async throws {
        let home = try await Household(folder)
        await #expect(throws: RequestError.notARequest) {
            try await home.session.promise(String.self, key: "k") { promise, work in
                try await work.request(
                    xml("<message/>"), handler: home.handler("Test|answered", ["promise": promise]))
            }
        }
        // The closure takes the key itself.
        await #expect(throws: PromiseError.keyTaken("k")) {
            try await home.session.promise(String.self, key: "k") { _, work in
                _ = try home.promises.create(String.self, key: "k", in: work.database)
            }
        }
        #expect(try await home.database.read { try $0.promises.allPromises().count } == 0)
        let bare = try await DurableSession(
            account: "romeo@example.org", database: home.database, registry: HandlerRegistry(handlers: []))
        await #expect(throws: RequestError.withoutPromises) {
            try await bare.promise(String.self, key: "k") { _, _ in }
        }
    }

    @Test func anAnswerIsHeardOnlyFromWhomWasAsked() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler())
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.say("<iq type='result' from='mallory@example.org' id='q1'/>")
            server.say("<iq type='result' from='room@chat.example.org/mallory' id='q1'/>")
            server.say("<iq type='result' id='q1'/>")
            server.say("<iq type='error' from='ROOM@chat.example.org' id='q1'><error type='auth'/></iq>")
            try await eventually("the answer was handled") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["answered error"])
    }

    @Test func aSecondAnswerIsDropped() async throws {
        let home = try await Household(folder)
        server.answer { _ in [Self.result, Self.result] }
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler())
            try await eventually("both answers are acknowledged") {
                try await home.session.stream.sendAcknowledgementIfEnabled()
                return server.stanzas.count == 1 && server.unacknowledgedCount == 0
            }
        }
        #expect(home.journal.all == ["answered result"])
    }

    @Test func twoRequestsCannotShareAnID() async throws {
        let home = try await Household(folder)
        try await home.session.request(query, handler: home.handler())
        let other = try home.handler()
        await #expect(throws: RequestError.duplicateID("q1")) {
            try await home.session.request(query, handler: other)
        }
        #expect(try await home.requests().count == 1)
        #expect(try await home.database.handlers().count == 1)
        #expect(await home.session.stream.unacknowledged.count == 1)
    }

    @Test func whatIsNoRequestIsRefused() async throws {
        let home = try await Household(folder)
        for text in ["<iq type='result'/>", "<message/>", "<iq xmlns='jabber:server' type='get'/>"] {
            let handler = try home.handler()
            await #expect(throws: RequestError.notARequest) {
                try await home.session.request(xml(text), handler: handler)
            }
        }
        #expect(try await home.database.handlers() == [])
    }

    @Test func withoutAnswerInTimeTheHandlerIsInvalidated() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let promise = try await home.promises.create(String.self)
            try await home.session.request(
                query, handler: home.handler("Test|answered", ["promise": promise]), timeout: .milliseconds(20))
            await #expect(throws: PromiseRejection.self) { try await promise.value }
            // The answer is late.
            server.say(Self.result)
            server.say("<message id='m1'/>")
            try await eventually("the late answer is handled") {
                try await home.session.stream.sendAcknowledgementIfEnabled()
                return server.unacknowledgedCount == 0
            }
        }
        #expect(home.journal.all == ["ended timed-out"])
        #expect(try await home.requests() == [])
    }

    @Test func aLostSessionEndsItsRequestsAndNoOthers() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.request(query, handler: home.handler())
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.setDown(true)
            server.forget()
            server.cut()
            // The second request waits for a connection.
            try await eventually("the connection is gone") { await home.session.stream.state != .enabled }
            let later = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
            try await home.session.request(later, handler: home.handler())
            server.answer { $0["id"] == "q2" ? ["<iq type='result' from='room@chat.example.org' id='q2'/>"] : [] }
            server.setDown(false)
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all.sorted() == ["answered result", "ended disconnected"])
        #expect(server.stanzas.compactMap { $0["id"] } == ["q1", "q2"])
    }

    @Test func aResumedSessionGoesOnWaiting() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.request(query, handler: home.handler())
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.cut()
            server.say(Self.result)
            try await eventually("the answer was handled") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["answered result"])
        #expect(server.binds == 1)
    }

    @Test func anAnswerThatNobodyCanHandleIsSetAside() async throws {
        let home = try await Household(folder)
        server.answer { _ in [Self.result] }
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler("Test|failing"))
            try await eventually("the request has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == Array(repeating: "failing", count: 5) + ["ended answer-not-handled"])
    }

    @Test func closingTheSessionEndsAllRequests() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler())
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            await home.session.close()
        }
        #expect(home.journal.all == ["ended disconnected"])
        #expect(try await home.requests() == [])
    }

    // MARK: Requests that a task waits for

    @Test func aTaskCanWaitForAnAnswer() async throws {
        let home = try await Household(folder)
        server.answer { $0["to"] == nil ? ["<iq type='result' id='\($0["id"] ?? "")'><q xmlns='u'/></iq>"] : [] }
        try await home.run(server) {
            let answer = try await home.session.request(xml("<iq type='get'><q xmlns='u'/></iq>"))
            #expect(answer.child("q", namespace: .uri("u")) != nil)
            await #expect(throws: RequestError.timedOut) {
                try await home.session.request(query, timeout: .milliseconds(10))
            }
            server.answer { stanza in
                let id = stanza["id"] ?? ""
                return [
                    "<iq type='error' from='room@chat.example.org' id='\(id)'><error type='wait'><conflict xmlns="
                        + "'urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
                ]
            }
            let error = await #expect(throws: StanzaError.self) { try await home.session.request(query) }
            #expect(error?.condition == "conflict" && error?.type == "wait")
        }
    }

    @Test func aHandlerMayWaitForAnAnswer() async throws {
        let home = try await Household(folder)
        server.answer { $0.name == "iq" ? ["<iq type='result' id='\($0["id"] ?? "")'/>"] : [] }
        let session = home.session
        try await session.on("/{jabber:client}message") { [weak session, journal = home.journal] _, _ in
            let answer = try await session?.request(xml("<iq type='get'><q xmlns='u'/></iq>"))
            journal.note("waited \(answer?["type"] ?? "")")
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<message/>")
            try await eventually("the handler is done") { home.journal.all == ["waited result"] }
        }
    }

    @Test func whoWaitsIsToldThatTheSessionIsLost() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let answer = Task { [session = home.session] in try await session.request(query) }
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.forget()
            server.cut()
            await #expect(throws: RequestError.disconnected) { try await answer.value }
        }
    }

    @Test func aTaskThatIsCancelledWaitsNoLonger() async throws {
        let home = try await Household(folder)
        let session = home.session
        let waiting = Task { try await session.request(query) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

extension StreamSession {
    /// Acknowledges the handled stanzas, if stream management is enabled.
    func sendAcknowledgementIfEnabled() throws {
        if state == .enabled { try sendAcknowledgement() }
    }
}
