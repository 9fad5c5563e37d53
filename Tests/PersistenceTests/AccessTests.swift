// Accesses that wait while the database is frozen, closed, or held by another process.

import Foundation
import GRDB
import Handlers
import Locking
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMPPCore

@Suite(.fewAtOnce) struct AccessTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private static let account: JID = "juliet@example.org"

    /// An access that waits for its turn does not begin, and a running transaction does not commit.
    @Test func whatWaitsWhenTheDatabaseIsFrozenIsNotDone() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
        try await holding { holder in
            await #expect(throws: StanzaDatabaseError.frozen) {
                try await database.write { transaction in
                    holder.hold()
                    try transaction.db.execute(sql: "INSERT INTO note VALUES ('held')")
                }
            }
        } during: { holder in
            let waiting = Task { try await database.write { try $0.db.execute(sql: "INSERT INTO note VALUES ('')") } }
            try await eventually("it waits") { database.waitingCount == 1 }
            let freezing = Task { await blocking { database.freeze() } }
            try await eventually("it is being frozen") { !database.isOpen }
            holder.letGo()
            await #expect(throws: StanzaDatabaseError.frozen) { try await waiting.value }
            await freezing.value
        }
        await #expect(throws: StanzaDatabaseError.frozen) { try await database.read { _ in } }
        try await database.unfreeze()
        #expect(try await database.read { try $0.db.count("note") } == 0)
    }

    /// The statement would run for hours. The transaction hides its interruption, and continues.
    @Test(.timeLimit(.minutes(60)), arguments: [false, true])
    func freezingInterruptsStatements(isReading: Bool) async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            if isReading {
                try await database.read { transaction in
                    begin.finish()
                    _ = try Int.fetchOne(transaction.db, sql: endless)
                }
            } else {
                try await database.write { transaction in
                    begin.finish()
                    try? transaction.db.execute(sql: "INSERT INTO note \(endless)")
                    try? transaction.db.execute(sql: "INSERT INTO note VALUES ('')")
                }
            }
        }
        for await _ in begun {}
        await blocking { database.freeze() }
        await #expect(throws: StanzaDatabaseError.frozen) { try await running.value }
        try await database.unfreeze()
        #expect(try await database.read { try $0.db.count("note") } == 0)
    }

    #if os(Linux) || os(macOS)
    @Test func aTransactionMustNotFreezeItsDatabase() async {
        await #expect(processExitsWith: .failure) {
            let place = try TemporaryDatabase()
            let database = try await place.open()
            try await database.write { _ in database.freeze() }
        }
        await #expect(processExitsWith: .failure) {
            let place = try TemporaryDatabase()
            let database = try await place.open()
            try await database.write { $0.db.afterNextTransaction { _ in database.close() } }
        }
    }
    #endif

    /// A read does not wait for a write of this process or another one, and a write does not wait for reads.
    @Test func noReadWaitsForAWrite() async throws {
        let (database, other) = (try await place.open(), try await place.open())
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await center.create(Int.self)
        for writer in [database, other] {
            try await holding { holder in
                struct Undone: Error {}
                await #expect(throws: Undone.self) {
                    try await writer.write { transaction in
                        try transaction.promises.remove(promise.id)
                        holder.hold()
                        throw Undone()
                    }
                }
            } during: { holder in
                let start = ContinuousClock.now
                // More than there are connections.
                for _ in 0..<(3 * PersistenceLimits.readers) {
                    let state = try await promise.state
                    #expect(state == .pending)
                }
                #expect(holder.isHeld)
                #expect(ContinuousClock.now - start < .seconds(60))
                holder.letGo()
            }
        }
        try await holding { holder in
            try await database.read { _ in holder.hold() }
        } during: { holder in
            try await promise.fulfill(7)
            #expect(holder.isHeld)
            holder.letGo()
        }
    }

    @Test func whatWaitsWhenTheDatabaseIsClosedIsDone() async throws {
        let database = try await place.open()
        try await holding { holder in
            try await database.write { _ in holder.hold() }
        } during: { holder in
            let waiting = Task {
                try await database.write { try Int.fetchOne($0.db, sql: "SELECT 7") }
            }
            try await eventually("it waits") { database.waitingCount == 1 }
            let closing = Task { await blocking { database.close() } }
            try await eventually("it is being closed") { !database.isOpen }
            holder.letGo()
            #expect(try await waiting.value == 7)
            await closing.value
        }
        await #expect(throws: StanzaDatabaseError.closed) { try await database.read { _ in } }
    }

    /// The last reference to a database goes away while the database looks for changes of others.
    @Test func theLastOneMayLetGoWhileOthersWrite() async throws {
        let other = try await place.open()
        try await other.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
        let writing = Task {
            while !Task.isCancelled {
                try await other.write { try $0.db.execute(sql: "INSERT INTO note VALUES ('')") }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        for _ in 0..<20 {
            let count = try await place.open().read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM note") }
            #expect(count != nil)
        }
        writing.cancel()
        _ = await writing.result
    }

    /// The limit also holds for calls that wait already, and not for other accounts.
    @Test func noCallerWaitsBeyondItsDeadline() async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 3600
        let database = try await place.open(options)
        let (session, other) = (try database.openSession(Self.account), try database.openSession("romeo@example.org"))
        let third = try await place.open()
        try await holding { holder in
            try await third.write { _ in holder.hold() }
        } during: { holder in
            let waiting = Task {
                await blocking { Result { try session.write([.lastDisconnect(Date())]) } }
            }
            try await Task.sleep(for: .milliseconds(50))
            database.limitWaiting(for: Self.account, until: .now)
            await #expect(throws: StanzaDatabaseError.busy) { try await waiting.value.get() }
            let patient = Task {
                await blocking { Result { try other.write([.lastDisconnect(Date())]) } }
            }
            try await Task.sleep(for: .milliseconds(50))
            holder.letGo()
            try await patient.value.get()
        }
    }
}
