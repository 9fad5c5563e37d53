// Waiting: the center keeps the waiting tasks. When the store has changed, one transaction takes the outcomes of all
// promises that have one and that a task waits for. No other outcome is taken.

import Foundation

extension PromiseCentre {
    /// The outcome of a promise, as soon as there is one. It is recorded as taken before it is returned, and with
    /// `isAcknowledged` as acknowledged.
    func outcome(of id: UUID, isAcknowledged: Bool) async throws -> PromiseOutcome {
        if role != .consumer { throw PromiseError.mayNotConsume }
        if isClosed { throw PromiseError.closed }
        let number = waiting.reserve()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                waiting.add(continuation, number, for: id, isAcknowledging: isAcknowledged)
                collect()
            }
        } onCancel: {
            Task { await self.stopWaiting(number, for: id) }
        }
    }

    /// Ends the wait of one task. The promise does not change.
    private func stopWaiting(_ number: Int, for id: UUID) {
        waiting.remove(number, for: id)?.resume(throwing: CancellationError())
    }

    /// Looks for outcomes, now and once more if it is looking already.
    func collect() {
        if waiting.isEmpty { return }
        if collecting != nil {
            mustCollectAgain = true
            return
        }
        collecting = Task { [weak self] in await self?.collectUntilQuiet() }
    }

    private func collectUntilQuiet() async {
        repeat {
            mustCollectAgain = false
            await collectOnce()
            await sweepNowAndThen()
        } while mustCollectAgain
        collecting = nil
    }

    private func collectOnce() async {
        let newcomers = waiting.newcomers()
        let ids = waiting.promises
        let acknowledged = waiting.acknowledgedPromises
        let (now, consumer) = (time.now, consumer)
        var next: Date?
        do {
            for start in stride(from: 0, to: ids.count, by: PromiseLimits.batch) {
                let batch = ids[start..<min(start + PromiseLimits.batch, ids.count)]
                // Looking costs others nothing; only what there is to take is taken in a transaction that writes.
                let found = try await store.promises(Array(batch))
                let ripe = batch.filter { id in found[id]?.isTakable(at: now) ?? true }
                let deadlines = found.values.compactMap { $0.isTakable(at: now) ? nil : $0.deadline }
                next = (deadlines + [next].compactMap(\.self)).min()
                if ripe.isEmpty { continue }
                let taken = try await store.writePromises { transaction in
                    try ripe.map { id in
                        let isAcknowledged = acknowledged.contains(id)
                        return try Self.take(id, for: consumer, at: now, isAcknowledged, in: transaction)
                    }
                }
                for (id, taken) in zip(ripe, taken) {
                    switch taken {
                    case .outcome(let outcome): waiting.deliver(.success(outcome), to: id)
                    case .unknown: waiting.deliver(.failure(PromiseError.unknownPromise(id)), to: id)
                    case .unreadable(let error): waiting.deliver(.failure(error), to: id)
                    // It is from the future, and has got another deadline.
                    case .pending: mustCollectAgain = true
                    }
                }
            }
            setAlarm(to: next)
        } catch let error as any PromiseStoreError where error.isFrozen {
            // All tasks keep waiting: the store reports a change when it is unfrozen.
        } catch {
            // A task that has just begun to wait gets the error. Earlier ones keep waiting.
            waiting.fail(newcomers, error)
            logger.warning("outcomes could not be taken", metadata: ["error": "\(error)"])
            setAlarm(to: now.addingTimeInterval(1))
        }
    }

    /// What is found when an outcome is to be taken.
    private enum Taken: Sendable {
        case outcome(PromiseOutcome)
        case pending
        case unknown
        case unreadable(any Error)
    }

    private static func take(
        _ id: UUID, for consumer: UUID, at now: Date, _ isAcknowledged: Bool, in transaction: any PromiseTransaction
    ) throws -> Taken {
        let found: PromiseRecord?
        do {
            found = try transaction.promise(id)
        } catch let error as any PromiseStoreError where error.isOfOneRecord {
            return .unreadable(error)
        }
        guard var record = found else { return .unknown }
        let hasExpired = record.expire(at: now)
        let isTaken = record.consume(by: consumer, at: now)
        let isNew = isAcknowledged && record.acknowledge(at: now)
        if hasExpired || isTaken || isNew { try transaction.update(record) }
        return record.outcome.map { .outcome($0) } ?? .pending
    }

    /// Acknowledges an outcome. If this fails, the outcome is offered again. The caller cannot prevent that, so the
    /// failure is only logged.
    func acknowledge(_ id: UUID) async {
        do {
            try await store.writePromises { [time] in try Self.acknowledge(id, at: time.now, in: $0) }
        } catch {
            logger.warning("an outcome could not be acknowledged", metadata: ["error": "\(error)"])
        }
    }

    static func acknowledge(_ id: UUID, at now: Date, in transaction: any PromiseTransaction) throws {
        guard var record = try transaction.promise(id) else { throw PromiseError.unknownPromise(id) }
        if record.acknowledge(at: now) { try transaction.update(record) }
    }

    /// Looks again when the next deadline of what is waited for has come.
    private func setAlarm(to date: Date?) {
        alarm?.cancel()
        guard let date else { return alarm = nil }
        alarm = Task { [weak self, time] in
            do { try await time.clock.sleep(for: date.timeIntervalSince(time.now)) } catch { return }
            await self?.collect()
        }
    }
}
