// The center of a process. It combines the rules (PromiseRecord.swift), a store (PromiseStore.swift) and the waiting
// tasks (WaitingTasks.swift). After a change of the store, a transaction takes the outcomes that tasks wait for, and no
// other outcomes. Acknowledger.swift acknowledges outcomes, PromiseCenter+Promises.swift creates and resolves promises,
// and PromiseCenter+Sweeping.swift removes old ones.

import Foundation
import Handlers
import Logging

/// Makes promises that survive the process, and waits for them.
///
/// The main app, which shows outcomes, starts its center with the role `.consumer`. An extension that only handles
/// answers starts its own with `.resolver`, over the same store.
///
/// ```swift
/// let promises = try await PromiseCenter.start(store: store, role: .consumer)
/// let promise = try await promises.create(String.self, key: "avatar-of-room", timeout: .seconds(3600))
/// // … the promise's id travels with a handler, which fulfills it in whatever process it runs.
/// let answer = try await promise.value
/// ```
public actor PromiseCenter {
    /// The rights of a process.
    public enum Role: Sendable {
        /// Resolve promises, and take their outcomes.
        case consumer
        /// Only resolve promises.
        case resolver
    }

    /// The rights of this process.
    public nonisolated let role: Role
    nonisolated let store: any PromiseStore
    nonisolated let types: PromiseTypes
    nonisolated let time: PromiseTime
    nonisolated let logger: Logger
    /// Acknowledges the outcomes that tasks have received.
    nonisolated let acknowledger: Acknowledger
    /// Identifies this consumer.
    private let consumer = UUID()

    /// The result of the sweep in `start`.
    public private(set) var firstSweep = PromiseSweep()
    private var waiting = WaitingTasks()
    /// Whether the store is closed and reports no more changes.
    private var isClosed = false
    /// Reads the store for the waiting tasks.
    private var collecting: Task<Void, Never>?
    /// Whether it must read once more after the running read.
    private var mustCollectAgain = false
    private var listening: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    /// The time of the last sweep.
    private var lastSweep: Date

    init(
        store: any PromiseStore, role: Role, types: PromiseTypes, time: PromiseTime, logger: Logger
    ) {
        self.role = role
        self.store = store
        self.types = types
        self.time = time
        self.logger = logger
        acknowledger = Acknowledger(store: store, time: time, logger: logger)
        lastSweep = time.now
    }

    deinit {
        listening?.cancel()
        collecting?.cancel()
        alarm?.cancel()
    }

    /// Starts a center. A consumer is notified when another process changes promises.
    ///
    /// `start` first removes expired promises and damaged records. `firstSweep` lists them.
    ///
    /// - Throws: Errors of the store.
    public static func start(
        store: any PromiseStore, role: Role, types: PromiseTypes = PromiseTypes(),
        clock: any PromiseClock = SystemPromiseClock(), logger: Logger = Logger(label: "Promises")
    ) async throws -> PromiseCenter {
        let time = try await store.writePromises { try PromiseTime(goingOnIn: $0, clock) }
        let center = PromiseCenter(store: store, role: role, types: types, time: time, logger: logger)
        await center.begin(try await center.sweep())
        return center
    }

    private func begin(_ sweep: PromiseSweep) {
        firstSweep = sweep
        report(sweep)
        listen()
    }

    private func listen() {
        guard role == .consumer else { return }
        let changes = store.changes()
        listening = Task { [weak self] in
            for await _ in changes { await self?.storeHasChanged() }
            await self?.storeWasClosed()
        }
    }

    private func storeHasChanged() async {
        collect()
        await acknowledger.storeHasChanged()
    }

    /// Ends all waits: a closed store reports no more changes.
    private func storeWasClosed() {
        isClosed = true
        alarm?.cancel()
        waiting.failAll(PromiseError.closed)
    }

    // MARK: Waiting

    /// Waits for the outcome of a promise. The store records it as taken before this returns. The caller acknowledges
    /// it, because only the caller knows that its task has received the outcome.
    func outcome(of id: UUID) async throws -> PromiseOutcome {
        if role != .consumer { throw PromiseError.mayNotConsume }
        if isClosed { throw PromiseError.closed }
        let number = waiting.reserve()
        let outcome = try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                waiting.add(continuation, number, for: id)
                collect()
            }
        } onCancel: {
            Task { await self.stopWaiting(number, for: id) }
        }
        // A task that was canceled in the same moment gets no outcome, and must not acknowledge it.
        try Task.checkCancellation()
        return outcome
    }

    /// Ends the wait of one task. The promise does not change.
    private func stopWaiting(_ number: Int, for id: UUID) {
        waiting.remove(number, for: id)?.resume(throwing: CancellationError())
    }

    /// Reads the outcomes in the store. If a read runs already, another one follows it.
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
        let (now, consumer) = (time.now, consumer)
        var next: Date?
        do {
            for start in stride(from: 0, to: ids.count, by: PromiseLimits.batch) {
                let batch = ids[start..<min(start + PromiseLimits.batch, ids.count)]
                // A read blocks no other process. Only promises with an outcome to take need a transaction that writes.
                let found = try await store.promises(Array(batch))
                let ripe = batch.filter { id in found[id]?.isTakable(at: now) ?? true }
                let deadlines = found.values.compactMap { $0.isTakable(at: now) ? nil : $0.deadline }
                next = (deadlines + [next].compactMap(\.self)).min()
                if ripe.isEmpty { continue }
                let taken = try await store.writePromises { transaction in
                    try ripe.map { try Self.take($0, for: consumer, at: now, in: transaction) }
                }
                for (id, taken) in zip(ripe, taken) {
                    switch taken {
                    case .outcome(let outcome): waiting.deliver(.success(outcome), to: id)
                    case .unknown: waiting.deliver(.failure(PromiseError.unknownPromise(id)), to: id)
                    case .unreadable(let error): waiting.deliver(.failure(error), to: id)
                    // The record was from the future, and has got a new deadline.
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
            logger.warning("outcomes could not be taken", metadata: ["error": "\(Self.loggable(error))"])
            setAlarm(to: now.addingTimeInterval(1))
        }
    }

    /// The result of an attempt to take an outcome.
    private enum Taken: Sendable {
        case outcome(PromiseOutcome)
        case pending
        case unknown
        case unreadable(any Error)
    }

    private static func take(
        _ id: UUID, for consumer: UUID, at now: Date, in transaction: any PromiseTransaction
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
        if hasExpired || isTaken { try transaction.update(record) }
        return record.outcome.map { .outcome($0) } ?? .pending
    }

    /// Reads again at the next deadline of the awaited promises.
    private func setAlarm(to date: Date?) {
        alarm?.cancel()
        guard let date else { return alarm = nil }
        alarm = Task { [weak self, time] in
            do { try await time.clock.sleep(for: date.timeIntervalSince(time.now)) } catch { return }
            await self?.collect()
        }
    }

    /// Sweeps, unless the last sweep is recent. No caller depends on this sweep, so a failure is only logged.
    private func sweepNowAndThen() async {
        let now = time.now
        if now.timeIntervalSince(lastSweep) < PromiseLimits.sweepInterval { return }
        lastSweep = now
        do {
            report(try await sweepReadable())
        } catch let error as any PromiseStoreError where error.isFrozen {
            // A later sweep does the work.
        } catch {
            logger.warning("promises could not be swept", metadata: ["error": "\(Self.loggable(error))"])
        }
    }

    /// The text of a store's error for the log. Of other errors only the type is safe.
    static func loggable(_ error: any Error) -> String {
        (error as? any LoggableError)?.logText ?? "\(type(of: error))"
    }
}
