// Changes of a stream while another process holds the database.

import Dispatch
import Foundation
import Persistence
import StreamManagement
import Synchronization
import TestSupport
import Testing

struct BusyTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// Holds the database until `attempts` transactions of the stream have begun to wait; for ever if there are fewer.
    private func write(holdingUntil attempts: Int) async throws -> (Result<Void, any Error>, count: Int) {
        // `nil` while nobody holds it.
        let count = Mutex<Int?>(nil)
        let release = DispatchSemaphore(value: 0)
        var options = StanzaDatabase.Options()
        options.busyTimeout = 0.05
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.contains("BEGIN IMMEDIATE") else { return }
            let begun = count.withLock { count in
                count = count.map { $0 + 1 }
                return count
            }
            if begun == attempts { release.signal() }
        }
        let database = try await place.open(options)
        let session = try database.openSession("juliet@example.org")
        let holder = try await place.open()
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let holding = Task {
            try await holder.write { _ in
                hold.finish()
                release.wait()
            }
        }
        for await _ in held {}
        count.withLock { $0 = 0 }
        let result = await blocking { Result { try session.write([.lastDisconnect(Date())], .immediate) } }
        release.signal()
        try await holding.value
        return (result, count.withLock { $0 ?? 0 })
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
