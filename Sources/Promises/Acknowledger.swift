// Acknowledges outcomes that tasks have received. The next write contains the acknowledgements that tasks request
// during a write, so that many tasks cost few transactions. A failed write is repeated when the store reports a change.

import Foundation
import Logging
import SafeText

/// Writes the acknowledgements of a center.
actor Acknowledger {
    private let store: any PromiseStore
    private let time: PromiseTime
    private let logger: Logger
    /// Outcomes that no running write contains. After a failed write, its outcomes are here again.
    private var requested: Set<UUID> = []
    private var hasFailed = false
    /// How often the store has reported a change.
    private var changes = 0
    private var running: Task<Void, Never>?
    /// The write after the running one.
    private var planned: Task<Void, Never>?

    init(store: any PromiseStore, time: PromiseTime, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Outcomes that wait for a write.
    var requestedCount: Int { requested.count }

    /// Returns when the acknowledgement is written or has failed. The caller cannot prevent a failure, so it is only
    /// logged. If the process ends before the write is repeated, the outcome is offered again.
    ///
    /// The write is not part of the caller's task: its cancellation must not undo the acknowledgement of an outcome
    /// that the task has received.
    func acknowledge(_ id: UUID) async {
        requested.insert(id)
        await nextWrite().value
    }

    /// Repeats failed acknowledgements. The store may be unfrozen, or another process may have released it.
    func storeHasChanged() {
        changes += 1
        if hasFailed { _ = nextWrite() }
    }

    private func nextWrite() -> Task<Void, Never> {
        if let planned { return planned }
        let write = Task { [running] in
            await running?.value
            await self.write()
        }
        planned = write
        return write
    }

    private func write() async {
        running = planned
        planned = nil
        hasFailed = false
        let changesBefore = changes
        let ids = Array(requested)
        requested = []
        var end = 0
        do {
            while end < ids.count {
                let batch = ids[end..<min(end + PromiseLimits.batch, ids.count)]
                try await store.writePromises { [time, logger] transaction in
                    for id in batch {
                        try Self.change(id, logger) { try Self.acknowledge(id, at: time.now, in: transaction) }
                    }
                }
                end = batch.endIndex
            }
        } catch {
            requested.formUnion(ids[end...])
            hasFailed = true
            // A change during the write may be the one that this write had to wait for.
            if changes != changesBefore { _ = nextWrite() }
            logger.warning(
                "outcomes could not be acknowledged; this is repeated when the store changes",
                metadata: ["error": "\(error.loggable)"])
        }
    }

    /// Changes a promise together with others, or with the changes of a handler. These do not fail because the promise
    /// was removed, or because its record cannot be read.
    static func change(_ id: UUID, _ logger: Logger, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch PromiseError.unknownPromise {
        } catch let error as any PromiseStoreError where error.isOfOneRecord {
            logger.warning("a promise is damaged", metadata: ["promise": "\(id)", "error": "\(error.loggable)"])
        }
    }

    static func acknowledge(_ id: UUID, at now: Date, in transaction: any PromiseTransaction) throws {
        guard var record = try transaction.promise(id) else { throw PromiseError.unknownPromise(id) }
        let hasExpired = record.expire(at: now)
        if record.acknowledge(at: now) || hasExpired { try transaction.update(record) }
    }
}
