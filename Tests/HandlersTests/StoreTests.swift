// The requirements of every store, and the file store's own behavior.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Handlers

/// The kinds of stores. Each makes a store, and cleans up after the test.
private enum StoreKind: CaseIterable {
    case memory, file

    func with(
        now: @escaping @Sendable () -> Date = { Date() }, _ body: (any HandlerStore) async throws -> Void
    ) async throws {
        switch self {
        case .memory: try await body(MemoryHandlerStore(now: now))
        case .file:
            let folder = try TemporaryFolder()
            try await body(FileHandlerStore(at: folder.file("handlers"), now: now))
        }
    }
}

private func record(_ id: UUID = UUID(), nested: [UUID] = [], data: String = "data") -> StoredHandler {
    StoredHandler(id: id, description: "A|b", data: Data(data.utf8), nested: nested)
}

@Suite struct StoreTests {
    @Test(arguments: StoreKind.allCases) fileprivate func savingAndRemoving(kind: StoreKind) async throws {
        try await kind.with { store in
            let (first, second) = (record(), record())
            try await store.save(first)
            try await store.save(second)
            #expect(try await store.handler(first.id) == first)
            #expect(try await Set(store.handlers()) == [first, second])
            let changed = record(first.id, data: "changed")
            try await store.save(changed)
            #expect(try await store.handler(first.id) == changed)
            try await store.remove(first.id)
            try await store.remove(first.id)
            #expect(try await store.handler(first.id) == nil)
            #expect(try await store.handlers() == [second])
        }
    }

