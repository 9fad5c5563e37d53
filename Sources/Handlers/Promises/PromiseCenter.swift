// The center of a process. It combines the rules (PromiseRecord.swift), a store (PromiseStore.swift) and the waiting
// tasks. After a change of the store, it reads the promises that tasks wait for, and no others.
// Promise.swift has the functions of one promise.

import Foundation
import Logging
import SafeText
import XMPPCore

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
///
/// Functions throw `PromiseError`, and the errors of the store unchanged.
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
    private nonisolated let store: any PromiseStore
    private nonisolated let time: PromiseTime
    private nonisolated let logger: Logger

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
    /// Outcomes to acknowledge that no running write contains. After a failed write, its outcomes are here again.
    private var toAcknowledge: Set<UUID> = []
    private var acknowledging: Task<Void, Never>?
    /// The write after the running one.
    private var plannedAcknowledging: Task<Void, Never>?
    /// How often the store has reported a change.
    private var changes = 0

    init(
        store: any PromiseStore, role: Role, time: PromiseTime, logger: Logger
    ) {
        self.role = role
        self.store = store
        self.time = time
        self.logger = logger
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
        store: any PromiseStore, role: Role, clock: any MachineClock = SystemClock(),
        logger: Logger = Logger(label: "Promises")
    ) async throws -> PromiseCenter {
        let time = try await store.writePromises { try PromiseTime(goingOnIn: $0, clock) }
        let center = PromiseCenter(store: store, role: role, time: time, logger: logger)
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

    /// The store may be unfrozen, or another process may have released it: repeats failed acknowledgements.
    func storeHasChanged() {
        changes += 1
        collect()
        if !toAcknowledge.isEmpty { _ = nextAcknowledging() }
    }

    /// Ends all waits: a closed store reports no more changes.
    private func storeWasClosed() {
        isClosed = true
        alarm?.cancel()
        waiting.failAll(PromiseError.closed)
    }

    // MARK: Waiting

    /// Waits for the outcome of a promise. The caller acknowledges it, because only the caller knows that its task has
    /// received the outcome.
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
    private func collect() {
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
        let now = time.now
        var next: Date?
        var due: [UUID] = []
        do {
            for start in stride(from: 0, to: ids.count, by: PromiseLimits.batch) {
                let batch = Array(ids[start..<min(start + PromiseLimits.batch, ids.count)])
                // A read blocks no other process.
                let found = try await readable(batch)
                for id in batch {
                    guard let record = found[id] else {
                        if let error = try await reasonWhyMissing(id) { waiting.deliver(.failure(error), to: id) }
                        continue
                    }
                    if let outcome = record.outcome {
                        waiting.deliver(.success(outcome), to: id)
                    } else if record.isDue(at: now) {
                        due.append(id)
                    } else if let deadline = record.deadline {
                        next = min(deadline, next ?? deadline)
                    }
                }
            }
            try await expire(due)
            setAlarm(to: next)
        } catch let error as any PromiseStoreError where error.isFrozen {
            // All tasks keep waiting: the store reports a change when it is unfrozen.
        } catch {
            // A task that has just begun to wait gets the error. Earlier ones keep waiting.
            waiting.fail(newcomers, error)
            logger.warning("outcomes could not be read", metadata: ["error": "\(error.loggable)"])
            setAlarm(to: now.addingTimeInterval(1))
        }
    }

    /// Reads promises. Leaves out a damaged one, also if it is the only one.
    private func readable(_ ids: [UUID]) async throws -> [UUID: PromiseRecord] {
        do {
            return try await store.promises(ids)
        } catch let error as any PromiseStoreError where error.isOfOneRecord {
            return [:]
        }
    }

    /// Why a promise cannot be read: it does not exist, or its record is damaged. `nil` if it can be read by now.
    private func reasonWhyMissing(_ id: UUID) async throws -> (any Error)? {
        do {
            if try await store.promises([id])[id] == nil { return PromiseError.unknownPromise(id) }
            mustCollectAgain = true
            return nil
        } catch let error as any PromiseStoreError where error.isOfOneRecord {
            return error
        }
    }

    /// Stores timeouts before a task gets them: another process may have resolved the promise in time, in a transaction
    /// that had not committed. Also stores new deadlines of records that an earlier clock has made later than now.
    private func expire(_ ids: [UUID]) async throws {
        if ids.isEmpty { return }
        try await store.writePromises { [time] transaction in
            for id in ids {
                guard var record = try transaction.promise(id) else { continue }
                if record.expire(at: time.now) { try transaction.update(record) }
            }
        }
        mustCollectAgain = true
    }

    /// Reads again at the next deadline of the awaited promises.
    private func setAlarm(to date: Date?) {
        alarm?.cancel()
        guard let date else { return alarm = nil }
        alarm = Task { [weak self, time] in
            // A day at most: no clock can count to the end of the longest timeout.
            let seconds = min(max(date.timeIntervalSince(time.now), 0), 86_400)
            do { try await time.clock.sleep(until: time.clock.uptime + .seconds(seconds)) } catch { return }
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
            logger.warning("promises could not be swept", metadata: ["error": "\(error.loggable)"])
        }
    }
}

