// Errors of storages in the log, which may hold paths.

import Foundation
import Logging
import StreamManagement
import Synchronization
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import Promises

@Suite struct LoggedErrorTests {
    private let lines = LoggedLines()

    private var logger: Logger { Logger(label: "test") { [lines] _ in lines } }

    private func expectTypes(count: Int) {
        #expect(lines.all.count { $0.text.contains("Failed") } >= count, "\(lines.all)")
        #expect(lines.all.allSatisfy { !$0.text.contains("secret") })
    }

    @Test("D51 The log names the type of a storage's error, and not its text") func storage() async throws {
        let storage = FailingStorage()
        let session = try await StreamSession(account: "juliet@example.org", storage: storage, logger: logger)
        storage.fail(Failed(isTemporary: true))
        let run = Task { try await session.run(connecting: NoConnector()) }
        try await eventually("the attempt fails") { !lines.all.isEmpty }
        run.cancel()
        _ = await run.result
        storage.fail(Failed(isTemporary: false))
        await #expect(throws: Failed.self) { try await session.send(xml("<message/>")) }
        storage.fail(nil)
        await session.close()
        expectTypes(count: 2)
    }

    @Test func promises() async throws {
        let store = FailingPromises()
        let app = try await PromiseCenter.start(store: store, role: .consumer, logger: logger)
        let promise = try await app.create(Int.self)
        try await promise.fulfill(7)
        store.fail(Failed(isTemporary: true))
        await #expect(throws: Failed.self) { try await promise.value }
        store.fail(Failed(isTemporary: true))
        await app.acknowledger.acknowledge(promise.id)
        expectTypes(count: 2)
    }
}

private struct Failed: TemporaryStorageError, CustomStringConvertible {
    let isTemporary: Bool
    var description: String { "cannot write /home/secret" }
}

/// Stores nothing, and fails on request.
private final class FailingStorage: StreamManagementStorage, SessionStore {
    private let error = Mutex<Failed?>(nil)

    func fail(_ failure: Failed?) { error.withLock { $0 = failure } }

    func open(_ account: JID, takingOver: Bool) -> any SessionStore { self }

    func load() -> StoredSession? { nil }

    func check() throws { try write([], .immediate) }

    func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        if let error = error.withLock(\.self) { throw error }
    }

    func flush() {}

    func close() {}
}

private struct NoConnector: StreamConnector {
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream { throw CancellationError() }
}

/// A store in memory whose next write fails on request.
private final class FailingPromises: PromiseStore {
    private let store = MemoryPromiseStore()
    private let error = Mutex<Failed?>(nil)

    func fail(_ failure: Failed) { error.withLock { $0 = failure } }

    func promises(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] { await store.promises(ids) }

    func promise(key: String) async throws -> PromiseRecord? { await store.promise(key: key) }

    func allPromises() async throws -> [PromiseRecord] { await store.allPromises() }

    @discardableResult
    func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        if let error = error.withLock({ $0.take() }) { throw error }
        return try await store.writePromises(body)
    }

    func changes() -> AsyncStream<Void> { store.changes() }
}