    @Test(arguments: StoreKind.allCases) fileprivate func claims(kind: StoreKind) async throws {
        try await kind.with { store in
            let stored = record()
            try await store.save(stored)
            #expect(try await store.claim(.call, of: stored.id, wasStored: true) == nil)
            #expect(try await store.claim(.singleShotCall, of: stored.id, wasStored: true) == nil)
            #expect(try await store.claim(.singleShotCall, of: stored.id, wasStored: true) == .called)
            #expect(try await store.claim(.invalidation(.timedOut), of: stored.id, wasStored: true) == .called)
            #expect(try await store.claim(.call, of: stored.id, wasStored: true) == .called)
            #expect(try await store.marks(of: [stored.id, UUID()]) == [stored.id: .called])
            // Storing the handler again does not clear its mark; removing it does, because no copy can be called.
            try await store.save(stored)
            #expect(try await store.claim(.call, of: stored.id, wasStored: true) == .called)
            try await store.remove(stored.id)
            #expect(try await store.marks(of: [stored.id]) == [:])
            for claim in [HandlerClaim.call, .singleShotCall, .invalidation(.canceled)] {
                await #expect(throws: HandlerError(.notStored)) {
                    try await store.claim(claim, of: stored.id, wasStored: true)
                }
                // For a handler that was never stored, the store grants the claim.
                #expect(try await store.claim(claim, of: stored.id, wasStored: false) == nil)
            }
            #expect(try await store.marks(of: [stored.id]) == [:])
        }
    }

    @Test(arguments: StoreKind.allCases) fileprivate func retention(kind: StoreKind) async throws {
        let seconds = Mutex<TimeInterval>(0)
        try await kind.with(now: { Date(timeIntervalSince1970: 1_800_000_000 + seconds.withLock(\.self)) }) { store in
            func end(_ id: UUID, after time: TimeInterval) async throws {
                seconds.withLock { $0 = time }
                #expect(try await store.claim(.singleShotCall, of: id, wasStored: true) == nil)
            }
            func ids() async throws -> Set<UUID> { Set(try await store.handlers().map(\.id)) }
            let (ended, inner, alive) = (record(), UUID(), record())
            let outer = record(nested: [inner])
            let others = (0..<4).map { _ in record() }
            for stored in [ended, outer, alive, record(inner)] + others { try await store.save(stored) }
            try await end(ended.id, after: 0)
            try await end(inner, after: 0)
            try await end(others[0].id, after: HandlerLimits.retention - 1)
            #expect(try await ids() == Set([ended.id, outer.id, inner, alive.id] + others.map(\.id)))
            try await end(others[1].id, after: HandlerLimits.retention)
            #expect(try await ids() == Set([outer.id, alive.id] + others.map(\.id)))
            #expect(try await store.marks(of: [inner, ended.id]) == [inner: .called])
            // A clock that is set back restarts the retention of handlers that ended later.
            try await end(others[2].id, after: -86_400)
            try await end(others[3].id, after: -86_400 + HandlerLimits.retention)
            #expect(try await ids() == [outer.id, alive.id, others[3].id])
        }
    }

    /// The store keeps the mark of a handler as long as a stored handler contains it.
    @Test(arguments: StoreKind.allCases) fileprivate func nestedMarks(kind: StoreKind) async throws {
        try await kind.with { store in
            let inner = UUID()
            let (first, second) = (record(nested: [inner]), record(nested: [inner]))
            try await store.save(first)
            try await store.save(second)
            #expect(try await store.claim(.invalidation(.canceled), of: inner, wasStored: true) == nil)
            #expect(try await store.claim(.call, of: inner, wasStored: true) == .invalidated(.canceled))
            try await store.remove(first.id)
            #expect(try await store.marks(of: [inner]) == [inner: .invalidated(.canceled)])
            try await store.save(record(second.id))
            #expect(try await store.marks(of: [inner]) == [:])
        }
    }

    @Test(arguments: StoreKind.allCases) fileprivate func deferral(kind: StoreKind) async throws {
        try await kind.with { store in
            let stored = record()
            let error = await handlerError { try await store.deferHandler(stored.id, reason: "why", call: nil) }
            #expect(error?.kind == .notStored)
            try await store.save(stored)
            try await store.deferHandler(stored.id, reason: "why", call: nil)
            #expect(try await store.handler(stored.id)?.deferral?.reason == "why")
            try await store.deferHandler(stored.id, reason: "because", call: Data([1]))
            try await store.deferHandler(stored.id, reason: "because", call: Data([2]))
            // Neither storing the handler again nor ending the deferral it removes its deferred calls.
            try await store.save(stored)
            try await store.endDeferral(stored.id)
            #expect(try await store.handler(stored.id)?.deferral?.calls.map(\.data) == [Data([1]), Data([2])])
            let calls = try #require(try await store.handler(stored.id)?.deferral?.calls)
            // Removing a call by its number twice has the effect of removing it once.
            try await store.removeDeferredCall(calls[0].number, of: stored.id)
            try await store.removeDeferredCall(calls[0].number, of: stored.id)
            #expect(try await store.handler(stored.id)?.deferral?.calls == [calls[1]])
            try await store.removeDeferredCall(calls[1].number, of: UUID())
            #expect(try await store.handler(stored.id)?.deferral?.calls == [calls[1]])
            try await store.removeDeferredCall(calls[1].number, of: stored.id)
            try await store.endDeferral(stored.id)
            #expect(try await store.handler(stored.id)?.deferral == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) fileprivate func replaysAreLentToOne(kind: StoreKind) async throws {
        try await kind.with { store in
            let stored = record()
            #expect(try await store.beginReplay(of: stored.id) == nil)
            try await store.save(stored)
            #expect(try await store.beginReplay(of: stored.id) == nil, "the handler is not deferred")
            try await store.deferHandler(stored.id, reason: "why", call: Data([1]))
            #expect(try await store.beginReplay(of: stored.id)?.deferral?.calls.count == 1)
            #expect(try await store.beginReplay(of: stored.id) == nil)
            try await store.endReplay(of: stored.id)
            #expect(try await store.beginReplay(of: stored.id) != nil)
        }
    }
}

@Suite struct FileStoreTests {
    private let folder: TemporaryFolder
    private let file: URL

