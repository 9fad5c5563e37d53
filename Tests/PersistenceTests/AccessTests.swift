// Accesses that wait while the database is frozen, closed, or held by another process.

import Dispatch
import Foundation
import GRDB
import Persistence
import StreamManagement
import Synchronization
import TestSupport
import Testing

struct AccessTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private static let account = "juliet@example.org"

    /// Has a transaction at work while the body is done.
    private func holding(
        _ database: StanzaDatabase, _ body: (_ letGo: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let release = DispatchSemaphore(value: 0)
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let holding = Task {
            try await database.write { _ in
                hold.finish()
                release.wait()
            }
        }
        for await _ in held {}
        defer { release.signal() }
        try await body { release.signal() }
        try await holding.value
    }

    /// It was asked for before: the file is closed behind it.
    @Test(arguments: [false, true], [false, true])
    func whatWaitsWhenTheDatabaseIsFrozenIsDone(isRead: Bool, isUnfrozen: Bool) async throws {
        let database = try await place.open()
        try await holding(database) { letGo in
            let waiting = Task {
                let body: @Sendable (DatabaseTransaction) throws -> Int? = {
                    try Int.fetchOne($0.database, sql: "SELECT 7")
                }
                return isRead ? try await database.read(body) : try await database.write(body)
            }
            try await eventually("it waits") { database.waitingCount == 1 }
            let freezing = Task {
                try await database.freeze()
                if isUnfrozen { try await database.unfreeze() }
            }
            try await eventually("it is being frozen") { !database.isOpen }
            letGo()
            #expect(try await waiting.value == 7)
            try await freezing.value
        }
        if isUnfrozen { return }
        await #expect(throws: StanzaDatabaseError.frozen) { try await database.read { _ in } }
    }

    @Test func whatWaitsWhenTheDatabaseIsClosedIsDone() async throws {
        let database = try await place.open()
        try await holding(database) { letGo in
            let waiting = Task {
                try await database.read { try Int.fetchOne($0.database, sql: "SELECT 7") }
            }
            try await eventually("it waits") { database.waitingCount == 1 }
            let closing = Task { await blocking { database.close() } }
            try await eventually("it is being closed") { !database.isOpen }
            letGo()
            #expect(try await waiting.value == 7)
            await closing.value
        }
        await #expect(throws: StanzaDatabaseError.closed) { try await database.read { _ in } }
    }

    /// A stream's thread asks while the file is closed and opened: it is answered, or told.
    @Test func whoAsksWhileTheFileIsClosedIsTold() async throws {
        let database = try await place.open()
        let session = try database.openSession(Self.account)
        let isOver = Mutex(false)
        let asking = Task {
            await blocking {
                Result {
                    while !isOver.withLock(\.self) {
                        do { try session.check() } catch StanzaDatabaseError.frozen {}
                        // Others need the processor, too.
                        usleep(200)
                    }
                }
            }
        }
        for _ in 0..<20 {
            try await database.freeze()
            try await database.unfreeze()
        }
        isOver.withLock { $0 = true }
        try await asking.value.get()
    }

    /// Nobody else knows the database any more, while it is looked for what others write.
    @Test func theLastOneMayLetGoWhileOthersWrite() async throws {
        let other = try await place.open()
        try await other.write { try $0.database.execute(sql: "CREATE TABLE note (text)") }
        let writing = Task {
            while !Task.isCancelled {
                try await other.write { try $0.database.execute(sql: "INSERT INTO note VALUES ('')") }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        for _ in 0..<20 {
            let count = try await place.open().read { try Int.fetchOne($0.database, sql: "SELECT count(*) FROM note") }
            #expect(count != nil)
        }
        writing.cancel()
        _ = await writing.result
    }

    /// Also who waits already; and not other accounts.
    @Test func nobodyWaitsLongerThanThereIsTime() async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = 60
        let database = try await place.open(options)
        let (session, other) = (try database.openSession(Self.account), try database.openSession("romeo@example.org"))
        let holder = try await place.open()
        try await holding(holder) { letGo in
            let waiting = Task {
                await blocking { Result { try session.write([.lastDisconnect(Date())], .immediate) } }
            }
            try await Task.sleep(for: .milliseconds(50))
            database.limitWaiting(for: Self.account, until: .now)
            // Without that somebody would let go before.
            let alarm = Task {
                try await Task.sleep(for: .seconds(20))
                letGo()
            }
            await #expect(throws: StanzaDatabaseError.busy) { try await waiting.value.get() }
            alarm.cancel()
            let patient = Task {
                await blocking { Result { try other.write([.lastDisconnect(Date())], .immediate) } }
            }
            try await Task.sleep(for: .milliseconds(50))
            letGo()
            try await patient.value.get()
        }
    }
}
