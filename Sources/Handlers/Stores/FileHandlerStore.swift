// A store in a single file, for one process at a time: the simplest durable store.

public import Foundation
import Synchronization

/// Keeps handlers in one file.
///
/// The store holds all handlers in memory. Every change writes a temporary file, flushes it to the disk and replaces
/// the old file with it. This suits some hundreds of handlers. While the store is open, a lock file next to it keeps
/// other stores out. Processes that share handlers at the same time need a database.
///
/// Functions throw `HandlerStoreError` for the file, and `HandlerError` for a handler that the store lacks or that is
/// too large.
///
/// ```swift
/// let store = try FileHandlerStore(at: folder.appending(path: "handlers"))
/// let dispatcher = HandlerDispatcher(registry: registry, store: store)
/// ```
public final class FileHandlerStore: HandlerStore {
    private let file: AtomicFile
    /// `nil` once closed.
    private let ledger: Mutex<HandlerLedger?>
    private let loans = ReplayLoans()
    private let now: @Sendable () -> Date

    /// Opens a store. If the file does not exist, the store is empty, and the first change creates the file.
    ///
    /// - Parameters:
    ///   - location: The file.
    ///   - now: The time of day, from which the store computes how long ago a handler ended.
    /// - Throws: `HandlerStoreError` when the file is in use or cannot be read, `HandlerError` when it is damaged, too
    ///   large or of a newer format. An error leaves the file unchanged.
    public init(at location: URL, now: @escaping @Sendable () -> Date = { Date() }) throws {
        guard location.isFileURL else { throw HandlerStoreError.notAFile(location) }
        let file = try AtomicFile(location.path)
        do {
            let data = try file.content(limit: HandlerLimits.storeBytes + StoredFormat.headerBytes)
            ledger = Mutex(try data.map { try HandlerLedger(data: $0, now: now()) } ?? HandlerLedger())
        } catch {
            file.release()
            throw error
        }
        self.file = file
        self.now = now
    }

    deinit { close() }

    /// Closes the store, so that another one can open the file. Later reads and changes of this one throw `closed`.
    public func close() {
        ledger.withLock { ledger in
            if ledger != nil { file.release() }
            ledger = nil
        }
    }

    public func save(_ handler: StoredHandler) throws { try change { $0.save(handler) } }

    public func handler(_ id: UUID) throws(HandlerStoreError) -> StoredHandler? { try read { $0.records[id] } }

    public func handlers() throws(HandlerStoreError) -> [StoredHandler] { try read { Array($0.records.values) } }

    public func remove(_ id: UUID) throws { try change { $0.remove(id) } }

    public func marks(of ids: [UUID]) throws(HandlerStoreError) -> [UUID: HandlerMark] {
        try read { $0.marks(of: ids) }
    }

    public func claim(_ claim: HandlerClaim, of id: UUID, wasStored: Bool) throws -> HandlerMark? {
        try change { try $0.claim(claim, of: id, wasStored: wasStored, now: now()) }
    }

    public func deferHandler(_ id: UUID, reason: String, call: Data?) throws {
        try change { try $0.deferHandler(id, reason: reason, call: call, now: now()) }
    }

    public func beginReplay(of id: UUID) throws(HandlerStoreError) -> StoredHandler? {
        try loans.lend(id) { () throws(HandlerStoreError) in try handler(id) }
    }

    public func endReplay(of id: UUID) { loans.giveBack(id) }

    public func removeDeferredCall(_ number: Int64, of id: UUID) throws {
        try change { $0.removeDeferredCall(number, of: id) }
    }

    public func endDeferral(_ id: UUID) throws { try change { $0.endDeferral(id) } }

    private func read<Result>(_ body: (HandlerLedger) -> Result) throws(HandlerStoreError) -> Result {
        try ledger.withLock { ledger throws(HandlerStoreError) in
            guard let ledger else { throw .closed }
            return body(ledger)
        }
    }

    /// Writes a change to the file, then changes the ledger. Writes nothing if the ledger did not change.
    private func change<Result>(_ body: (inout HandlerLedger) throws -> Result) throws -> Result {
        try ledger.withLock { ledger in
            guard let old = ledger else { throw HandlerStoreError.closed }
            var new = old
            let result = try body(&new)
            if new != old {
                try file.replace(with: new.data())
                ledger = new
            }
            return result
        }
    }
}
