// A storage in memory that counts writes, and fails as the test configures it.

import Locking
import StreamManagement
import TestSupport
import XMPPCore

/// The effects of an app that stores nothing.
struct NoEffects: Sendable {}

/// Memory that counts its writes.
final class CountingStorage: TransactionalStorage, TransactionalStore, Changing {
    let changes = Changes()
    private let contents = Lock(Contents())

    private struct Contents {
        var session: StoredSession?
        var writes = 0
        /// The error of all writes after this one.
        var failure: (after: Int, error: any Error)?
        var failedWrites = 0
        var checks = 0
        var failingChecks: [Int: any Error] = [:]
        var openingFailures: [any Error] = []
    }

    var writeCount: Int { contents.withLock { $0.writes } }

    var failedWriteCount: Int { contents.withLock { $0.failedWrites } }

    /// Sets the error of writes, from now on or after some more.
    func fail(_ error: (any Error)?, after count: Int = 0) {
        contents.withLock { contents in contents.failure = error.map { (contents.writes + count, $0) } }
    }

    var checkCount: Int { contents.withLock { $0.checks } }

    /// Some of the checks of the owner fail, the first being 1.
    func failChecks(_ numbers: ClosedRange<Int>, _ error: any Error) {
        contents.withLock { $0.failingChecks = Dictionary(uniqueKeysWithValues: numbers.map { ($0, error) }) }
    }

    /// The next checks of the owner fail.
    func failNextChecks(_ errors: [any Error]) {
        contents.withLock { contents in
            for (index, error) in errors.enumerated() { contents.failingChecks[contents.checks + 1 + index] = error }
        }
    }

    /// The next attempts to open it fail.
    func failOpening(_ errors: [any Error]) { contents.withLock { $0.openingFailures = errors } }

    func open(_ account: JID, takingOver: Bool) throws -> any SessionStore {
        try contents.withLock { if !$0.openingFailures.isEmpty { throw $0.openingFailures.removeFirst() } }
        return self
    }

    func load() throws -> StoredSession? { contents.withLock { $0.session } }

    func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        defer { self.changes.note() }
        try contents.withLock { contents in
            if let failure = contents.failure, contents.writes >= failure.after {
                contents.failedWrites += 1
                throw failure.error
            }
            contents.writes += 1
            for change in changes { contents.session = StoredSession.applying(change, to: contents.session) }
        }
    }

    func openStore(of account: JID) -> CountingStorage? { self }

    func write(with effects: NoEffects, _ changes: () throws -> [StorageChange]) throws {
        try write(changes(), .immediate)
    }

    func check() throws {
        defer { changes.note() }
        try contents.withLock { contents in
            contents.checks += 1
            if let error = contents.failingChecks[contents.checks] { throw error }
        }
    }

    func flush() throws {}
    func close() {}
}