    @Test func aLocationThatIsNotAFileIsRefused() throws {
        let location = try #require(URL(string: "https://example.net\(file.path)"))
        #expect(throws: HandlerStoreError.notAFile(location)) { try FileHandlerStore(at: location) }
        #expect(!FileManager.default.fileExists(atPath: file.path + ".lock"))
    }

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("handlers")
    }

    @Test func everythingSurvives() throws {
        let inner = UUID()
        let records = [record(nested: [inner]), record(), record()]
        var before: [StoredHandler] = []
        do {
            let store = try FileHandlerStore(at: file)
            for record in records { try store.save(record) }
            #expect(try store.claim(.singleShotCall, of: records[1].id, wasStored: true) == nil)
            #expect(try store.claim(.invalidation(.other("x")), of: inner, wasStored: true) == nil)
            try store.deferHandler(records[2].id, reason: "why", call: Data([1, 2]))
            before = try store.handlers().sorted { $0.id.uuidString < $1.id.uuidString }
            store.close()
        }
        let store = try FileHandlerStore(at: file)
        #expect(try store.handlers().sorted { $0.id.uuidString < $1.id.uuidString } == before)
        #expect(
            try store.marks(of: [records[1].id, inner]) == [records[1].id: .called, inner: .invalidated(.other("x"))])
    }

    /// A reopened store knows when its handlers ended, and continues to count their retention.
    @Test func retentionCountsAcrossOpenings() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let stored = (0..<3).map { _ in record() }
        for (number, days) in [0.0, 4, 8].enumerated() {
            let store = try FileHandlerStore(at: file, now: { start + days * 86_400 })
            try store.save(stored[number])
            #expect(try store.claim(.singleShotCall, of: stored[number].id, wasStored: true) == nil)
            store.close()
        }
        let later = start + 8 * 86_400
        let ledger = try HandlerLedger(data: Data(contentsOf: file), now: later)
        #expect(Set(ledger.records.keys) == [stored[1].id, stored[2].id])
        #expect(ledger.ends == [stored[1].id: start + 4 * 86_400, stored[2].id: later])
        // A file cannot set an end later than now.
        #expect(Set(try HandlerLedger(data: Data(contentsOf: file), now: start).ends.values) == [start])
    }

    @Test func oneStoreAtATime() throws {
        let first = try FileHandlerStore(at: file)
        #expect(throws: HandlerStoreError.inUse(path: file.path)) { try FileHandlerStore(at: file) }
        first.close()
        #expect(throws: HandlerStoreError.closed) { try first.handlers() }
        #expect(throws: HandlerStoreError.closed) { try first.save(record()) }
        _ = try FileHandlerStore(at: file)
    }

    /// Other users cannot read the file.
    @Test func permissions() throws {
        let store = try FileHandlerStore(at: file)
        try store.save(record())
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                "handlers", "handlers.lock",
            ])
    }

    /// A change that the store cannot write has no effect.
    @Test func failuresToWrite() throws {
        let store = try FileHandlerStore(at: file)
        let first = record()
        try store.save(first)
        // A folder occupies the name of the temporary file.
        try FileManager.default.createDirectory(at: folder.file("handlers.new"), withIntermediateDirectories: true)
        #expect(throws: HandlerStoreError.self) { try store.save(record()) }
        #expect(throws: HandlerStoreError.self) { try store.claim(.singleShotCall, of: first.id, wasStored: true) }
        #expect(try store.handlers() == [first])
        #expect(try store.marks(of: [first.id]) == [:])
    }

    @Test func folderThatIsNotThere() throws {
        #expect(throws: HandlerStoreError.self) { try FileHandlerStore(at: folder.file("gone/handlers")) }
    }

    /// The store does not take an unreadable file for an empty store, which it would then overwrite.
    @Test func anUnreadableFileIsNotEmpty() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(throws: HandlerStoreError.failed("read", path: file.path, code: EISDIR)) {
            try FileHandlerStore(at: file)
        }
        let cycle = folder.file("cycle")
        try FileManager.default.createSymbolicLink(at: cycle, withDestinationURL: cycle)
        #expect(throws: HandlerStoreError.failed("open", path: cycle.path, code: ELOOP)) {
            try FileHandlerStore(at: cycle)
        }
    }

    /// The store refuses a file that is too large before it reads it.
    @Test func largeFiles() throws {
        let size = HandlerLimits.storeBytes + StoredFormat.headerBytes + 1
        try Data().write(to: file)
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))
        #expect(throws: HandlerError(.tooLarge(.storeBytes, maximum: size - 1))) { try FileHandlerStore(at: file) }
    }

    /// A damaged file is an error and stays unchanged.
    @Test func damage() throws {
        let store = try FileHandlerStore(at: file)
        try store.save(record())
        try store.save(record(nested: [UUID()]))
        store.close()
        let data = try Data(contentsOf: file)
        for index in data.indices {
            var damaged = data
            damaged[index] ^= 1
            #expect(throws: HandlerError.self, "byte \(index)") { try HandlerLedger(data: damaged, now: Date()) }
        }
        var damaged = data
        damaged[20] ^= 1
        try damaged.write(to: file)
        #expect(throws: HandlerError.self) { try FileHandlerStore(at: file) }
        #expect(try Data(contentsOf: file) == damaged)
        // The failed attempts released the lock.
        try data.write(to: file)
        #expect(try FileHandlerStore(at: file).handlers().count == 2)
    }

    @Test func descriptionsOfErrors() {
        #expect("\(HandlerStoreError.inUse(path: "a"))".contains("'a' is in use"))
        #expect("\(HandlerStoreError.closed)" == "the store was closed: open a new one")
        #expect(
            "\(HandlerStoreError.failed("open", path: "a", code: 2))" == "could not open 'a': No such file or directory"
        )
    }
}
