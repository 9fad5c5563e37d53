// Opening, freezing and the ways in which a database fails.

import Dispatch
import Foundation
import GRDB
import Handlers
import Persistence
import TestSupport
import Testing

@Suite(.fewAtOnce) struct StanzaDatabaseTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Freezing the database is all that an application does before it is suspended.
    @Test func waitingForAPromiseContinuesWhileTheDatabaseIsFrozen() async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        let promises = [
            try await center.create(Int.self, timeout: .seconds(3600)), try await center.create(Int.self),
            try await center.create(Int.self),
        ]
        let early = Task { try await promises[0].value }
        for _ in 0..<100 { await Task.yield() }
        database.freeze()
        // A caller that asks for a value now waits as well. Calls that need the database at once are refused.
        let late = Task { try await promises[1].value }
        await #expect(throws: StanzaDatabaseError.frozen) { try await center.create(Int.self) }
        await #expect(throws: StanzaDatabaseError.frozen) { try await promises[2].fulfill(2) }
        await #expect(throws: StanzaDatabaseError.frozen) { try await promises[2].state }
        let other = try await place.process(.resolver)
        for (number, promise) in promises.enumerated() {
            try await other.promise(promise.id, of: Int.self).fulfill(number)
        }
        for _ in 0..<100 { await Task.yield() }
        try await database.unfreeze()
        #expect(try await early.value == 0)
        #expect(try await late.value == 1)
        #expect(try await promises[2].value == 2)
    }

    @Test func ofOverlappingWishesTheLastOneCounts() async throws {
        let watch = StatementWatch()
        var options = StanzaDatabase.Options()
        options.statementObserver = { watch.pass($0) }
        let database = try await place.open(options)
        database.freeze()
        // The application is suspended again while the file is being opened.
        let (frozen, end) = AsyncStream.makeStream(of: Void.self)
        let isOver = DispatchSemaphore(value: 0)
        watch.next {
            Task {
                defer { end.finish() }
                database.freeze()
                isOver.signal()
            }
            // Long enough for a freeze that does not wait for the transaction.
            _ = isOver.wait(timeout: .now() + 0.3)
        }
        try await database.unfreeze()
        for await _ in frozen {}
        await #expect(throws: StanzaDatabaseError.frozen) { try await database.write { _ in } }
        try await database.unfreeze()
        try await database.write { _ in }
    }

    @Test func aDamagedFileThatOthersHaveOpenStaysWhereItIs() async throws {
        do {
            let database = try await place.open()
            let center = try await PromiseCenter.start(store: database, role: .resolver)
            for number in 0..<50 { _ = try await center.create(String.self, key: "k\(number)") }
            database.close()
        }
        let other = try Probe(place.path, "consume", "k1")
        #expect(try await other.line() == "ready")
        let damaged = Data(repeating: 0x41, count: 9000)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: place.path))
        try file.write(contentsOf: damaged)
        try file.close()
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: nil)) { try await place.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)).prefix(9000) == damaged)
        other.send(SIGKILL)
        _ = await other.finish()
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: place.path + ".damaged-1")) {
            try await place.open()
        }
        _ = try await place.open()
    }

    /// SQLite would end a text there. Two keys would be one, and a message would be cut.
    @Test func textsWithNULCharactersAreStoredWholeOrRefused() async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        let first = try await center.create(Int.self, key: "a")
        await #expect(throws: StanzaDatabaseError.invalidText(table: "stanza_promise")) {
            try await center.create(Int.self, key: "a\0b")
        }
        #expect(try await center.reattach(key: "a\0b", as: Int.self) == nil)
        let rejection = PromiseRejection(code: "c\0d", message: "e\0f", stanzaXML: "<a/>\0", account: "g\0h")
        try await first.reject(rejection)
        await #expect(throws: rejection) { try await first.value }
        let request = StoredRequest(id: "k\0l", recipient: nil, kind: "iq", handler: Data([1]))
        await #expect(throws: StanzaDatabaseError.invalidText(table: "stanza_request")) {
            try await database.write { _ = try $0.requests.add(request, of: "juliet@example.org") }
        }
    }

    @Test func valuesLongerThanAColumnAreNeitherWrittenNorRead() async throws {
        let database = try await place.open()
        let long = Data(repeating: 1, count: PersistenceLimits.columnLength + 1)
        @Sendable func record(_ bytes: Data) -> PromiseRecord {
            PromiseRecord(
                id: UUID(), key: nil, type: "Data", created: Date(), timeout: nil, retention: 100,
                outcome: .fulfilled(PromisePayload(type: "Data", bytes: bytes)))
        }
        func tooLarge(_ table: String) -> StanzaDatabaseError {
            .recordTooLarge(table: table, maximum: PersistenceLimits.columnLength)
        }
        await #expect(throws: tooLarge("stanza_promise")) {
            try await database.write { try $0.promises.insert(record(long)) }
        }
        let most = record(long.dropLast())
        try await database.write { try $0.promises.insert(most) }
        #expect(try await database.promises([most.id]).count == 1)
        let request = StoredRequest(id: "q", recipient: nil, kind: "iq", handler: long)
        await #expect(throws: tooLarge("stanza_request")) {
            try await database.write { _ = try $0.requests.add(request, of: "juliet@example.org") }
        }
        // Another program has written such records.
        try await database.write {
            try $0.db.execute(sql: "UPDATE stanza_promise SET payload = zeroblob(\(long.count))")
        }
        await #expect(throws: StanzaDatabaseError.invalidRecord(table: "stanza_promise")) {
            try await database.read { [id = most.id] in try $0.promises.promise(id) }
        }
        #expect(try await database.read { try $0.unreadablePromises() } == 1)
    }

    @Test(arguments: [
        "state = 17", "id = x'00'", "payload = zeroblob(5000000)", "retention = -9e999", "state = 2", "timeout = 9e999",
        "created = 9e999", "created = 1e300",
    ])
    func whatCannotBeReadHoldsUpNothingElse(damage: String) async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        let damaged = try await center.create(Int.self, key: "damaged", timeout: .seconds(3600))
        let over = try await center.create(Int.self, timeout: .seconds(3600))
        let whole = try await center.create(Int.self, key: "whole")
        try await damaged.fulfill(1)
        // Both are long over.
        try await database.write { transaction in
            for id in [damaged.id, over.id] {
                let arguments: StatementArguments = [withUnsafeBytes(of: id.uuid) { Data($0) }]
                try transaction.db.execute(
                    sql: "UPDATE stanza_promise SET created = 0, resolved = 0, expiry = 0 WHERE id = ?",
                    arguments: arguments)
            }
            let arguments: StatementArguments = [withUnsafeBytes(of: damaged.id.uuid) { Data($0) }]
            try transaction.db.execute(sql: "UPDATE stanza_promise SET \(damage) WHERE id = ?", arguments: arguments)
        }
        let other = try await PromiseCenter.start(store: database, role: .consumer)
        #expect(try await other.reattach(id: over.id, as: Int.self) == nil)
        async let value = other.promise(whole.id, of: Int.self).value
        await #expect(throws: (any Error).self) { try await other.promise(damaged.id, of: Int.self).value }
        try await whole.fulfill(7)
        #expect(try await value == 7)
        // The sweep removes the damaged record and reports it.
        #expect(try await database.read { try $0.unreadablePromises() } == 0)
        let found = try #require(await other.firstSweep.damaged.first)
        #expect(found.key == "damaged")
        #expect(found.id == (damage.hasPrefix("id") ? nil : damaged.id))
        #expect(await other.firstSweep.damaged.count == 1)
        // Its key can be had again.
        _ = try await other.create(Int.self, key: "damaged")
    }

    /// It would wait forever, because no process changes such a record.
    @Test func aTaskThatWaitsForADamagedPromiseAloneFails() async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await center.create(Int.self)
        let value = Task { try await promise.value }
        for _ in 0..<100 { await Task.yield() }
        try await database.write { try $0.db.execute(sql: "UPDATE stanza_promise SET state = 17") }
        let timeout = Task {
            try await Task.sleep(for: .seconds(600))
            value.cancel()
        }
        await #expect(throws: StanzaDatabaseError.invalidRecord(table: "stanza_promise")) { try await value.value }
        timeout.cancel()
    }

    @Test("A commit is on the disk when it returns, whatever the library prefers")
    func commitsAreSynchronous() async throws {
        let database = try await place.open()
        for _ in 0..<2 {
            #expect(try await database.write { try Int.fetchOne($0.db, sql: "PRAGMA synchronous") } == 2)
            #expect(try await database.write { try String.fetchOne($0.db, sql: "PRAGMA journal_mode") } == "wal")
            // Only Darwin acts on it.
            #expect(try await database.write { try Bool.fetchOne($0.db, sql: "PRAGMA fullfsync") } == true)
            database.freeze()
            try await database.unfreeze()
        }
    }

    @Test(arguments: [(1, StanzaDatabaseError.newerVersion), (-1, .olderVersion)])
    func aDatabaseOfAnotherVersionIsLeftAlone(difference: Int, error: StanzaDatabaseError) async throws {
        let database = try await place.open()
        try await database.write {
            try $0.db.execute(sql: "UPDATE stanza_schema SET version = version + \(difference)")
        }
        database.close()
        let before = try Data(contentsOf: URL(filePath: place.path))
        for _ in 0..<2 { await #expect(throws: error) { try await place.open() } }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
    }

    @Test(arguments: [10, 100, 4096, 5000, 8191])
    func aDamagedFileIsPutAsideAndReported(length: Int) async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .resolver)
        for number in 0..<50 { _ = try await center.create(String.self, key: "k\(number)") }
        database.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.path))
        try whole.prefix(length).write(to: URL(fileURLWithPath: place.path))
        let aside = place.path + ".damaged-1"
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: aside)) { try await place.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == whole.prefix(length))
        let new = try await place.process(.consumer)
        #expect(try await new.reattach(key: "k1", as: String.self) == nil)
    }

    /// Once the database was opened, such a file is its damaged file, also a second time.
    @Test func aDatabaseWithoutItsHeaderIsPutAside() async throws {
        try await place.open().close()
        try Data(repeating: 0x41, count: 9000).write(to: URL(fileURLWithPath: place.path))
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: place.path + ".damaged-1")) {
            try await place.open()
        }
        try Data(repeating: 0x42, count: 9000).write(to: URL(fileURLWithPath: place.path))
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: place.path + ".damaged-2")) {
            try await place.open()
        }
    }

    @Test func inspectingTheDatabaseChangesNothing() async throws {
        await #expect(throws: StanzaDatabaseError.unreadable(place.path)) {
            try await StanzaDatabase.inspect(at: place.path)
        }
        let center = try await place.process(.resolver)
        let promise = try await center.create(Int.self)
        let inspected = try await StanzaDatabase.inspect(at: place.path)
        #expect(try await inspected.write { try $0.promises.allPromises().map(\.id) } == [promise.id])
        await #expect(throws: StanzaDatabaseError.self) {
            try await inspected.write { try $0.promises.remove(promise.id) }
        }
        #expect(try await promise.state == .pending)
        let other = try TemporaryDatabase()
        try Data(repeating: 0x41, count: 9000).write(to: URL(fileURLWithPath: other.path))
        await #expect(throws: StanzaDatabaseError.notADatabase) {
            try await StanzaDatabase.inspect(at: other.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.folder.path) == ["test.db"])
    }

    @Test("A mechanism is remembered for its account, replaced, and forgotten") func remembers() async throws {
        let database = try await place.open()
        #expect(try await database.strongestMechanism(of: "juliet@example.org") == nil)
        try await database.setStrongestMechanism("SCRAM-SHA-1", of: "juliet@example.org")
        try await database.setStrongestMechanism("SCRAM-SHA-256-PLUS", of: "juliet@example.org")
        let again = try await place.open()
        #expect(try await again.strongestMechanism(of: "juliet@example.org") == "SCRAM-SHA-256-PLUS")
        #expect(try await again.strongestMechanism(of: "romeo@example.net") == nil)
        // Whatever its resource.
        #expect(try await again.strongestMechanism(of: "juliet@example.org/balcony") == "SCRAM-SHA-256-PLUS")
        try await again.setStrongestMechanism(nil, of: "juliet@example.org/chamber")
        #expect(try await database.strongestMechanism(of: "juliet@example.org") == nil)
    }
}
