// The requirements of every store, for those of Handlers, and the file store's own behavior.

import Foundation
import HandlerStoreSupport
import Synchronization
import TestSupport
import Testing

@testable import Handlers

@Suite struct StoreTests {
    @Test(arguments: StoreRequirement.allCases) func memory(requirement: StoreRequirement) async throws {
        try await tested { MemoryHandlerStore(now: $0) }.check(requirement)
    }

    @Test(arguments: StoreRequirement.allCases) func file(requirement: StoreRequirement) async throws {
        let folder = try TemporaryFolder()
        try await tested { try FileHandlerStore(at: folder.file("handlers"), now: $0) }.check(requirement)
    }

    /// A store whose clock the requirements set.
    private func tested(
        _ store: (_ now: @escaping @Sendable () -> Date) throws -> any HandlerStore
    ) rethrows -> TestedStore {
        let now = Mutex(Date())
        let store = try store { now.withLock(\.self) }
        return TestedStore(store, store) { id, time in
            now.withLock { $0 = time }
            return try await store.claim(.invalidation(.canceled), of: id, wasStored: true)
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
        let records = [TestedStore.record(nested: [inner]), TestedStore.record(), TestedStore.record()]
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
        let stored = (0..<3).map { _ in TestedStore.record() }
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
        #expect(throws: HandlerStoreError.closed) { try first.save(TestedStore.record()) }
        _ = try FileHandlerStore(at: file)
    }

    /// Other users cannot read the file.
    @Test func permissions() throws {
        let store = try FileHandlerStore(at: file)
        try store.save(TestedStore.record())
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
        let first = TestedStore.record()
        try store.save(first)
        // A folder occupies the name of the temporary file.
        try FileManager.default.createDirectory(at: folder.file("handlers.new"), withIntermediateDirectories: true)
        #expect(throws: HandlerStoreError.self) { try store.save(TestedStore.record()) }
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
        try store.save(TestedStore.record())
        try store.save(TestedStore.record(nested: [UUID()]))
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
