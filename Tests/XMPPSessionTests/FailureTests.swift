// Failures outside the session: the database fails, handlers throw errors of the session, and answers cannot arrive.

import Foundation
import GRDB
import Handlers
import Persistence
import Promises
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct FailureTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// The database fails more often than the session tries a stanza whose handler fails.
    @Test(arguments: [false, true]) func whatTheDatabaseCouldNotDoOnceIsDoneThen(inSavepoint: Bool) async throws {
        let (home, session, journal) = try await household(attempts: 2)
        try await session.on("/{jabber:client}message") { stanza, work in
            let id = stanza["id"] ?? ""
            try work.database.add { transaction in
                journal.note(id)
                // The database has no room until the fourth attempt.
                let pages = id == "1" && journal.all.count < 4 ? 1 : 1_000_000
                let database = transaction.database
                try database.execute(sql: "PRAGMA max_page_count = \(pages)")
                let insert = { try database.execute(sql: "INSERT INTO note VALUES (zeroblob(100000))") }
                if !inSavepoint { return try insert() }
                // GRDB rolls back to the savepoint before it rethrows. SQLite no longer reports the failure then.
                try database.inSavepoint {
                    try insert()
                    return .commit
                }
            }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            for id in 1...3 { server.say("<message id='\(id)'/>") }
            try await eventually("all are handled") { journal.all.count == 6 }
            try await eventually("the server has all acknowledgements") {
                try? await session.stream.sendAcknowledgement()
                return server.unacknowledgedCount == 0
            }
        }
        #expect(journal.all == ["1", "1", "1", "1", "2", "3"])
    }

    private func household(attempts: Int) async throws -> (Household, DurableSession, Journal) {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = attempts
        let home = try await Household(folder, configuration: configuration)
        try await home.database.write {
            try $0.database.execute(
                sql: """
                    CREATE TABLE note (text);
                    CREATE TABLE line (id INTEGER PRIMARY KEY, note INTEGER REFERENCES line (id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        return (home, home.session, home.journal)
    }

    /// Expects that the first message changes nothing and becomes a dead letter, and that the session handles the next.
    private func expectSetAside(
        _ fault: @escaping @Sendable (DatabaseTransaction) throws -> Void
    ) async throws {
        let (home, session, journal) = try await household(attempts: 2)
        try await session.on("/{jabber:client}message") { stanza, work in
            let id = stanza["id"] ?? ""
            try work.database.add { transaction in
                journal.note(id)
                try transaction.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id])
                if id == "1" { try fault(transaction) }
            }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            for id in 1...2 { server.say("<message id='\(id)'/>") }
            try await eventually("both have ended") {
                try? await session.stream.sendAcknowledgement()
                return server.unacknowledgedCount == 0
            }
        }
        #expect(journal.all == ["1", "1", "2"])
        let notes = try await home.database.read { try String.fetchAll($0.database, sql: "SELECT text FROM note") }
        #expect(notes == ["2"])
        #expect(server.binds == 1)
        #expect(server.resumptions == 0)
    }

    @Test func anotherDatabaseThatIsBusyIsTheStanzasFault() async throws {
        let path = folder.url.appending(path: "other.db").path
        let holder = try DatabaseQueue(path: path)
        let other = try DatabaseQueue(path: path)
        try await expectSetAside { _ in
            try holder.inDatabase { database in
                try database.inTransaction(.exclusive) {
                    try other.inDatabase { try $0.execute(sql: "CREATE TABLE note (text)") }
                    return .rollback
                }
            }
        }
    }

    @Test func anotherDatabaseThatIsFullIsTheStanzasFault() async throws {
        let other = try DatabaseQueue(path: folder.url.appending(path: "other.db").path)
        try await other.writeWithoutTransaction { database in
            try database.execute(sql: "CREATE TABLE note (text)")
            try database.execute(sql: "PRAGMA max_page_count = 1")
        }
        try await expectSetAside { _ in
            try other.inDatabase { try $0.execute(sql: "INSERT INTO note VALUES (zeroblob(100000))") }
        }
    }

    /// SQLite checks the key only when the transaction commits.
    @Test func aForeignKeyThatIsViolatedInTheEndIsTheStanzasFault() async throws {
        try await expectSetAside { try $0.database.execute(sql: "INSERT INTO line VALUES (1, 7)") }
    }

    /// The run ends with the database's error, and the stanza comes again in the next run. No handler could have
    /// handled it.
    @Test func whatTheDatabaseCannotLookUpIsNotTheStanzasFault() async throws {
        let (home, session, journal) = try await household(attempts: 1)
        let running = home.start(server)
        try await eventually("the session runs") { await session.stream.state == .enabled }
        try await session.request(query, handler: home.handler(), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        try await home.database.write { try $0.database.execute(sql: "ALTER TABLE handler RENAME TO hidden") }
        server.say("<iq type='result' from='room@chat.example.org' id='q1'/>")
        _ = await running.result
        #expect(journal.all == [])
        try await home.database.write { try $0.database.execute(sql: "ALTER TABLE hidden RENAME TO handler") }
        try await home.run(server) {
            try await eventually("it is handled") { try await home.requests() == [] }
        }
        #expect(journal.all == ["answered result"])
        #expect(server.binds == 1)
    }

    // MARK: Ends of requests

    @Test(arguments: ["Test|cancelled", "Test|closed"] as [HandlerName])
    func anInvalidationThatFailsHoldsUpNoOther(invalidation: HandlerName) async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(invalidation: invalidation))
            try await home.session.request(
                xml("<iq type='get' to='room@chat.example.org' id='q2'/>"), handler: home.handler())
            try await home.database.write { try $0.database.execute(sql: "UPDATE request SET deadline = 0") }
            home.session.observer.tellOfEndings()
            try await eventually("the other one has ended") { home.journal.all.contains("ended timed-out") }
            try await eventually("both have") { try await home.requests() == [] }
        }
        #expect(home.journal.all.filter { $0 == "failing end" }.count == 5)
    }

    /// The session waits between the attempts, however often it wakes.
    @Test func anInvalidationIsNotGivenUpForHowOftenTheSessionWakes() async throws {
        let home = try await Household(folder)
        let beginning = ContinuousClock.now
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(invalidation: "Test|cancelled"))
            try await home.end("q1")
            try await eventually("it has ended") {
                home.session.observer.tellOfEndings()
                return try await home.requests() == []
            }
        }
        #expect(home.journal.all.count == 5)
        #expect(ContinuousClock.now - beginning >= .seconds(4))
    }

    @Test func requestsThatWereNeverSentEndWithTheSession() async throws {
        let home = try await Household(folder)
        try await home.session.request(query, handler: home.handler(), timeout: nil)
        try await home.session.request(
            xml("<iq type='get' to='room@chat.example.org' id='q2'/>"),
            handler: home.handler(invalidation: "Test|closed"),
            timeout: nil)
        await home.session.close()
        #expect(try await home.requests() == [])
        #expect(home.journal.all.filter { $0 == "ended disconnected" }.count == 1)
        #expect(home.journal.all.filter { $0 == "failing end" }.count == 5)
    }

    // MARK: Handlers that ask

    /// More stanzas precede the answer than may wait to be handled.
    @Test func aHandlerMayWaitForAnAnswerBehindManyStanzas() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnhandled = 4
        let home = try await Household(folder, configuration: configuration)
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, _ in
            let id = stanza["id"] ?? ""
            if id == "1" { journal.note(try await session.request(query)["type"] ?? "") }
            journal.note(id)
        }
        server.answer { stanza in
            guard stanza["type"] == "get" else { return [] }
            return (2...20).map { "<message id='\($0)'/>" } + [
                "<iq type='result' from='room@chat.example.org' id='q1'/>"
            ]
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("all are handled") { journal.all.last == "20" }
        }
        #expect(journal.all == ["result"] + (1...20).map { "\($0)" })
    }

    @Test func aHandlerThatAsksWithoutAConnectionIsNotGivenUp() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 2
        let home = try await Household(folder, configuration: configuration)
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { _, _ in
            journal.note("asks")
            // Waits until the connection is gone.
            while await session.stream.state == .enabled, !journal.all.contains("up") {
                try await Task.sleep(for: .milliseconds(2))
            }
            let timeout: Duration = journal.all.contains("up") ? .seconds(600) : .milliseconds(1)
            let asking = xml("<iq type='get' to='room@chat.example.org'/>")
            journal.note(try await session.request(asking, timeout: timeout)["type"] ?? "")
        }
        server.answer { ["<iq type='result' from='room@chat.example.org' id='\($0["id"] ?? "")'/>"] }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("it is handled") { journal.all == ["asks"] }
            server.setDown(true)
            server.cut()
            try await eventually("it was tried more often than a stanza is") {
                journal.all.filter { $0 == "asks" }.count > 3
            }
            journal.note("up")
            server.setDown(false)
            try await eventually("it is handled") { journal.all.last == "result" }
        }
        #expect(journal.all.filter { $0 == "result" }.count == 1)
    }

    // MARK: Other processes

    @Test func whoLosesTheSessionWhileConnectingSaysSo() async throws {
        let app = try await Household(folder)
        let held = HeldConnector(server: server, journal: app.journal, word: "go on")
        let running = Task { [session = app.session] in try await session.run(connecting: held) }
        try await eventually("it connects") { app.journal.all == ["connecting"] }
        let other = try await Household(folder, takingOver: true)
        app.journal.note("go on")
        guard case .takenOver = try await running.value else {
            Issue.record("expected the run to end because the session was taken over")
            return
        }
        #expect(server.binds == 0)
        #expect(try await other.requests() == [])
    }

    // MARK: Stanzas that could not be read back

    @Test func aStanzaThatIsTooDeepIsRefused() async throws {
        let home = try await Household(folder)
        var deep = try MutableElement("forwarded", namespace: .uri("urn:xmpp:forward:0")).freeze()
        for _ in 1...300 {
            let inner = deep
            deep = try MutableElement("forwarded", namespace: .uri("urn:xmpp:forward:0")) { inner }.freeze()
        }
        let content = deep
        let message = try MutableElement("message", namespace: .uri("jabber:client")) { content }.freeze()
        await #expect(throws: XMLParseError.self) { try await home.session.send(message) }
        await #expect(throws: XMLParseError.self) {
            try await home.session.together { work in try work.send(message) }
        }
        // The stream refuses the stanza, too.
        await #expect(throws: XMLParseError.self) { try await home.session.stream.send(message) }
        await #expect(throws: XMLParseError.self) {
            try await home.session.stream.send(contentsOf: [xml("<message/>"), message])
        }
        await #expect(throws: XMLParseError.self) {
            try await home.database.collect { _ in
            } commit: { work, _ in
                _ = try await home.session.stream.commit(
                    nil, with: work, in: home.database, sending: [message])
            }
        }
        #expect(await home.session.stream.unacknowledged.isEmpty)
    }

    // MARK: Reports

    @Test func aRunThatABrokenDatabaseEndsIsReported() async throws {
        let (home, session, _) = try await household(attempts: 2)
        let events = await session.stream.events()
        let running = home.start(server)
        try await eventually("the session runs") { await session.stream.state == .enabled }
        try await home.database.write { try $0.database.execute(sql: "ALTER TABLE request RENAME TO hidden") }
        session.observer.tellOfEndings()
        guard case .storageFailed = try await running.value else {
            Issue.record("expected the run to end because of the database")
            return
        }
        for await event in events {
            guard case .disconnected(let end) = event else { continue }
            if case .storageFailed = end {} else { Issue.record("expected the storage's failure, got \(end)") }
            break
        }
    }

    /// A run that ends by itself says nothing about a transaction, nor do the stanzas of its session.
    @Test func aTransactionDuringTheEndOfARunIsStored() async throws {
        let (home, session, _) = try await household(attempts: 2)
        for number in 1...20 {
            let running = home.start(server)
            try await eventually("the session runs", isHasty: true) { await session.stream.state == .enabled }
            let storing = Task {
                try await session.together { work in
                    try work.database.add { transaction in
                        try transaction.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [number])
                    }
                }
            }
            running.cancel()
            try await storing.value
            _ = await running.result
        }
        let count = try await home.database.read { try Int.fetchOne($0.database, sql: "SELECT count(*) FROM note") }
        #expect(count == 20)
    }
}
