// The core of a session with its stored state: its owner, and the writes of its changes. CommitQueue.swift decides
// which actions wait for a write; this file writes on a queue of its own. Only opening and closing wait for the disk.

import Foundation
import Logging
import SafeText
import XMLTree
import XMPPCore

/// A session's core, whose changes are stored before the actions that depend on them (D51). Belongs to the session,
/// which performs the other actions.
final class SessionRecord {
    private typealias Core = StreamManagementCore
    typealias Number = CommitQueue.Number

    private enum Phase {
        /// The session is claimed, and the core has not restored it. It restores on first use, not in the initializer:
        /// the app can add its listeners before the resulting events.
        case claimed(any SessionStore, StoredSession)
        case open(any SessionStore)
        /// Others can claim the session.
        case givenUp
        /// The session is over. The store is open until the last changes are stored.
        case closed((any SessionStore)?)
    }

    /// A task that waits for a commit.
    private struct Waiter {
        let number: Number
        /// The stanzas that the session takes back if they cannot be stored now.
        let stanzas: [OutgoingNumber]
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let account: JID
    private let storage: any StreamManagementStorage
    private let writePolicy: WritePolicy
    private let clock: any MachineClock
    private let logger: Logger
    private let disk: DispatchQueue
    private var phase = Phase.givenUp
    /// The store that was opened last.
    private(set) var lastStore: (any SessionStore)?
    private var commits: CommitQueue
    private var waiters: [Waiter] = []
    /// The changes of the app in commits to come, by the commits' numbers.
    private var effects: [Number: AppCommit] = [:]
    /// Writes again after a failure.
    private var retry: Task<Void, Never>?
    /// The number of failures in a row.
    private var failures = 0
    private var running: RunningWrite?
    /// The core follows a write: no other write begins with changes that this may correct.
    private var isSettling = false
    /// Whether only a claim opens the storage again: the session is, or is being, suspended for another owner.
    var needsClaim = false
    private(set) var core: StreamManagementCore

    /// The time until a failed write is repeated, if nothing else becomes due before. It doubles with each failure.
    static let retryInterval = Duration.seconds(1)
    private static let longestRetryInterval = Duration.seconds(64)

    init(
        account: JID, storage: any StreamManagementStorage, writePolicy: WritePolicy,
        configuration: StreamManagementConfiguration, clock: any MachineClock, logger: Logger
    ) {
        self.account = account
        self.storage = storage
        self.writePolicy = writePolicy
        self.clock = clock
        self.logger = logger
        disk = DispatchQueue(label: "SessionRecord \(account)")
        commits = CommitQueue(policy: writePolicy)
        core = StreamManagementCore(configuration: configuration)
        core.runnerHoldsDeadlines = true
    }

    func configure(_ change: (inout StreamManagementConfiguration) -> Void) { change(&core.configuration) }

    func awaitGreetings(_ awaits: Bool) { core.awaitsGreetings = awaits }

    func hold(_ isHeld: @escaping @Sendable (Element) -> Bool) { core.isHeld = isHeld }

    func setMaximumStanzaBytes(_ limit: Int?) { core.maximumStanzaBytes = limit }

    /// Whether something for the server waits for the disk.
    var holdsBack: Bool { commits.holdsBack }

    /// Whether a question to the server waits for the disk: its answer cannot come yet.
    var holdsBackQuestion: Bool { commits.holdsBackQuestion }

    /// Whether so many reports wait for the disk that the session reads nothing more.
    var isBehind: Bool { commits.reportCount >= Self.maximumReports }

    /// More than the stanzas that a session handles at a time.
    private static let maximumReports = 1000

    // MARK: Owning the stored session

    /// Whether the session is over.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether this object owns the stored session.
    var isOwner: Bool { store != nil }

    private var store: (any SessionStore)? {
        switch phase {
        case .claimed(let store, _), .open(let store): store
        case .closed(let store): store
        case .givenUp: nil
        }
    }

    /// Claims the session, and replaces the core by a new one for the stored session. The new core ignores earlier
    /// numbers: their stanzas have been given up, or come again.
    func open(takingOver: Bool) throws {
        let store = try storage.open(account, takingOver: takingOver)
        do {
            phase = .claimed(store, try store.load() ?? StoredSession())
        } catch {
            store.close()
            throw error
        }
        lastStore = store
        core = StreamManagementCore(after: core)
    }

