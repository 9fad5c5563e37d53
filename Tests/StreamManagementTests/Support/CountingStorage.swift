// Storages of tests, which count or keep writes and fail as the test configures it, and their errors.

import Locking
import StreamManagement
import TestSupport
import XMPPCore

/// The effects of an app that stores nothing.
struct NoEffects: StorageEffects {
    /// The storage that they belong to; `nil` for any.
    var storage: CountingStorage?
    /// Runs before the changes are made.
    var body: @Sendable () throws -> Void = {}

    func commit(in store: any SessionStore, _ changes: () throws -> [StorageChange]) throws {
        if let storage, store !== storage { throw StorageError.takesNoEffects }
        try body()
        try store.write(changes())
    }
}

/// Memory that counts its writes.
final class CountingStorage: StreamManagementStorage, SessionStore, Changing {
    let changes = Changes()
    private let contents = Lock(Contents())

    private struct Contents {
        var session: StoredSession?
        var writes = 0
        /// The error of all writes after this one.
        var failure: (after: Int, error: any Error)?
        var failedWrites = 0
        var openingFailures: [any Error] = []
    }

    var writeCount: Int { contents.withLock { $0.writes } }

    var failedWriteCount: Int { contents.withLock { $0.failedWrites } }

    /// Sets the error of writes, from now on or after some more.
    func fail(_ error: (any Error)?, after count: Int = 0) {
        contents.withLock { contents in contents.failure = error.map { (contents.writes + count, $0) } }
    }

    /// The next attempts to open it fail.
    func failOpening(_ errors: [any Error]) { contents.withLock { $0.openingFailures = errors } }

    func open(_ account: JID, takingOver: Bool) throws -> any SessionStore {
        try contents.withLock { if !$0.openingFailures.isEmpty { throw $0.openingFailures.removeFirst() } }
        return self
    }

    func load() throws -> StoredSession? { contents.withLock { $0.session } }

    func write(_ changes: [StorageChange]) throws {
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

    func close() {}
}

/// Keeps the changes of each write.
final class RecordingStore: SessionStore {
    private let written = Lock<[[StorageChange]]>([])

    var batches: [[StorageChange]] { written.withLock { $0 } }

    func load() throws -> StoredSession? { nil }
    func write(_ changes: [StorageChange]) throws { written.withLock { $0.append(changes) } }
    func close() {}
}

/// An error that lasts.
struct DiskFull: Error {}

/// An error that a later attempt may not have.
struct Full: TemporaryStorageError, Equatable {
    var isTemporary: Bool { true }
}

/// An error of a test or of an app.
struct Unexpected: Error {}
