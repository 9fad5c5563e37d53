// The examples of the articles and the doc comments, word for word: .ci/check examples compares them.

import Foundation
import GRDB
import Handlers
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite(.fewAtOnce) struct DocumentationTests {
    @Test func openingAndTransactions() async throws {
        let place = try TemporaryDatabase()
        let path = place.path
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        #expect(FileManager.default.fileExists(atPath: path))

        let promise = try await promises.create(String.self)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE avatar (hash TEXT)") }
        try await database.write { try $0.db.execute(sql: "INSERT INTO avatar VALUES ('')") }
        try await database.write { transaction in
            try promise.fulfill("published", in: transaction.promises)
            try transaction.db.execute(sql: "UPDATE avatar SET hash = ?", arguments: ["a1b2"])
        }
        #expect(try await promise.value == "published")
        let hash = try await database.write { try String.fetchOne($0.db, sql: "SELECT hash FROM avatar") }
        #expect(hash == "a1b2")
    }

    @Test func migrations() async throws {
        let place = try TemporaryDatabase()
        let path = place.path
        var migrations = DatabaseMigrator()
        migrations.registerMigration("avatars") { try $0.execute(sql: "CREATE TABLE avatar (hash TEXT)") }
        let database = try await StanzaDatabase.open(at: path, options: .init(migrations: migrations))
        #expect(try await database.read { try $0.db.count("avatar") } == 0)
    }

    @Test func sessionsInTransactions() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        func show(_ text: String) { Issue.record("\(text)") }
        let counter = StanzaCounter(rawValue: 1)
        let session: DatabaseSession
        do {
            session = try database.openSession("juliet@example.org")
        } catch StorageError.inUse {
            show("another process has the session")
            return
        }
        try await database.collect { changes in
            try await promise.fulfill("published")
            try changes.add { try session.write([.handled(counter)], in: $0) }
        }
        #expect(try session.load()?.handledByClient == counter)
        #expect(try await promise.value == "published")
    }

    @Test func handlersInTransactions() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        let handlers = try AnsweredHandler.dispatcher(["promises": promises])
        let handler = try handlers.handler("Probe|answered", binding: ["promise": promise])
        try await database.collect { changes in
            try await handlers.call(handler, ["words": "done", "changes": changes])
        }
        #expect(try await promise.value == "done")
    }

    /// KeepingHandlers.md.
    @Test func handlersInTheirOwnTable() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self)
        let handlers = try AnsweredHandler.dispatcher(["promises": promises])
        let data = try handlers.data(of: handlers.handler("Probe|answered", binding: ["promise": promise]))
        let id = 7
        try await database.write {
            try $0.db.execute(sql: "CREATE TABLE callback (id INTEGER)")
            try $0.db.execute(sql: "INSERT INTO callback VALUES (?)", arguments: [id])
        }
        func call() async throws {
            try await database.collect { changes in
                try changes.add { transaction in
                    try transaction.db.execute(sql: "DELETE FROM callback WHERE id = ?", arguments: [id])
                    if transaction.db.changesCount == 0 { throw HandlerError(.alreadyCalled) }
                }
                try await handlers.call(stored: data, ["words": "done", "changes": changes])
            }
        }
        try await call()
        await #expect(throws: HandlerError(.alreadyCalled)) { try await call() }
        #expect(try await promise.value == "done")
    }

    /// A session's life over two processes, one after the other.
    @Test func aSessionOutlivesItsProcess() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        let message = try Element(stanza: "<message id='m1'/>")
        let transport = BrokenTransport()
        let features = StreamFeatures()
        var configuration = StreamManagementConfiguration()
        configuration.resumesAutomatically = true
        let session = try await StreamSession(
            account: "juliet@example.org", storage: database, configuration: configuration)
        let sent = try await session.send(message)
        let end = try await session.run(on: transport, features: features)
        guard case .lost = end else {
            Issue.record("\(end)")
            return
        }
        await #expect(throws: StorageError.inUse(account: "juliet@example.org")) {
            try await StreamSession(account: "juliet@example.org", storage: database)
        }
        try await session.suspend()
        database.close()
        let second = try await place.open()
        let next = try await StreamSession(account: "juliet@example.org", storage: second)
        #expect(await next.unacknowledged.map(\.element) == [message])
        #expect(await next.unacknowledged.map(\.number) == [sent.number])
        await next.close()
        let stored = try await second.write { try $0.sessions.accounts() }
        #expect(stored == [])
    }
}

/// A connection that is lost before the first element.
private struct BrokenTransport: StanzaTransport {
    struct Lost: Error {}

    func receive() async throws -> Element? { throw Lost() }
    func send(_ bytes: [UInt8]) async throws { throw Lost() }
    func bind() async throws -> String { throw Lost() }
    func close() async {}
    func abort() async {}
}