    /// Claims the session if it was suspended or lost to another process.
    func claim(takingOver: Bool, for session: isolated StreamSession) async throws {
        if isOwner {
            do {
                try await flush(always: true, for: session)
            } catch StorageError.takenOver where takingOver {
                // The code below takes it back.
            }
        }
        try session.checkOpen()
        if !isOwner { try open(takingOver: takingOver) }
        try takeUp(for: session)
        needsClaim = false
    }

    /// Claims the session again if it was given up, and restores the core from the storage.
    func takeUp(for session: isolated StreamSession) throws {
        if isClosed { return }
        if !isOwner {
            if needsClaim { throw StorageError.takenOver(account: account) }
            try open(takingOver: false)
        }
        restoreIfNeeded(for: session)
        // A stream that either side is closing is over: the caller's action concerns the next one.
        if core.state == .ended { try handle(.transportLost, for: session) }
    }

    /// Restores the core from the stored session, once.
    func restoreIfNeeded(for session: isolated StreamSession) {
        guard case .claimed(let store, let stored) = phase else { return }
        phase = .open(store)
        let mended = stored.mended
        session.restoreSent(mended.undecided + mended.pending + mended.held)
        // A new core takes any session.
        try? handle(.restore(mended), for: session)
    }

    /// The session is over. The storage is still open.
    func close() { phase = .closed(store) }

    /// Removes a closed session from the storage, if that is possible.
    func remove(for session: isolated StreamSession) async {
        // Without the storage, the stream is closed nevertheless, without the count (D49).
        acknowledgeHandled(for: session)
        try? handle(.close, for: session)
        do {
            try await flush(for: session)
        } catch  where error.isTemporaryStorageError {
            logger.error("the closed session is still stored", metadata: ["error": "\(error.loggable)"])
            // Its end tag would end the session of another owner.
            if await isTakenOver(for: session) { session.endForGood(.takenOver) }
        } catch {
            // The session has given its storage up.
        }
        giveUp(for: session)
    }

    /// Whether another owner has the session, as far as the storage knows.
    private func isTakenOver(for session: isolated StreamSession) async -> Bool {
        guard let store else { return false }
        return await withCheckedContinuation { continuation in
            disk.async {
                do { try store.write([]) } catch { return continuation.resume(returning: error.isOfAnotherOwner) }
                continuation.resume(returning: false)
            }
        }
    }

    /// Acknowledges the handled stanzas before the stream ends.
    func acknowledgeHandled(for session: isolated StreamSession) {
        if core.state == .enabled { try? handle(.sendAcknowledgement, for: session) }
    }

    /// Gives up the storage, so that others can claim the session. It stays stored.
    ///
    /// - Parameter error: The error of the tasks that wait for commits.
    func giveUp(because error: (any Error)? = nil, for session: isolated StreamSession) {
        // Tasks that wait for a write that runs, or is due, get its result.
        while running != nil {
            disk.sync {}
            writeIsOver(for: session)
        }
        guard let store else { return }
        phase = isClosed ? .closed(nil) : .givenUp
        store.close()
        retry?.cancel()
        commits = CommitQueue(policy: writePolicy)
        let error = error ?? StorageError.takenOver(account: account)
        for waiter in waiters { waiter.continuation.resume(throwing: error) }
        for commit in effects.values { commit.continuation?.resume(throwing: error) }
        (waiters, effects) = ([], [:])
        session.storeIsGivenUp()
    }

    /// Gives the storage up and ends the stream, because the core and the storage differ. The session restores the
    /// core from the storage before the next stream.
    func storageFailed(_ error: any Error, for session: isolated StreamSession) {
        guard isOwner else { return }
        giveUp(because: error, for: session)
        let end: StreamEnd
        if case StorageError.takenOver = error {
            logger.notice("another process owns the session now")
            end = .takenOver
        } else {
            logger.error("the session cannot be stored", metadata: ["error": "\(error.loggable)"])
            end = .storageFailed(error)
        }
        // `endSession` ends the stream of a closed session. Its end tag would end the session of another owner.
        if !isClosed || error.isOfAnotherOwner { session.endForGood(end) }
    }

    // MARK: Events

    /// Throws if the storage cannot store a stanza.
    func checkCanStore(_ stanza: Element) throws { try store?.checkCanStore(stanza) }

