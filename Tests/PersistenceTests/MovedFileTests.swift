// Files that are moved or replaced while processes have them open. No commit gets into another file, and SQLite deletes
// no log that a database needs. A deleted file is like a moved one.

import Foundation
import GRDB
import Handlers
import Locking
import Testing

@testable import Persistence

@Suite(.fewAtOnce) struct MovedFileTests {
    private let place: TemporaryDatabase
    private var old: String { place.path + ".old" }
    private var aside: String { place.path + ".damaged-1" }

    init() throws { place = try TemporaryDatabase() }

    private enum Change: CaseIterable { case moved, replaced }

    /// Changes the file at the path. Another path keeps the former file.
    private func make(_ change: Change) async throws {
        #expect(link(place.path, old) == 0)
        switch change {
        case .moved: #expect(unlink(place.path) == 0)
        case .replaced:
            let other = try TemporaryDatabase()
            try await create("new", at: other.path)
            #expect(rename(other.path, place.path) == 0)
        }
    }

    /// A process that ends properly creates a promise.
    private func create(_ key: String, at path: String) async throws {
        let database = try await StanzaDatabase.open(at: path)
        _ = try await PromiseCenter.start(store: database, role: .resolver).create(Int.self, key: key)
        database.close()
    }

    /// Reads a copy of a file, with a log if one is given.
    private func read<Value>(
        _ path: String, withLog log: String? = nil, _ body: (Database) throws -> Value
    ) throws -> Value {
        let copy = try TemporaryDatabase()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        if let log { try FileManager.default.copyItem(atPath: log, toPath: copy.path + "-wal") }
        return try DatabaseQueue(path: copy.path).read(body)
    }

    private func keys(of path: String, withLog log: String? = nil) throws -> [String] {
        try read(path, withLog: log) { try String.fetchAll($0, sql: "SELECT key FROM stanza_promise ORDER BY key") }
    }

    /// The number of sessions' owners.
    private func owners(in path: String, withLog log: String? = nil) throws -> Int? {
        try read(path, withLog: log) { try $0.count("stanza_sessionOwner") }
    }

    // MARK: In one process

