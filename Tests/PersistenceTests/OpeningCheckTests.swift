// Opening a file checks our tables and no others. Other processes do not wait for the check.

import Foundation
import GRDB
import Handlers
import Locking
import TestSupport
import Testing

@testable import Persistence

@Suite(.fewAtOnce) struct OpeningCheckTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test func theyAreCheckedOnceOnly() async throws {
        let watch = StatementWatch()
        var options = StanzaDatabase.Options()
        options.statementObserver = { watch.pass($0) }
        let database = try await place.open(options)
        for _ in 0..<3 {
            database.freeze()
            try await database.unfreeze()
        }
        #expect(watch.count("quick_check") == Schema.tables.count)
    }

    /// Overwrites the root page of a table with bytes that are not a page.
    private func damage(_ table: String) throws {
        let queue = try DatabaseQueue(path: place.path)
        let pages = try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            return try (
                root: Int.fetchOne(
                    database, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [table]),
                size: Int.fetchOne(database, sql: "PRAGMA page_size")
            )
        }
        try queue.close()
        let (root, size) = (try #require(pages.root), try #require(pages.size))
        let file = try FileHandle(forWritingTo: URL(filePath: place.path))
        try file.seek(toOffset: UInt64((root - 1) * size))
        try file.write(contentsOf: Data(repeating: 0x41, count: size))
        try file.close()
    }

    /// A table that is not read takes no time, however large it is.
    @Test func theApplicationsTablesAreNotRead() async throws {
        let database = try await place.open()
        try await database.write { transaction in
            try transaction.db.execute(sql: "CREATE TABLE picture (data BLOB)")
            for _ in 0..<100 {
                try transaction.db.execute(sql: "INSERT INTO picture VALUES (randomblob(5000))")
            }
        }
        database.close()
        try damage("picture")
        let again = try await place.open()
        let promise = try await PromiseCenter.start(store: again, role: .resolver).create(Int.self)
        #expect(try await promise.state == .pending)
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: nil)) {
            try await again.read { try $0.db.count("picture") }
        }
    }

    @Test(arguments: Schema.tables) func damageToOurTablesIsFound(table: String) async throws {
        try await place.open().close()
        try damage(table)
        // The file stays while a connection of the application has it open.
        var configuration = Configuration()
        configuration.journalMode = .wal
        let own = try DatabaseQueue(path: place.path, configuration: configuration)
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: nil)) { try await place.open() }
        try own.close()
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: place.path + ".damaged-1")) {
            try await place.open()
        }
        try await place.open().close()
    }

    /// A process opens the file and writes to it while another one is still checking it.
    @Test(.timeLimit(.minutes(60))) func noCallerWaitsForTheCheck() async throws {
        try await place.open().close()
        let (isChecking, check) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        let isFirst = Lock(true)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.contains("quick_check") else { return }
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if !waits { return }
            check.finish()
            mayGoOn.wait()
        }
        let opening = Task { [place, options] in try await place.open(options) }
        for await _ in isChecking {}
        let other = try? await Probe(place.path, "create", "k").finish().output
        mayGoOn.signal()
        #expect(UUID(uuidString: other ?? "") != nil, "\(other ?? "it was not started")")
        #expect(try await opening.value.read { try $0.promises.promise(key: "k")?.id.uuidString } == other)
    }
}