extension PromiseCenter {
    // MARK: Acknowledging

    /// Acknowledgements that wait for a write.
    var waitingAcknowledgements: Int { toAcknowledge.count }

    /// Acknowledges an outcome that a task has received. The next write has the acknowledgements that tasks request
    /// during a write, so that many tasks cost few transactions.
    ///
    /// Returns when the acknowledgement is written or has failed. The caller cannot prevent a failure, so it is only
    /// logged. If the process ends before the write is repeated, the outcome is offered again.
    ///
    /// The write is not part of the caller's task: its cancellation must not undo the acknowledgement of an outcome
    /// that the task has received.
    func acknowledge(_ id: UUID) async {
        toAcknowledge.insert(id)
        await nextAcknowledging().value
    }

    private func nextAcknowledging() -> Task<Void, Never> {
        if let plannedAcknowledging { return plannedAcknowledging }
        let write = Task { [acknowledging] in
            await acknowledging?.value
            await self.writeAcknowledgements()
        }
        plannedAcknowledging = write
        return write
    }

    private func writeAcknowledgements() async {
        (acknowledging, plannedAcknowledging) = (plannedAcknowledging, nil)
        let changesBefore = changes
        var ids = Array(toAcknowledge)[...]
        toAcknowledge = []
        do {
            while !ids.isEmpty {
                let batch = ids.prefix(PromiseLimits.batch)
                try await store.writePromises { [time, logger] transaction in
                    for id in batch { try Self.change(id, logger) { try Self.acknowledge(id, time, transaction) } }
                }
                ids = ids.dropFirst(batch.count)
            }
        } catch {
            toAcknowledge.formUnion(ids)
            // A change during the write may be the one that this write had to wait for.
            if changes != changesBefore { _ = nextAcknowledging() }
            logger.warning(
                "outcomes could not be acknowledged; this is repeated when the store changes",
                metadata: ["error": "\(error.loggable)"])
        }
    }

    /// Acknowledges an outcome inside the caller's transaction.
    nonisolated func acknowledge(_ id: UUID, in transaction: any PromiseTransaction) throws {
        try Self.acknowledge(id, time, transaction)
    }

    private static func acknowledge(_ id: UUID, _ time: PromiseTime, _ transaction: any PromiseTransaction) throws {
        guard var record = try transaction.promise(id) else { throw PromiseError.unknownPromise(id) }
        let now = time.now
        let hasExpired = record.expire(at: now)
        if record.acknowledge(at: now) || hasExpired { try transaction.update(record) }
    }

    /// Changes a promise together with others, or with the changes of a handler. These do not fail because the promise
    /// was removed, or because its record cannot be read.
    private static func change(_ id: UUID, _ logger: Logger, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch PromiseError.unknownPromise {
        } catch let error as any PromiseStoreError where error.isOfOneRecord {
            logger.warning("a promise is damaged", metadata: ["promise": "\(id)", "error": "\(error.loggable)"])
        }
    }
}

extension PromiseCenter {
    // MARK: Making and finding promises

    /// Creates a promise and stores it. A promise that is acknowledged or expired gives up its key to the new one.
    ///
    /// In a transaction of a session, as in a handler, the promise is one of the collected changes, as its request is.
    /// A process that is killed before the commit has made neither. If the key is taken, the changes fail.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: A name that finds the promise again after a restart. At most `PromiseLimits.codeLength` bytes.
    ///   - timeout: The time after which the promise times out, even if no process runs then. With `nil` it stays
    ///     pending until a process resolves it: cancel it when the app does not need the outcome.
    ///   - retention: The time for which the outcome is kept if it is not acknowledged.
    /// - Throws: `PromiseError.keyTaken`, `.tooLong`, or `.unencodable` for a type whose values no program can store;
    ///   errors of the store.
    public func create<Value: Storable>(
        _ type: Value.Type = Value.self, key: String? = nil, timeout: Duration? = nil,
        retention: Duration = PromiseCenter.retention
    ) async throws -> Promise<Value> {
        let record = try record(of: type, key: key, timeout: timeout, retention: retention)
        if !collects({ try Self.insert(record, in: $0) }) {
            try await store.writePromises { try Self.insert(record, in: $0) }
        }
        return Promise(id: record.id, center: self)
    }

