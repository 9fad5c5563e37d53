// Errors of storages in the log, which may hold paths.

import Locking
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct LoggedErrorTests {
    @Test("D51 The log names the type of a storage's error, and not its text") func storage() async throws {
        let lines = LoggedLines()
        let storage = FailingStorage()
        let session = try await StreamSession(account: "juliet@example.org", storage: storage, logger: lines.logger)
        storage.fail(Failed(isTemporary: true))
        let run = Task { try await session.run(connecting: NoConnector()) }
        try await eventually("the attempt fails") { !lines.all.isEmpty }
        run.cancel()
        _ = await run.result
        storage.fail(Failed(isTemporary: false))
        await #expect(throws: Failed.self) { try await session.send(xml("<message/>")) }
        storage.fail(nil)
        await session.close()
        #expect(lines.all.count { $0.text.contains("Failed") } >= 2, "\(lines.all)")
        #expect(!lines.text.contains("secret"))
    }
}

private struct Failed: TemporaryStorageError, CustomStringConvertible {
    let isTemporary: Bool
    var description: String { "cannot write /home/secret" }
}

/// Stores nothing, and fails on request.
private final class FailingStorage: StreamManagementStorage, SessionStore {
    private let error = Lock<Failed?>(nil)

    func fail(_ failure: Failed?) { error.withLock { $0 = failure } }

    func open(_ account: JID, takingOver: Bool) -> any SessionStore { self }

    func load() -> StoredSession? { nil }

    func write(_ changes: [StorageChange]) throws {
        if let error = error.withLock(\.self) { throw error }
    }

    func close() {}
}

private struct NoConnector: StreamConnector {
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream { throw CancellationError() }
}