    /// Passes an event to the core, and lets the session perform its actions: now, or when the changes that they depend
    /// on are stored.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - error: The error of the app's handler.
    ///   - session: The session.
    /// - Throws: The core's error, and nothing has changed.
    func handle(
        _ event: StreamManagementCore.Event, because error: (any Error)? = nil, for session: isolated StreamSession
    ) throws(StreamManagementError) {
        perform(try core.handle(event, at: clock.now), because: error, for: session)
    }

    /// Begins a resumption inside an authentication, and returns its `<resume/>`, whose count is stored then.
    func resume(for session: isolated StreamSession) async throws -> Nonza? {
        var resume: Nonza?
        var actions = try core.handle(.resume, at: clock.now)
        actions.removeAll { action in
            guard case .send(let nonza) = action else { return false }
            resume = nonza
            return true
        }
        perform(actions, for: session)
        try await stored(for: session)
        return resume
    }

    /// Counts a failed attempt to handle a stanza that the caller keeps. The count is stored when this returns.
    func countFailure(
        of stanza: ReceivedStanza, because error: (any Error)?, for session: isolated StreamSession
    ) async throws -> HandlingVerdict {
        var verdict = HandlingVerdict.comesAgain
        var actions = try core.handle(.handlingFailed(stanza), at: clock.now)
        actions.removeAll { action in
            switch action {
            // The caller has it already.
            case .deliver(let other) where other.number == stanza.number:
                verdict = .again
                return true
            case .notify(.incomingDeadLetter): verdict = .deadLettered
            default: break
            }
            return false
        }
        perform(actions, because: error, for: session)
        // A count that cannot be stored for now is stored later.
        do { try await stored(for: session) } catch  where error.isTemporaryStorageError {}
        return verdict
    }

    /// Whether an event is to be sent now. Otherwise it comes after the reports that wait.
    func passes(_ event: SessionEvent) -> Bool { commits.pass(event) }

    private func perform(
        _ actions: [StreamManagementCore.Action], because error: (any Error)? = nil,
        for session: isolated StreamSession
    ) {
        var event = CommitQueue.EventState()
        for action in actions {
            if !isOwner {
                // Another owner stores the session.
                if case .store = action { continue }
            } else if !commits.pass(action, of: &event, because: error) {
                continue
            }
            session.perform(action, because: error)
        }
        write(for: session)
        session.actionsArePerformed()
    }

    // MARK: Sending

    /// Passes stanzas to send to the core.
    ///
    /// - Parameter isGreeting: Whether they belong to the greeting of the session.
    /// - Returns: The stanzas. They are sent when `stored(_:for:)` returns.
    func send(
        _ stanzas: [(element: Element, id: StanzaID?)], asGreeting isGreeting: Bool = false,
        for session: isolated StreamSession
    ) throws -> [SentStanza] {
        guard isOwner else { throw StorageError.takenOver(account: account) }
        var actions: [StreamManagementCore.Action] = []
        defer { perform(actions, for: session) }
        return try accept(stanzas, asGreeting: isGreeting, &actions, for: session)
    }

    /// Passes stanzas to send to the core: all, or none.
    private func accept(
        _ stanzas: [(element: Element, id: StanzaID?)], asGreeting isGreeting: Bool,
        _ actions: inout [StreamManagementCore.Action], for session: isolated StreamSession
    ) throws -> [SentStanza] {
        // The core takes all of them then, and no action is lost.
        if core.state == .ended { throw StreamManagementError.ended }
        for stanza in stanzas { try core.checkSize(of: stanza.element) }
        var sent: [SentStanza] = []
        let count = actions.count
        do {
            for (element, id) in stanzas {
                let stanza = SentStanza(number: core.upcomingNumber, element: element)
                let id = id ?? session.name(of: element)
                actions += try core.handle(isGreeting ? .greet(element, id: id) : .send(element, id: id), at: clock.now)
                sent.append(stanza)
            }
        } catch {
            // The core relies on its other actions, such as `<r/>`.
            let left = actions[count...].filter(\.isBesides)
            actions.replaceSubrange(count..., with: left)
            _ = core.revoke(Set(sent.map(\.number)), isCounted: false, at: clock.now)
            throw error
        }
        session.track(sent)
        return sent
    }