    /// Adds a step to the changes of the running handler, if that has the same store.
    private func collects(_ step: @escaping @Sendable (any PromiseTransaction) throws -> Void) -> Bool {
        (store as? any CollectingStore)?.addToRunningHandler(step) ?? false
    }

    /// Makes the record of a new promise. `insert(_:in:)` stores it.
    private nonisolated func record<Value: Storable>(
        of type: Value.Type, key: String?, timeout: Duration?, retention: Duration
    ) throws(PromiseError) -> PromiseRecord {
        if let key, key.utf8.count > PromiseLimits.codeLength {
            throw .tooLong(what: "the key", length: key.utf8.count, limit: PromiseLimits.codeLength)
        }
        if let problem = type.storableObjects.lazy.flatMap({ $0.problems }).first {
            throw .unencodable(type: type.typeName, reason: "\(problem)")
        }
        return PromiseRecord(
            id: UUID(), key: key, type: type.typeName, created: time.now,
            timeout: timeout.map { $0 / .seconds(1) }, retention: retention / .seconds(1))
    }

    /// Stores a new promise. An acknowledged or expired promise gives up its key to it.
    private static func insert(_ record: PromiseRecord, in transaction: any PromiseTransaction) throws {
        if let key = record.key, let old = try transaction.promise(key: key), old.isOver(at: record.created) {
            try transaction.remove(old.id)
        }
        try transaction.insert(record)
    }

    /// The default time for which a promise is kept: a week.
    public static let retention = Duration.seconds(7 * 86_400)

    /// Finds the promise with this key, such as after a restart; `nil` for none, and for one that has expired or whose
    /// outcome is acknowledged.
    /// - Throws: `PromiseError.wrongType` if its values have another type, and errors of the store.
    public func reattach<Value: Storable>(
        key: String, as type: Value.Type = Value.self
    ) async throws -> Promise<Value>? {
        try promise(of: try await store.promise(key: key))
    }

    /// Finds the promise with this identity; `nil` for none.
    /// - Throws: `PromiseError.wrongType` if its values have another type, and errors of the store.
    public func reattach<Value: Storable>(
        id: UUID, as type: Value.Type = Value.self
    ) async throws -> Promise<Value>? {
        try promise(of: try await store.promises([id])[id])
    }

    /// Reads the state of a promise without a lock that blocks others.
    nonisolated func state(of id: UUID) async throws -> PromiseState {
        let now = time.now
        guard var record = try await store.promises([id])[id] else { throw PromiseError.unknownPromise(id) }
        record.expire(at: now)
        return record.state
    }

    private func promise<Value: Storable>(of record: PromiseRecord?) throws(PromiseError) -> Promise<Value>? {
        guard let record, !record.isOver(at: time.now) else { return nil }
        if record.type != Value.typeName { throw .wrongType(expected: Value.typeName, actual: record.type) }
        return Promise(id: record.id, center: self)
    }

    /// Makes the promise that a handler gets as an argument. It does not look the promise up, so that a handler can
    /// always be called.
    public nonisolated func promise<Value: Storable>(
        _ id: UUID, of type: Value.Type = Value.self
    ) -> Promise<Value> {
        Promise(id: id, center: self)
    }

    // MARK: Resolving

    func resolve(_ id: UUID, _ outcome: PromiseOutcome) async throws -> PromiseResolution {
        let isCollected = collects { [logger] transaction in
            try Self.change(id, logger) { _ = try self.resolve(id, outcome, in: transaction) }
        }
        if isCollected { return .collected }
        let resolution = try await store.writePromises { try self.resolve(id, outcome, in: $0) }
        if role == .consumer { collect() }
        return resolution
    }

    /// Resolves a promise inside the caller's transaction, whose time counts: it may have waited for others.
    nonisolated func resolve(
        _ id: UUID, _ outcome: PromiseOutcome, in transaction: any PromiseTransaction
    ) throws -> PromiseResolution {
        guard var record = try transaction.promise(id) else { throw PromiseError.unknownPromise(id) }
        if case .fulfilled(let payload) = outcome, payload.type != record.type {
            throw PromiseError.wrongType(expected: payload.type, actual: record.type)
        }
        let before = record
        let resolution = record.resolve(outcome, at: time.now)
        if record != before { try transaction.update(record) }
        return resolution
    }
}

extension PromiseCenter {
    // MARK: Sweeping and listing

