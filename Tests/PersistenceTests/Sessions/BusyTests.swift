// Changes of a stream while another process holds the database.

import Foundation
import Locking
import StreamManagement
import TestSupport
import Testing

@testable import Persistence

@Suite(.fewAtOnce) struct BusyTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Holds the database until `attempts` transactions of the stream have begun to wait; until the end if fewer begin.
    private func write(holdingUntil attempts: Int) async throws -> (Result<Void, any Error>, count: Int) {
        // `nil` while the database is free.
        let count = Lock<Int?>(nil)
        let holder = Holder()
        var options = StanzaDatabase.Options()
        options.busyTimeout = 0.05
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.contains("BEGIN IMMEDIATE") else { return }
            let begun = count.withLock { count in
                count = count.map { $0 + 1 }
                return count
            }
            // This releases the database before that attempt begins its short wait.
            if begun == attempts { holder.letGoAndWait() }
        }
        let database = try await place.open(options)
        let session = try database.openSession("juliet@example.org")
        let other = try await place.open()
        var result: Result<Void, any Error>?
        try await holding(with: holder) { holder in
            try await other.write { _ in holder.hold() }
        } during: { _ in
            count.withLock { $0 = 0 }
            result = await blocking { Result { try session.write([.lastDisconnect(Date())]) } }
        }
        return (try #require(result), count.withLock { $0 ?? 0 })
    }

    @Test func aStreamsChangesAreTriedAgain() async throws {
        let (result, count) = try await write(holdingUntil: PersistenceLimits.busyAttempts)
        try result.get()
        #expect(count == PersistenceLimits.busyAttempts)
    }

    @Test func butNotForEver() async throws {
        let (result, count) = try await write(holdingUntil: PersistenceLimits.busyAttempts + 1)
        #expect(throws: StanzaDatabaseError.busy) { try result.get() }
        #expect(count == PersistenceLimits.busyAttempts)
    }
}
