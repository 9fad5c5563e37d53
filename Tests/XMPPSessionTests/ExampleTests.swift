// The examples of the documentation, word for word.

import GRDB
import HandlerMacros
import Handlers
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPSession

@Suite(.fewAtOnce) struct ExampleTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    @Test func aSessionWithRoutesAndRequests() async throws {
        func show(_ text: String) { Issue.record("\(text)") }
        let database = try await StanzaDatabase.open(at: folder.database)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE inbox (id TEXT)") }
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let session: DurableSession
        do {
            session = try await DurableSession(
                account: "juliet@example.org", database: database, handlers: Avatars.self, promises: promises)
        } catch StorageError.inUse {
            show("another process runs the session")
            return
        }
        try await session.on("/{jabber:client}message/body") { stanza, work in
            if stanza["type"] == "error" { return }
            try work.changes.add { transaction in
                try transaction.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
            }
        }
        await session.otherwise(.ignore)

        await session.stream.configure { $0 = .patient }
        let running = Task { [server] in try await session.run(connecting: server) }
        try await session.stream.until("the session runs") { $0.state == .enabled }
        server.say("<message id='m1'><body>hi</body></message>")
        server.answer { ["<iq type='result' from='coven@chat.example.org' id='\($0["id"] ?? "")'/>"] }
        let room = "coven@chat.example.org"
        let iq = xml("<iq type='set' to='coven@chat.example.org'><vCard xmlns='vcard-temp'/></iq>")

        let promise = try await session.promise(String.self, key: "avatar-of-coven", timeout: .seconds(3600)) {
            promise, work in
            let handler = try Avatars.$removed.handler(
                invalidation: Avatars.$notRemoved, binding: #named(promise, room))
            try await work.request(iq, handler: handler)
        }
        let shown = try await promise.value
        #expect(shown == "coven@chat.example.org has no avatar any more")

        running.cancel()
        _ = await running.result
        let ids = try await database.read { try String.fetchAll($0.db, sql: "SELECT id FROM inbox") }
        #expect(ids == ["m1"])
    }
}
