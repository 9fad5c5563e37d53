// Requests and their outcomes: exactly one each.

import Handlers
import Persistence
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
                let promise = try await promises.create(String.self)
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

    /// Neither process has a handler, and the second one resolves the promises.
    @Test func answersResolvePromisesWithoutHandlers() async throws {
        let app = try await Household(handlers: [])
        var promises: [Promise<NoValue>] = []
        for id in ["done", "refused", "late"] {
            let iq = xml("<iq type='set' to='room@chat.example.org' id='\(id)'/>")
            promises.append(
                try await app.session.promise(key: id, timeout: .seconds(3600)) { promise, work in
                    try work.request(iq, promise: promise, timeout: id == "late" ? .milliseconds(1) : nil)
                })
        }
        // The request waits as long as its promise, or shorter.
        #expect(try await app.requests().map(\.timeout) == [3600, 3600, 0.001])
        try await app.suspend()
        server.answer { stanza in
            switch stanza["id"] {
            case "done": ["<iq type='result' from='room@chat.example.org' id='done'/>"]
            case "refused":
                [
                    "<iq type='error' from='room@chat.example.org' id='refused'><error type='auth'><forbidden xmlns="
                        + "'urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
                ]
            default: []
            }
        }
        let home = try await Household(app.folder, takingOver: true, handlers: [])
        try await home.run(server) {
            try await server.receives(2)
            try await home.endsRequests()
        }
        _ = try await promises[0].value
        let refused = await #expect(throws: PromiseRejection.self) { _ = try await promises[1].value }
        #expect(refused?.code == "forbidden" && refused?.stanza?.contains("forbidden") == true)
        #expect(refused?.account == "juliet@example.org")
        let late = await #expect(throws: PromiseRejection.self) { _ = try await promises[2].value }
        #expect(late?.code == "timed-out")
    }

    /// The example of the tutorial.
    @Test(arguments: [false, true]) func theExampleWithoutAHandler(isRefused: Bool) async throws {
        let home = try await Household(handlers: [])
        let (session, journal, key) = (home.session, home.journal, "avatar-of-room")
        let iq = query
        func hideOverlay() { journal.note("hidden") }
        func show(_ text: String) { journal.note(text) }
        server.answer { _ in
            let error = "<error type='auth'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
            return isRefused ? ["<iq type='error' from='room@chat.example.org' id='q1'>\(error)</iq>"] : [answer]
        }
        try await home.run(server) {
            let promise = try await session.promise(NoValue.self, key: key, timeout: .seconds(3600)) { promise, work in
                try work.request(iq, promise: promise)
            }
            do {
                try await promise.withValue { _ in hideOverlay() }
            } catch let rejection as PromiseRejection {
                show(rejection.message)
            }
        }
        #expect(journal.all == [isRefused ? "forbidden" : "hidden"])
    }

    /// Stored in a value, each byte of this text takes four.
    private static let longText = String(repeating: ">", count: PromiseLimits.payloadLength / 4)

    /// No later program can store a value that is too long.
    @Test(arguments: ["", longText]) func anAnswerIsTheValueOfAPromise(text: String) async throws {
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let session = try await DurableSession(account: Household.account, database: database, promises: promises)
        await session.otherwise(.ignore)
        let promise = try await session.promise(Element.self, key: "k") { promise, work in
            try work.request(query, promise: promise)
        }
        let requests = try await database.read { try $0.requests.requests(of: Household.account) }
        #expect(requests.map(\.timeout) == [120])
        server.answer { _ in
            ["<iq type='result' from='room@chat.example.org' id='q1'><vCard xmlns='vcard-temp'>\(text)</vCard></iq>"]
        }
        let running = Task { try await session.run(connecting: server) }
        do {
            let answer = try await promise.value
            #expect(answer["id"] == "q1" && answer.child("vCard", namespace: .uri("vcard-temp")) != nil)
        } catch let rejection as PromiseRejection {
            #expect(rejection.code == "answer-not-handled" && text == Self.longText)
        }
        await running.stop()
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
                _ = try await home.promises.create(String.self, key: "k")
            }
        }
        #expect(try await home.database.read { try $0.promises.allPromises().count } == 0)
        let bare = try await DurableSession(
            account: "romeo@example.org", database: home.database, registry: HandlerRegistry(handlers: []))
        await #expect(throws: RequestError.withoutPromises) {
            try await bare.promise(String.self, key: "k") { _, _ in }
        }
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
