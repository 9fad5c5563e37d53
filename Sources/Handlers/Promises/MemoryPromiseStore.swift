// A store for tests, previews and programs without a database. It lasts as long as the process. Centers that share one
// simulate processes that share a database.

import Foundation

/// Keeps promises in memory. Its functions throw nothing but the errors of a transaction's body.
public actor MemoryPromiseStore: PromiseStore {
    private var records: [UUID: PromiseRecord] = [:]
    private var moment: PromiseMoment?
    private let listeners = Listeners()

    public init(_ records: [PromiseRecord] = []) {
        self.records = Dictionary(records.map { ($0.id, $0) }) { $1 }
    }

    public func promises(_ ids: [UUID]) -> [UUID: PromiseRecord] {
        let ids = Set(ids)
        return records.filter { ids.contains($0.key) }
    }

    public func allPromises() -> [PromiseRecord] { Transaction(records, moment).allPromises() }

    public func promise(key: String) -> PromiseRecord? { Transaction(records, moment).promise(key: key) }

    @discardableResult
    public func writePromises<Result: Sendable>(
        _ body: @escaping @Sendable (any PromiseTransaction) throws -> Result
    ) async throws -> Result {
        let transaction = Transaction(records, moment)
        let result = try body(transaction)
        moment = transaction.moment
        if transaction.records != records {
            records = transaction.records
            listeners.notify()
        }
        return result
    }

    public nonisolated func changes() -> AsyncStream<Void> { listeners.add() }
}

extension MemoryPromiseStore {
    /// Works on a copy of the records, which the store adopts if the transaction succeeds.
    private final class Transaction: PromiseTransaction {
        var records: [UUID: PromiseRecord]
        private(set) var moment: PromiseMoment?

        init(_ records: [UUID: PromiseRecord], _ moment: PromiseMoment?) {
            self.records = records
            self.moment = moment
        }

        func promise(_ id: UUID) -> PromiseRecord? { records[id] }

        func promise(key: String) -> PromiseRecord? {
            records.values.first { $0.key?.utf8.elementsEqual(key.utf8) ?? false }
        }

        func insert(_ record: PromiseRecord) throws {
            if let key = record.key, promise(key: key) != nil { throw PromiseError.keyTaken(key) }
            records[record.id] = record
        }

        func update(_ record: PromiseRecord) { if records[record.id] != nil { records[record.id] = record } }

        func remove(_ id: UUID) { records[id] = nil }

        func duePromises(at now: Date, limit: Int) -> [PromiseRecord] {
            allPromises { $0.outcome == nil && $0.isDue(at: now) }.prefix(limit).map(\.self)
        }

        func expiredPromises(at now: Date, limit: Int) -> [PromiseRecord] {
            allPromises { $0.hasExpired(at: now) }.prefix(limit).map(\.self)
        }

        func allPromises() -> [PromiseRecord] { allPromises { _ in true } }

        /// Nothing is damaged in memory.
        func removeDamaged(limit: Int) -> [DamagedPromise] { [] }

        func lastMoment() -> PromiseMoment? { moment }

        func note(_ moment: PromiseMoment) { self.moment = moment }

        private func allPromises(where condition: (PromiseRecord) -> Bool) -> [PromiseRecord] {
            records.values.filter(condition).sorted { $0.created < $1.created }
        }
    }
}
