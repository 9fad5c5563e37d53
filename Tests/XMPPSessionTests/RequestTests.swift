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
    private let server = FakeServer()

    @Test func aPromiseIsMadeTogetherWithItsRequest() async throws {
        let home = try await Household()
        server.answer { $0["id"] == "q1" ? [answer] : [] }
        let (iq, session, promises, handler) = (query, home.session, home.promises, try home.handler())
        try await home.run(server) {
            let promise = try await session.transaction { work in
                let promise = try promises.create(String.self, in: work.changes)
                try await work.request(iq, handler: handler.binding(["promise": promise]))
                return promise
            }
            #expect(try await promise.value == "result")
        }
        #expect(home.journal.all == ["answered result"])
        #expect(try await home.requests() == [])
        #expect(server.stanzas == [query])
    }

    @Test func aKeyIsAskedForOnce() async throws {
        let home = try await Household()
        let session = home.session
        server.answer { $0["id"] == "q1" ? [answer] : [] }
        @Sendable func ask(_ promise: Promise<String>, _ work: StanzaWork) async throws {
            try await work.request(query, handler: home.handler("Test|answered", ["promise": promise]))
        }
        let first = try await session.promise(key: "k", asking: ask)
        let second = try await session.promise(key: "k", asking: ask)
        #expect(second.id == first.id)
        #expect(try await home.requests().count == 1)
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
        let home = try await Household()
        await #expect(throws: RequestError.notARequest) {
            try await home.session.promise(String.self, key: "k") { promise, work in
                try await work.request(
                    xml("<message/>"), handler: home.handler("Test|answered", ["promise": promise]))
            }
        }
        // The closure takes the key itself.
        await #expect(throws: PromiseError.keyTaken("k")) {
            try await home.session.promise(String.self, key: "k") { _, work in
                _ = try home.promises.create(String.self, key: "k", in: work.changes)
            }
        }
        #expect(try await home.database.read { try $0.promises.allPromises().count } == 0)
        let bare = try await DurableSession(
            account: "romeo@example.org", database: home.database, registry: HandlerRegistry(handlers: []))
        await #expect(throws: RequestError.withoutPromises) {
            try await bare.promise(String.self, key: "k") { _, _ in }
        }
    }

    /// AnswerSourceTests lists the senders that may answer.
    @Test func anAnswerCountsOnlyFromItsRecipient() async throws {
        let home = try await Household()
        try await home.run(server) {
            try await home.request()
            try await server.receives(1)
            server.say("<iq type='result' from='mallory@example.org' id='q1'/>")
            server.say("<iq type='error' from='ROOM@chat.example.org' id='q1'><error type='auth'/></iq>")
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["answered error"])
    }

    @Test func stanzasThatAreNotRequestsAreRefused() async throws {
        let home = try await Household()
        for text in ["<iq type='result'/>", "<message/>", "<iq xmlns='jabber:server' type='get'/>"] {
            await #expect(throws: RequestError.notARequest) { try await home.request(xml(text)) }
        }
        try await home.request()
        // Two requests cannot share an `id`.
        await #expect(throws: RequestError.duplicateID("q1")) { try await home.request() }
        #expect(try await home.requests().count == 1)
        #expect(await home.session.stream.unacknowledged.count == 1)
    }

    @Test func withoutAnswerInTimeTheHandlerIsInvalidated() async throws {
        let home = try await Household()
        try await home.run(server) {
            let promise = try await home.promises.create(String.self)
            try await home.session.request(
                query, handler: home.handler("Test|answered", ["promise": promise]), timeout: .milliseconds(20))
            await #expect(throws: PromiseRejection.self) { try await promise.value }
            // The answer is late.
            server.say(answer)
            try await home.acknowledges(server)
        }
        #expect(home.journal.all == ["ended timed-out"])
        #expect(try await home.requests() == [])
    }

    // MARK: Requests that a task waits for

    @Test func aTaskCanWaitForAnAnswer() async throws {
        let home = try await Household()
        server.answer { stanza in
            guard stanza["to"] == nil, let id = stanza["id"] else { return [] }
            // Neither another account nor another session of this account answers for the account.
            return ["mallory@example.org", "juliet@example.org/OTHER", "example.org"].map { sender in
                "<iq type='result' id='\(id)' from='\(sender)' to='juliet@example.org/balcony'/>"
            }
        }
        try await home.run(server) {
            let answer = try await home.session.request(xml("<iq type='get'><q xmlns='u'/></iq>"))
            #expect(answer["from"] == "example.org")
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

    @Test func aConnectionThatReplacesADeadOneKeepsTheRequests() async throws {
        let home = try await Household()
        try await home.run(server) {
            let request = Task { try await home.session.request(query) }
            try await server.receives(1)
            server.setAcknowledging(false)
            await home.session.stream.networkChanged()
            try await server.isResumed(1)
            server.say(answer)
            #expect(try await request.value["id"] == "q1")
            server.setAcknowledging(true)
            #expect(try await home.requests() == [])
        }
        #expect(server.binds == 1 && server.resumptions == 1)
    }
}