    /// Takes back stanzas that are neither stored nor sent.
    private func revoke(_ numbers: Set<OutgoingNumber>, for session: isolated StreamSession) {
        if numbers.isEmpty { return }
        session.untrack(numbers)
        let isCounted = commits.forget(numbers)
        perform(core.revoke(numbers, isCounted: isCounted, at: clock.now), for: session)
    }

    /// A transaction has removed waiting stanzas from the storage.
    private func withdraw(_ numbers: Set<OutgoingNumber>, for session: isolated StreamSession) {
        if numbers.isEmpty { return }
        let isCounted = commits.forget(numbers)
        perform(core.revoke(numbers, isReported: true, isCounted: isCounted, at: clock.now), for: session)
    }

    // MARK: Effects of the app

    /// Commits effects of the app and changes of the session in one transaction. If that fails, nothing has changed.
    ///
    /// - Parameters:
    ///   - effects: The changes of the app.
    ///   - entries: The entries, with their stanzas.
    ///   - hasWaited: Whether the room in the queue belongs to these entries, before any other sender.
    ///   - session: The session.
    /// - Returns: The stanzas that are sent.
    func commit(
        _ effects: some StorageEffects, of entries: some CommitEntries, hasWaited: Bool = false,
        for session: isolated StreamSession
    ) async throws -> [SentStanza] {
        guard isOwner else { throw StorageError.takenOver(account: account) }
        let commit = AppCommit(effects: effects, entries: entries, hasWaited: hasWaited)
        return try await withCheckedThrowingContinuation { add(commit, $0, for: session) }
    }

    /// Accepts the stanzas of the entries, as far as there is room, and adds the effects to a commit.
    private func add(
        _ commit: AppCommit, _ continuation: CheckedContinuation<[SentStanza], any Error>,
        for session: isolated StreamSession
    ) {
        var commit = commit
        commit.begin(core, continuation)
        session.refuseEntries(of: commit.entries, hasWaited: commit.hasWaited)
        var left: [StreamManagementCore.Action] = []
        do {
            for (index, elements) in commit.entries.elements.enumerated()
            where !elements.isEmpty && !commit.entries.isRefused(index) {
                var actions: [StreamManagementCore.Action] = []
                defer { left += actions.filter { $0.change == nil } }
                let sent = try accept(
                    elements.map { ($0, nil) }, asGreeting: commit.entries.isGreeting(index), &actions, for: session)
                commit.add(sent, of: index, changes: actions.compactMap(\.change))
            }
        } catch {
            revoke(commit.numbers, for: session)
            perform(left.filter(\.isBesides), for: session)
            return continuation.resume(throwing: error)
        }
        effects[commits.addEffects()] = commit
        perform(left, for: session)
    }

    /// The effects are on the disk. The core follows.
    private func settle(_ commit: AppCommit, _ written: AppCommit.Written, for session: isolated StreamSession) {
        revoke(commit.unsent, for: session)
        withdraw(Set(written.withdrawn), for: session)
        if !written.handled.isEmpty {
            let (actions, isStored) = core.markHandled(written.handled, stored: written.counter, at: clock.now)
            if isStored { commits.handledCountIsStored(core.handledCounter) }
            perform(actions, for: session)
        }
        commit.continuation?.resume(returning: commit.sent)
    }

    // MARK: Writing

    /// Waits until a commit is on the disk.
    ///
    /// - Parameters:
    ///   - sent: Stanzas to take back if they cannot be stored now.
    ///   - session: The session.
    /// - Throws: The error of the storage. If it is temporary, the other changes wait for another attempt.
    func stored(_ sent: [SentStanza] = [], for session: isolated StreamSession) async throws {
        try await wait(for: commits.immediate, sent, for: session)
    }

    private func wait(
        for number: Number, _ sent: [SentStanza] = [], for session: isolated StreamSession
    ) async throws {
        if number <= commits.stored { return }
        // After a failure, nothing is due before the next attempt.
        commits.want(through: number)
        try await withCheckedThrowingContinuation {
            waiters.append(Waiter(number: number, stanzas: sent.map(\.number), continuation: $0))
            write(for: session)
        }
    }

    /// Makes all changes durable.
    ///
    /// - Parameter always: Whether to write also without changes: that shows that this object owns the session.
    func flush(always: Bool = false, for session: isolated StreamSession) async throws {
        if !isOwner { return }
        try await wait(for: commits.flush(always: always), for: session)
    }

