// The examples of the article GettingStarted without macros.

import TestSupport
import Testing
import XMPPSession

/// The same handlers.
enum PlainAvatars: HandlerProvider {
    private static let promise = HandlerParameter("promise", Promise<String>.self)

    static let removed = HandlerDefinition(
        "Avatars|removed", isSingleShot: true, promise, HandlerParameter("room", String.self),
        HandlerParameter("iq", Element.self)
    ) { promise, room, iq in
        if let error = StanzaError(iq) {
            try await promise.reject(
                PromiseRejection(code: error.condition, message: error.text ?? error.condition, stanza: iq))
        } else {
            try await promise.fulfill("\(room) has no avatar any more")
        }
    }

    static let notRemoved = HandlerDefinition(
        "Avatars|notRemoved", promise, HandlerParameter("reason", InvalidationReason.self)
    ) { promise, reason in
        try await promise.reject(PromiseRejection(code: reason.rawValue, message: "no answer came"))
    }

    static let handlers = [removed, notRemoved]
}

@Suite(.fewAtOnce) struct WithoutMacrosTests {
    /// The request waits as long as its promise. The session calls a handler by hand, too.
    @Test func answersAndCalls() async throws {
        let folder = try TemporaryFolder()
        let (account, room, server) = (Household.account, "coven@chat.example.org", FakeServer())
        server.answer { _ in ["<iq type='result' from='coven@chat.example.org' id='q1'/>"] }
        let database = try await StanzaDatabase.open(at: folder.database)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let session = try await DurableSession(
            account: account, database: database, handlers: PlainAvatars.self, promises: promises)
        await session.otherwise(.ignore)
        let iq = try Element(stanza: "<iq type='set' to='\(room)' id='q1'><vCard xmlns='vcard-temp'/></iq>")
        let promise = try await session.promise(String.self, key: "k", timeout: .seconds(3600)) { promise, work in
            let handler = try PlainAvatars.removed.handler(
                invalidation: PlainAvatars.notRemoved, binding: ["promise": promise, "room": room])
            try await work.request(iq, handler: handler)
        }
        #expect(try await database.read { try $0.requests.requests(of: account).map(\.timeout) } == [3600])
        let running = Task { try await session.run(connecting: server) }
        #expect(try await promise.value == "coven@chat.example.org has no avatar any more")
        await running.stop()

        let other = try await promises.create(String.self)
        let handler = try PlainAvatars.removed.handler(
            invalidation: PlainAvatars.notRemoved, binding: ["promise": other])
        try await session.handlers.invalidate(handler, because: .canceled)
        await #expect(throws: PromiseRejection(code: "cancelled", message: "no answer came")) {
            try await other.value
        }
        // The macros store the same names, parameters and marks.
        func texts(_ handlers: [HandlerDefinition]) -> [String] {
            handlers.map { "\($0.name) \($0.parameters.map(\.name).sorted()) \($0.isSingleShot)" }
        }
        #expect(texts(PlainAvatars.handlers) == texts(Avatars.handlers))
    }
}