    /// Times out promises whose deadline has passed, and removes expired promises and damaged records. A center sweeps
    /// when it starts. While tasks wait, it sweeps from time to time, except for damaged records. Call this method also
    /// in a long-lived process that only resolves. Linear in the number of promises.
    ///
    /// - Throws: Errors of the store. A part of the sweep may be committed by then.
    public func sweep() async throws -> PromiseSweep {
        var damaged: [DamagedPromise] = []
        while true {
            let part = try await store.writePromises { try $0.removeDamaged(limit: PromiseLimits.batch) }
            damaged += part
            if part.count < PromiseLimits.batch { break }
        }
        var sweep = try await sweepReadable()
        sweep.damaged = damaged
        return sweep
    }

    /// Sweeps without a look at every record.
    private func sweepReadable() async throws -> PromiseSweep {
        var sweep = PromiseSweep()
        while true {
            let part = try await store.writePromises { [time] transaction in
                try time.note(in: transaction)
                return try Self.sweepOnce(at: time.now, in: transaction)
            }
            sweep.timedOut += part.timedOut
            sweep.acknowledged += part.acknowledged
            sweep.lost += part.lost
            let count = max(part.changed, part.acknowledged.count + part.lost.count)
            if count < PromiseLimits.batch { return sweep }
        }
    }

    private func report(_ sweep: PromiseSweep) {
        if sweep.lost.isEmpty { return }
        logger.warning(
            "promises were removed before their outcome was acknowledged",
            metadata: ["count": "\(sweep.lost.count)"])
    }

    private static func sweepOnce(
        at now: Date, in transaction: any PromiseTransaction
    ) throws -> (timedOut: [UUID], acknowledged: [UUID], lost: [UUID], changed: Int) {
        let due = try transaction.duePromises(at: now, limit: PromiseLimits.batch)
        var timedOut: [UUID] = []
        for var record in due {
            record.expire(at: now)
            try transaction.update(record)
            if record.outcome != nil { timedOut.append(record.id) }
        }
        let expired = try transaction.expiredPromises(at: now, limit: PromiseLimits.batch)
        for record in expired { try transaction.remove(record.id) }
        let acknowledged = expired.filter { $0.acknowledged != nil }.map(\.id)
        let lost = expired.filter { $0.acknowledged == nil }.map(\.id)
        return (timedOut, acknowledged, lost, due.count)
    }

    /// Returns the promises whose outcome is not acknowledged, pending ones included, the oldest first. Resume one with
    /// `reattach(id:as:)`. Promises that have expired or cannot be read are left out.
    ///
    /// ```swift
    /// for open in try await promises.openPromises() { show(open.key ?? "\(open.id)") }
    /// ```
    ///
    /// - Throws: Errors of the store.
    public func openPromises() async throws -> [OpenPromise] {
        let now = time.now
        return try await store.allPromises().compactMap { record in
            if record.isOver(at: now) { return nil }
            var record = record
            record.expire(at: now)
            return OpenPromise(
                id: record.id, key: record.key, type: record.type, state: record.state,
                age: .seconds(now.timeIntervalSince(record.created)))
        }
    }
}

/// The waiting tasks of each promise.
struct WaitingTasks {
    typealias Continuation = CheckedContinuation<PromiseOutcome, any Error>

    private var tasks: [UUID: [Int: Continuation]] = [:]
    private var recent: [(number: Int, id: UUID)] = []
    private var last = 0

    var isEmpty: Bool { tasks.isEmpty }
    var promises: [UUID] { Array(tasks.keys) }

    /// Reserves a number for a task that is about to wait.
    mutating func reserve() -> Int {
        last += 1
        return last
    }

    mutating func add(_ continuation: Continuation, _ number: Int, for id: UUID) {
        tasks[id, default: [:]][number] = continuation
        recent.append((number, id))
    }

    /// Removes one waiting task.
    mutating func remove(_ number: Int, for id: UUID) -> Continuation? {
        let task = tasks[id]?.removeValue(forKey: number)
        if tasks[id]?.isEmpty ?? false { tasks[id] = nil }
        return task
    }

    /// The tasks that arrived since the last call.
    mutating func newcomers() -> [(number: Int, id: UUID)] {
        defer { recent = [] }
        return recent
    }

    mutating func deliver(_ result: Result<PromiseOutcome, any Error>, to id: UUID) {
        for task in (tasks.removeValue(forKey: id) ?? [:]).values { task.resume(with: result) }
    }

    mutating func failAll(_ error: any Error) {
        for id in promises { deliver(.failure(error), to: id) }
    }

    mutating func fail(_ some: [(number: Int, id: UUID)], _ error: any Error) {
        for (number, id) in some { remove(number, for: id)?.resume(throwing: error) }
    }
}
