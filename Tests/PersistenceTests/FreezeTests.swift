// A process that has frozen its database holds no lock, at any moment at which the system stops it.

import Foundation
import GRDB
import Handlers
import Locking
import Persistence
import StreamManagement
import TestSupport
import Testing

@Suite(.fewAtOnce) struct FreezeTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// The latest moment of a stop, in microseconds after the process has printed that it is frozen.
    private static let latestStop: UInt32 = 4000

    #if os(Linux)
    @Test("A process that is stopped after a freeze holds no lock, and another process can write")
    func stopped() async throws {
        let count = Int(ProcessInfo.processInfo.environment["STANZA_STOPS"] ?? "") ?? 300
        var options = StanzaDatabase.Options()
        options.busyTimeout = 1
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE turn (number INTEGER)") }
        database.close()
        let probe = try Probe(place.path, "freezes")
        #expect(try await probe.line() == "ready")
        var milliseconds: [Double] = []
        for number in 0..<count {
            probe.write("\n")
            milliseconds.append(try #require(Double(try await probe.line())))
            await blocking { _ = usleep(.random(in: 0...Self.latestStop)) }
            probe.send(SIGSTOP)
            try #require(try locks(on: place.path) == [:], "stop \(number)")
            let database = try await place.open(options)
            try await database.write { try $0.db.execute(sql: "INSERT INTO turn VALUES (\(number))") }
            database.close()
            probe.send(SIGCONT)
        }
        probe.send(SIGKILL)
        #expect(await probe.finish().signal == SIGKILL)
        let written = try await place.open().read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM turn") }
        #expect(written == count)
        // A freeze may wait for a commit, and a busy machine for its processor.
        #expect(milliseconds.sorted()[count / 2] < 50)
    }
    #endif

    #if os(Linux) || os(macOS)
    /// A transaction that an interrupted ROLLBACK leaves open would end the process.
    @Test func anInterruptionLeavesNoTransactionOpen() async {
        await #expect(processExitsWith: .success) {
            struct Undone: Error {}
            let place = try TemporaryDatabase()
            let database = try await place.open()
            try await database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
            let isOver = Lock(false)
            async let interrupting: Void = blocking {
                while !isOver.withLock(\.self) {
                    database.interruptStatements()
                    usleep(.random(in: 0...20))
                }
            }
            for _ in 0..<4000 {
                await #expect(throws: (any Error).self) {
                    try await database.write { transaction in
                        try transaction.db.execute(sql: "INSERT INTO note VALUES ('')")
                        throw Undone()
                    }
                }
                _ = try? await database.read { try $0.db.count("note") }
            }
            isOver.withLock { $0 = true }
            await interrupting
            try #require(try await database.write { try $0.db.count("note") } == 0)
        }
    }
    #endif

    /// The files of the database that this process has open.
    private func databaseFiles() throws -> [String] {
        // The system may name the folder by another path, but not by another name.
        try openFiles().filter { $0.contains(place.folder.lastPathComponent) }
    }

    @Test("One freeze closes the files of a session, a handler and a waiting task")
    func freezesAll() async throws {
        let database = try await place.open()
        let session = try database.openSession("hecate@shakespeare.lit")
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self, key: "k")
        _ = try await AnsweredHandler.keep(promise, in: database)
        let shown = Task { try await promise.value }
        #expect(try databaseFiles() != [])
        database.freeze()
        #expect(try databaseFiles() == [])
        #expect(try await Probe(place.path, "answer", "value").finish().output == "1")
        try await database.unfreeze()
        #expect(try await shown.value == "value")
        #expect(try session.load() == nil)
    }

    #if os(Linux)
    /// iOS ends a suspended process that holds another lock.
    @Test("An idle session holds no lock but SQLite's own shared ones, and none when it is frozen or closed")
    func idle() async throws {
        let database = try await place.open()
        _ = try await AnsweredHandler.keep(
            PromiseCenter.start(store: database, role: .consumer).create(String.self), in: database)
        let session = try database.openSession("juliet@example.org")
        for _ in 0..<3 {
            try session.write([.append(.sample(1))])
            // The center of the promises may still be writing.
            try await eventually("only SQLite's own shared locks are held") {
                let held = try locks(on: place.path)
                return held.keys.contains("-shm") && Set(held.keys).isSubset(of: ["", "-shm"])
                    && held.values.allSatisfy { $0 == ["READ"] }
            }
            database.freeze()
            #expect(try locks(on: place.path) == [:])
            // Copying the log to the file would take time.
            let log = try FileManager.default.attributesOfItem(atPath: place.path + "-wal")
            #expect(try #require(log[.size] as? Int) > 0)
            try await database.unfreeze()
        }
        session.close()
        database.close()
        #expect(try locks(on: place.path) == [:])
    }
    #endif

    @Test func anAcknowledgementIsRepeatedWhenTheDatabaseIsUnfrozen() async throws {
        let database = try await place.open()
        let app = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
        try await promise.withValue { _ in database.freeze() }
        try await database.unfreeze()
        try await eventually("the outcome is acknowledged") { try await app.openPromises().isEmpty }
    }

    /// While a reader keeps the log, it grows without bound, and a commit may copy any length of it.
    @Test(.timeLimit(.minutes(60))) func aFreezeInterruptsTheCopyingOfALongLog() async throws {
        let length = 64 << 20
        let copying = Lock<StanzaDatabase?>(nil)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.contains("checkpoint"),
                let database = copying.withLock({ $0.take() })
            else { return }
            Thread.detachNewThread { database.freeze() }
            while database.isOpen { usleep(100) }
        }
        let database = try await place.open(options)
        try await database.write { try $0.db.execute(sql: "CREATE TABLE blobs (bytes BLOB)") }
        let mayEnd = DispatchSemaphore(value: 0)
        let (isReading, reads) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await database.read { transaction in
                _ = try transaction.db.count("blobs")
                reads.finish()
                mayEnd.wait()
            }
        }
        for await _ in isReading {}
        let insert = "INSERT INTO blobs VALUES (zeroblob(?))"
        try await database.write { try $0.db.execute(sql: insert, arguments: [length]) }
        mayEnd.signal()
        try await reading.value
        copying.withLock { $0 = database }
        // Its commit is complete when the copying begins.
        try await database.write { try $0.db.execute(sql: insert, arguments: [8 << 20]) }
        database.freeze()
        let size = try FileManager.default.attributesOfItem(atPath: place.path)[.size] as? Int
        #expect(try #require(size) < length / 2)
        #expect(copying.withLock { $0 == nil })
        try await database.unfreeze()
        #expect(try await database.read { try $0.db.count("blobs") } == 2)
    }

    /// Freezing copies nothing, so later commits have to.
    @Test func theLogDoesNotGrowWithEachFreeze() async throws {
        let database = try await place.open()
        try await database.write { try $0.db.execute(sql: "CREATE TABLE blobs (bytes BLOB)") }
        for _ in 0..<30 {
            try await database.write { try $0.db.execute(sql: "INSERT INTO blobs VALUES (zeroblob(1 << 20))") }
            database.freeze()
            try await database.unfreeze()
        }
        let size = try FileManager.default.attributesOfItem(atPath: place.path + "-wal")[.size] as? Int
        #expect(try #require(size) < 10 << 20)
    }
}