    @Test(arguments: Change.allCases, [false, true])
    private func closingKeepsTheLogOfTheMovedFile(change: Change, isFrozen: Bool) async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        _ = try await promises.create(Int.self, key: "a")
        let session = try database.openSession("juliet@example.org")
        try await make(change)
        await #expect(throws: StanzaDatabaseError.moved) { try await promises.create(Int.self, key: "b") }
        #expect(throws: StanzaDatabaseError.moved) { try session.write([.lastDisconnect(Date())]) }
        if isFrozen { database.freeze() } else { database.close() }
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) {
            if isFrozen { try await database.unfreeze() } else { _ = try await place.open() }
        }
        #expect(try keys(of: old, withLog: aside + "-wal") == ["a"])
        if change == .replaced { #expect(try keys(of: place.path) == ["new"]) }
        if isFrozen { try await database.unfreeze() }
        let next = isFrozen ? database : try await place.open()
        let found = try await next.read { try $0.promises.allPromises().map(\.key) }
        #expect(found == (change == .replaced ? ["new"] : []))
        next.close()
        #expect(try keys(of: old, withLog: aside + "-wal") == ["a"])
        #expect(try keys(of: place.path) == (change == .replaced ? ["new"] : []))
    }

    /// The process that has the former file open writes nothing to the next one.
    @Test(arguments: Change.allCases, [false, true])
    private func theNextOpeningNamesTheLogOfTheFormerFile(change: Change, isOpen: Bool) async throws {
        let first = try await place.open()
        let promises = try await PromiseCenter.start(store: first, role: .resolver)
        _ = try await promises.create(Int.self, key: "a")
        try await make(change)
        if !isOpen { first.close() }
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open() }
        let second = try await place.open()
        let found = try await second.read { try $0.promises.allPromises().map(\.key) }
        #expect(found == (change == .replaced ? ["new"] : []))
        if isOpen {
            await #expect(throws: StanzaDatabaseError.moved) { try await promises.create(Int.self, key: "b") }
            first.close()
        }
        #expect(try keys(of: old, withLog: aside + "-wal") == ["a"])
    }

    /// Another process opens the moved file at its new path, where it has a log of its own.
    @Test func closingDoesNotWriteToAFileThatOthersMayUse() async throws {
        try await create("a", at: place.path)
        let content = try Data(contentsOf: URL(filePath: place.path))
        let database = try await place.open()
        _ = try await PromiseCenter.start(store: database, role: .resolver).create(Int.self, key: "b")
        #expect(rename(place.path, old) == 0)
        #expect(await UUID(uuidString: try Probe(old, "create", "c").finish().output) != nil)
        database.close()
        #expect(try Data(contentsOf: URL(filePath: old)) == content)
        #expect(try keys(of: old, withLog: old + "-wal") == ["a", "c"])
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open() }
        #expect(try keys(of: old, withLog: aside + "-wal") == ["a", "b"])
    }

    /// The file is replaced after its check, and before SQLite reads it; then while its tables are migrated.
    @Test(arguments: [0, 40]) func aFileThatIsReplacedDuringOpeningIsNotRecorded(moment: Int) async throws {
        let other = try TemporaryDatabase()
        try await create("new", at: other.path)
        let count = Lock(0)
        var options = StanzaDatabase.Options()
        options.statementObserver = { [place] _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number == moment { rename(other.path, place.path) }
        }
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open(options) }
        #expect(try keys(of: place.path) == ["new"])
        #expect(try await place.open().read { try $0.promises.allPromises().map(\.key) } == ["new"])
    }

    // MARK: Restored files

    /// A file system may give the number of the deleted file to the next one.
    @Test func aFileThatIsRestoredAfterAKillGetsNoLogOfTheFormerFile() async throws {
        let backup = try TemporaryDatabase()
        try await create("backup", at: backup.path)
        try await killProcess()
        // Where the file system reports no birth times, only the number distinguishes files: an open file keeps its.
        let hasBirthTimes = FilePlace(place.path).file()?.identity.birth != 0
        let former = hasBirthTimes ? nil : try FileHandle(forReadingFrom: URL(filePath: place.path))
        defer { try? former?.close() }
        #expect(unlink(place.path) == 0)
        try FileManager.default.copyItem(atPath: backup.path, toPath: place.path)
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open() }
        #expect(FilePlace(aside).file("-wal")?.size ?? 0 > 0)
        #expect(try await place.open().read { try $0.promises.allPromises().map(\.key) } == ["backup"])
    }

    // MARK: After a kill

    /// Kills a process whose commits are only in the log.
    private func killProcess(after body: () async throws -> Void = {}) async throws {
        try await create("a", at: place.path)
        let probe = try Probe(place.path, "own", "juliet@example.org")
        while try await probe.line() != "owning" {}
        try await body()
        probe.send(SIGKILL)
        #expect(await probe.finish().signal == SIGKILL)
        #expect(try owners(in: FileManager.default.fileExists(atPath: old) ? old : place.path) == 0)
    }

    @Test(arguments: Change.allCases) private func theLogOfAKilledProcessIsKept(change: Change) async throws {
        try await killProcess { try await make(change) }
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open() }
        #expect(try owners(in: old, withLog: aside + "-wal") == 1)
        let database = try await place.open()
        let found = try await database.read { try $0.promises.allPromises().map(\.key) }
        #expect(found == (change == .replaced ? ["new"] : []))
    }

    /// A process was killed when it had moved the damaged file, but not its log.
    @Test func afterAnInterruptedMoveOfADamagedFileItsLogIsMoved() async throws {
        try await killProcess()
        try FileManager.default.moveItem(atPath: place.path, toPath: aside)
        let second = place.path + ".damaged-2"
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: second)) { try await place.open() }
        #expect(try owners(in: aside, withLog: second + "-wal") == 1)
        #expect(try await place.open().read { try $0.promises.allPromises() } == [])
    }

    /// An application has restored a file together with its log.
    @Test func aRestoredLogIsRead() async throws {
        try await killProcess()
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: place.path + ending, toPath: old + ending)
        }
        for ending in ["", "-wal"] { #expect(rename(old + ending, place.path + ending) == 0) }
        #expect(try await place.open().read { try $0.db.count("stanza_sessionOwner") } == 1)
    }

    /// The file is replaced while no process has it open. Then the application's own connection opens it first.
    @Test func anOwnConnectionKeepsItsLog() async throws {
        try await create("a", at: place.path)
        try await make(.replaced)
        let own = try DatabaseQueue(path: place.path)
        try await own.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
        }
        let database = try await place.open()
        try await own.write { try $0.execute(sql: "CREATE TABLE own (id INTEGER)") }
        for number in 0..<50 {
            try await own.write { try $0.execute(sql: "INSERT INTO own VALUES (?)", arguments: [number]) }
        }
        database.close()
        try own.close()
        #expect(try read(place.path) { try Int.fetchOne($0, sql: "SELECT count(*) FROM own") } == 50)
        #expect(try keys(of: place.path) == ["new"])
    }

    /// A connection that only reads leaves an empty log and its index. The file is not damaged.
    @Test func aRestoredFileThatWasInspectedOpens() async throws {
        try await create("a", at: place.path)
        try await make(.replaced)
        try await StanzaDatabase.inspect(at: place.path).close()
        let database = try await place.open()
        #expect(try await database.read { try $0.promises.allPromises().map(\.key) } == ["new"])
        database.close()
        #expect(!FileManager.default.fileExists(atPath: aside + "-shm"))
    }
}