    /// Stores the session so that it can be continued.
    func suspend(for session: isolated StreamSession) async throws {
        try handle(.transportLost, for: session)
        // A suspension during the handling of a stanza is not a failed attempt (rule R40).
        if core.resumption != nil, core.unhandledCount > 0 {
            perform([.store(.handlingAttempts(core.failedAttempts), .deferrable)], for: session)
        }
        try await flush(for: session)
        logger.debug("session suspended")
    }

    /// Begins the next write, if one is due and none runs.
    private func write(for session: isolated StreamSession) {
        guard !isSettling, let store, let changes = commits.begin() else { return }
        retry?.cancel()
        retry = nil
        let number = commits.stored + 1
        let commit = effects[number]
        let writing = commit?.writing(after: changes, core)
        let running = RunningWrite(on: disk) {
            if let writing { return try writing(store) }
            try store.write(changes)
            return nil
        }
        self.running = running
        // The task inherits nothing from the one that has caused the write, which may be a handler's.
        Task.detached { await session.follow(running) }
    }

    /// A write is over. Does nothing if that is known.
    func writeIsOver(for session: isolated StreamSession) {
        guard let outcome = running?.outcome, let store else { return }
        running = nil
        let number = commits.stored + 1
        let commit = effects.removeValue(forKey: number)
        isSettling = true
        switch outcome {
        case .success(let written):
            failures = 0
            commits.wasWritten()
            if let commit, let written { settle(commit, written, for: session) }
        case .failure(let error):
            writeFailed(error, commit, for: session)
        }
        isSettling = false
        if self.store !== store { return }
        let stored = commits.stored
        let resumed = waiters.filter { $0.number <= stored }
        if !resumed.isEmpty { waiters.removeAll { $0.number <= stored } }
        for waiter in resumed { waiter.continuation.resume() }
        while let released = commits.next() {
            switch released {
            case .action(let action, let error): session.perform(action, because: error)
            case .event(let event): session.send(event)
            }
        }
        write(for: session)
        session.actionsArePerformed()
    }

    private func writeFailed(
        _ error: any Error, _ commit: AppCommit?, for session: isolated StreamSession
    ) {
        if let commit {
            // Other changes of the commit are tried again without those of the app, which may be at fault.
            commits.effectsFailed()
            revoke(commit.numbers, for: session)
            if error.isOfAnotherOwner {
                commit.continuation?.resume(throwing: error)
                storageFailed(error, for: session)
            } else if let continuation = commit.continuation, commit.entries.beginAgain() {
                // Before any other sender takes the room.
                add(commit, continuation, for: session)
            } else {
                commit.continuation?.resume(throwing: error)
            }
            return
        }
        guard error.isTemporaryStorageError else { return storageFailed(error, for: session) }
        logger.warning("the session cannot be stored for now", metadata: ["error": "\(error.loggable)"])
        commits.storageFailed()
        let (failedWaiters, failedCommits) = (waiters, effects.values)
        (waiters, effects) = ([], [:])
        var revoked = Set(failedWaiters.flatMap(\.stanzas))
        for commit in failedCommits { revoked.formUnion(commit.numbers) }
        revoke(revoked, for: session)
        for waiter in failedWaiters { waiter.continuation.resume(throwing: error) }
        for commit in failedCommits { commit.continuation?.resume(throwing: error) }
        let time = clock.uptime + min(Self.retryInterval * (1 << min(failures, 6)), Self.longestRetryInterval)
        failures += 1
        retry = Task { [weak session, clock] in
            do { try await clock.sleep(until: time) } catch { return }
            await session?.writeAgain()
        }
    }

    /// Writes the changes that could not be written before.
    func writeAgain(for session: isolated StreamSession) {
        _ = commits.flush()
        write(for: session)
    }
}

extension StreamManagementCore.Action {
    /// The change of the stored session; `nil` for any other action.
    fileprivate var change: StorageChange? { if case .store(let change, _) = self { change } else { nil } }

    /// Whether the action stays when the stanza that has caused it is taken back.
    fileprivate var isBesides: Bool {
        switch self {
        case .store, .transmit, .report: false
        default: true
        }
    }
}

extension Error {
    /// Whether the error reports that another process owns the session now.
    var isOfAnotherOwner: Bool {
        if let error = self as? StorageError, case .takenOver = error { true } else { false }
    }
}
