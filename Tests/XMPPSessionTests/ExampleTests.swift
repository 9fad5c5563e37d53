// The examples of the documentation, as they stand there.

import GRDB
import Handlers
import Persistence
import Promises
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPSession

@Suite(.fewAtOnce) struct ExampleTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private let avatarRemoved = HandlerDefinition(
        "Avatar|removed", HandlerParameter("iq", Element.self), HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("work", DatabaseWork.self)
    ) { iq, promise, work in
        if let error = StanzaError(iq) {
            try promise.reject(error, in: work)
        } else {
            try promise.fulfil("removed", in: work)
        }
    }

    private let avatarLost = HandlerDefinition(
        "Avatar|lost", HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("reason", InvalidationReason.self), HandlerParameter("work", DatabaseWork.self)
    ) { promise, reason, work in
        try promise.reject(PromiseRejection(code: reason.rawValue), in: work)
    }

    @Test func aSessionWithRoutesAndRequests() async throws {
        func show(_ text: String) { Issue.record("\(text)") }
        let database = try await StanzaDatabase.open(at: folder.database)
        try await database.write { try $0.database.execute(sql: "CREATE TABLE inbox (id TEXT)") }
        let promises = try await PromiseCentre.start(store: database, role: .consumer)
        let registry = try HandlerRegistry(handlers: [avatarRemoved, avatarLost])
        let handlers = HandlerCentre(registry: registry, store: database)
        let session: DurableSession
        do {
            session = try await DurableSession(
                account: "juliet@example.org", database: database, registry: registry, promises: promises)
        } catch StorageError.inUse {
            show("another process runs the session")
            return
        }
        try await session.on("/{jabber:client}message/body") { stanza, work in
            try work.database.add { transaction in
                try transaction.database.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
            }
        }

        await session.stream.configure { $0 = .patient }
        let running = Task { [server] in try await session.run(connecting: server) }
        try await eventually("the session runs") { await session.stream.state == .enabled }
        server.say("<message id='m1'><body>hi</body></message>")
        server.answer { ["<iq type='result' from='coven@chat.example.org' id='\($0["id"] ?? "")'/>"] }
        let iq = xml("<iq type='set' to='coven@chat.example.org'><vCard xmlns='vcard-temp'/></iq>")

        let promise = try await session.promise(String.self, key: "avatar-of-coven", timeout: .seconds(3600)) {
            promise, work in
            let handler = try handlers.handler(
                "Avatar|removed", invalidation: "Avatar|lost", binding: ["promise": promise])
            try await work.request(iq, handler: handler, timeout: .seconds(3600))
        }
        let shown = try await promise.value
        #expect(shown == "removed")

        running.cancel()
        _ = await running.result
        let ids = try await database.read { try String.fetchAll($0.database, sql: "SELECT id FROM inbox") }
        #expect(ids == ["m1"])
    }
}
