// The core of a session with its stored state: its owner, and how the changes of an event are stored.

import Logging
import SafeText
import XMLTree
import XMPPCore

/// A session's core, whose changes are stored before the actions that depend on them (D51). Belongs to the session,
/// which performs the other actions.
final class StoredCore {
    private typealias Core = StreamManagementCore

    private enum Phase {
        /// The session is claimed, and the core has not restored it. It restores on first use, not in the initializer:
        /// the app can add its listeners before the resulting events.
        case claimed(CoalescingStore, StoredSession)
        case open(CoalescingStore)
        /// Others can claim the session.
        case givenUp
        /// The session is over. The store is open until the last changes are stored.
        case closed(CoalescingStore?)
    }

    private let account: JID
    private let storage: any StreamManagementStorage
    private let writePolicy: WritePolicy
    private let clock: any MachineClock
    private let logger: Logger
    private var phase = Phase.givenUp
    /// Whether only a claim opens the storage again: the session is, or is being, suspended for another owner.
    var needsClaim = false
    private(set) var core: StreamManagementCore

    init(
        account: JID, storage: any StreamManagementStorage, writePolicy: WritePolicy,
        configuration: StreamManagementConfiguration, clock: any MachineClock, logger: Logger
    ) {
        self.account = account
        self.storage = storage
        self.writePolicy = writePolicy
        self.clock = clock
        self.logger = logger
        core = StreamManagementCore(configuration: configuration)
        core.runnerHoldsDeadlines = true
    }

    func configure(_ change: (inout StreamManagementConfiguration) -> Void) { change(&core.configuration) }

    func awaitGreetings(_ awaits: Bool) { core.awaitsGreetings = awaits }

    func hold(_ isHeld: @escaping @Sendable (Element) -> Bool) { core.isHeld = isHeld }

    func setMaximumStanzaBytes(_ limit: Int?) { core.maximumStanzaBytes = limit }

    // MARK: Owning the stored session

    /// Whether the session is over.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether this object owns the stored session.
    var isOwner: Bool { store != nil }

    private var store: CoalescingStore? {
        switch phase {
        case .claimed(let store, _), .open(let store): store
        case .closed(let store): store
        case .givenUp: nil
        }
    }

    /// Claims the session, and replaces the core by a new one for the stored session. The new core ignores earlier
    /// numbers: their stanzas have been given up, or come again.
    func open(takingOver: Bool) throws {
        let store = CoalescingStore(try storage.open(account, takingOver: takingOver), policy: writePolicy)
        do {
            phase = .claimed(store, try store.load() ?? StoredSession())
        } catch {
            store.close()
            throw error
        }
        core = StreamManagementCore(after: core)
    }

    /// Claims the session if it was suspended or lost to another process.
    func claim(takingOver: Bool, for session: isolated StreamSession) throws {
        do {
            try checkOwner(for: session)
        } catch StorageError.takenOver where takingOver {
            // The code below takes it back.
        }
        if !isOwner { try open(takingOver: takingOver) }
        try takeUp(for: session)
        needsClaim = false
    }

    /// Checks that this object still owns the session. With another owner it must not resume: its counters are old.
    ///
    /// - Throws: `StorageError.takenOver`; the session is given up then. Other errors of the storage leave the owner
    ///   unknown and change nothing: a later attempt asks again.
    func checkOwner(for session: isolated StreamSession) throws {
        do {
            try store?.check()
        } catch {
            if error.isOfAnotherOwner { storageFailed(error, for: session) } else { session.ownerIsUnknown() }
            throw error
        }
    }

    /// Checks that no other owner has the session of a stream that ends: an end tag would end that session, so the
    /// stream is cut instead. If the storage cannot name the owner, the stream is closed.
    private func checkEnd(for session: isolated StreamSession) throws {
        do { try checkOwner(for: session) } catch  where !error.isOfAnotherOwner {}
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
        // A new core takes any session; a storage that fails has ended the stream.
        try? handle(.restore(mended), for: session)
    }

    /// The session is over. The storage is still open.
    func close() { phase = .closed(store) }

    /// Removes a closed session from the storage, if that is possible.
    func remove(for session: isolated StreamSession) {
        do {
            try checkEnd(for: session)
            // Without the storage, the stream is closed nevertheless, without the count (D49).
            try? acknowledgeHandled(for: session)
            try handle(.close, for: session)
            try flush(for: session)
        } catch  where error.isTemporaryStorageError {
            logger.error("the closed session is still stored", metadata: ["error": "\(error.loggable)"])
        } catch {
            // The session has given its storage up, and logged why.
        }
        giveUp(for: session)
    }

    /// Acknowledges the handled stanzas before the stream ends. A count that cannot be stored for now is not sent.
    func acknowledgeHandled(for session: isolated StreamSession) throws {
        guard core.state == .enabled else { return }
        do { try handle(.sendAcknowledgement, for: session) } catch  where error.isTemporaryStorageError {}
    }

    /// Gives up the storage, so that others can claim the session. It stays stored.
    func giveUp(for session: isolated StreamSession) {
        guard let store else { return }
        phase = isClosed ? .closed(nil) : .givenUp
        store.close()
        session.storeIsGivenUp()
    }

    /// Gives the storage up and ends the stream, because the core and the storage differ. The session restores the
    /// core from the storage before the next stream.
    func storageFailed(_ error: any Error, for session: isolated StreamSession) {
        guard isOwner else { return }
        giveUp(for: session)
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

    // MARK: Storing

    /// Makes all held changes durable.
    func flush(for session: isolated StreamSession) throws {
        do {
            try store?.flush()
        } catch {
            if !error.isTemporaryStorageError { storageFailed(error, for: session) }
            throw error
        }
    }

    /// Stores the session so that it can be continued.
    func suspend(for session: isolated StreamSession) throws {
        try handle(.transportLost, for: session)
        // A suspension during the handling of a stanza is not a failed attempt (rule R40).
        if core.resumption != nil, core.unhandledCount > 0 {
            try write([.handlingAttempts(core.failedAttempts)], .deferrable, for: session)
        }
        try flush(for: session)
        logger.debug("session suspended")
    }

    private func write(
        _ changes: [StorageChange], _ urgency: StorageUrgency, for session: isolated StreamSession
    ) throws {
        do {
            guard let store else { throw StorageError.takenOver(account: account) }
            try store.write(changes, urgency)
        } catch {
            if !error.isTemporaryStorageError { storageFailed(error, for: session) }
            throw error
        }
    }

    /// Throws if the storage cannot store a stanza.
    func checkCanStore(_ stanza: Element) throws { try store?.checkCanStore(stanza) }

    // MARK: Events

    /// Passes an event to the core, stores its changes, and lets the session perform the other actions.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - undoing: Whether to undo the event if its changes cannot be stored, provided that it can be undone. `false`
    ///     if it has also happened on the server's side.
    ///   - error: The error of the app's handler.
    ///   - session: The session.
    /// - Throws: the core's error, and nothing has changed; or the storage's. If that is temporary, an event that can
    ///   be undone is undone (D51), and another one throws nothing: its changes wait, and the stream ends if one of
    ///   them is urgent; `StorageError.takenOver` if the core has ended and another owner has the session. After
    ///   another error, the stream has ended.
    func handle(
        _ event: StreamManagementCore.Event, undoing: Bool = true, because error: (any Error)? = nil,
        for session: isolated StreamSession
    ) throws {
        var actions: [Core.Action] = []
        if undoing, event.canBeUndone {
            actions = try undoable(for: session) { try core.handle(event, at: clock.now, into: &$0) }
        } else {
            try core.handle(event, at: clock.now, into: &actions)
        }
        try perform(actions, because: error, for: session)
    }

    /// Begins a resumption inside an authentication, and returns its `<resume/>`.
    func resume(for session: isolated StreamSession) throws -> Nonza? {
        let actions = try undoable(for: session) { try core.handle(.resume, at: clock.now, into: &$0) }
        try perform(actions, for: session)
        for case .send(let nonza) in actions { return nonza }
        return nil
    }

    /// Counts a failed attempt to handle a stanza that the caller keeps.
    func countFailure(
        of stanza: ReceivedStanza, because error: (any Error)?, for session: isolated StreamSession
    ) throws -> HandlingVerdict {
        var verdict = HandlingVerdict.comesAgain
        var actions: [Core.Action] = []
        for action in try core.handle(.handlingFailed(stanza), at: clock.now) {
            switch action {
            // The caller has it already.
            case .deliver(let other) where other.number == stanza.number: verdict = .again
            case .notify(.incomingDeadLetter):
                verdict = .deadLettered
                actions.append(action)
            default: actions.append(action)
            }
        }
        try perform(actions, because: error, for: session)
        return verdict
    }

    /// Passes stanzas to send to the core, and stores them in one write.
    ///
    /// - Parameter isGreeting: Whether they belong to the greeting of the session.
    func send(
        _ stanzas: [(element: Element, id: StanzaID?)], asGreeting isGreeting: Bool = false,
        for session: isolated StreamSession
    ) throws -> [SentStanza] {
        var sent: [SentStanza] = []
        let actions = try undoable(for: session) { actions in
            sent = try stanzas.map { stanza in
                try send(stanza.element, id: stanza.id, isGreeting: isGreeting, &actions, for: session)
            }
        }
        session.track(sent)
        try perform(actions, for: session)
        return sent
    }

    /// Commits effects and changes of the session in one transaction. If that fails, the core has not changed (D51).
    ///
    /// - Parameters:
    ///   - effects: The changes of the app.
    ///   - storage: The storage of this session.
    ///   - session: The session.
    ///   - result: Returns the handled and outgoing stanzas. Called after the effects are made.
    func commit<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, in storage: Storage, for session: isolated StreamSession,
        _ result: () -> StreamBatchResult
    ) throws -> [SentStanza] {
        guard let store else { throw StorageError.takenOver(account: account) }
        guard let inner = storage.openStore(of: account), store.writes(to: inner) else {
            try checkOwner(for: session)
            throw StorageError.takesNoEffects
        }
        let before = core.checkpoint()
        var actions: [Core.Action] = []
        var sent: [SentStanza] = []
        do {
            try store.write(with: effects, in: inner) {
                sent = try note(result(), &actions, for: session)
                return actions.compactMap(\.change)
            }
        } catch {
            core.undo(to: before)
            if error.isOfAnotherOwner { storageFailed(error, for: session) }
            throw error
        }
        core.keepChanges()
        // The transaction has stored all counts that were held back, too.
        core.handledCountIsStored()
        session.track(sent)
        try perform(actions.filter { $0.change == nil }, for: session)
        return sent
    }

    /// Passes the stanzas of a transaction that is about to commit to the core, and collects its actions.
    private func note(
        _ result: StreamBatchResult, _ actions: inout [Core.Action], for session: isolated StreamSession
    ) throws -> [SentStanza] {
        let now = clock.now
        for number in result.handled { actions += try core.handle(.markHandled(number), at: now) }
        if let isWithdrawn = result.isWithdrawn {
            for number in core.waiting.filter({ isWithdrawn($0.element) }).map(\.number) {
                actions += try core.handle(.withdraw(number), at: now)
            }
        }
        let greeting = try result.greeting.map { try send($0, isGreeting: true, &actions, for: session) }
        return try greeting + result.sent.map { try send($0, &actions, for: session) }
    }

    /// Passes a stanza to the core, and collects its actions.
    private func send(
        _ element: Element, id: StanzaID? = nil, isGreeting: Bool = false, _ actions: inout [Core.Action],
        for session: isolated StreamSession
    ) throws -> SentStanza {
        let stanza = SentStanza(number: core.upcomingNumber, element: element)
        let id = id ?? session.name(of: element)
        actions += try core.handle(isGreeting ? .greet(element, id: id) : .send(element, id: id), at: clock.now)
        return stanza
    }

    /// Passes events to the core that can be undone, and stores their changes in one write. If that fails, the core has
    /// not changed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - body: Passes the events, and collects their actions.
    /// - Returns: The actions that are left to perform.
    private func undoable(
        for session: isolated StreamSession, _ body: (inout [Core.Action]) throws -> Void
    ) throws -> [Core.Action] {
        let before = core.checkpoint()
        do {
            var actions: [Core.Action] = []
            try body(&actions)
            let changes = actions.compactMap(\.change)
            if !changes.isEmpty { try write(changes, .immediate, for: session) }
            core.keepChanges()
            return actions.filter { $0.change == nil }
        } catch {
            core.undo(to: before)
            throw error
        }
    }

    private func perform(
        _ actions: [Core.Action], because error: (any Error)? = nil, for session: isolated StreamSession
    ) throws {
        defer { session.actionsArePerformed() }
        var position = 0
        while position < actions.count {
            if case .store = actions[position] {
                position = try store(actions, from: position, for: session)
            } else {
                try session.perform(actions[position], because: error)
                position += 1
            }
        }
    }

    /// Stores consecutive changes of an event that has happened in one write. Changes that the storage cannot make for
    /// now wait in the store. If a later action depends on one of them, the stream ends: the next one begins when they
    /// are stored (D51).
    ///
    /// - Returns: The position after them.
    private func store(
        _ actions: [Core.Action], from start: Int, for session: isolated StreamSession
    ) throws -> Int {
        var changes: [StorageChange] = []
        var urgency = StorageUrgency.deferrable
        var position = start
        while position < actions.count, case .store(let change, let changeUrgency) = actions[position] {
            changes.append(change)
            urgency = max(urgency, changeUrgency)
            position += 1
        }
        do {
            try write(changes, urgency, for: session)
        } catch  where error.isTemporaryStorageError {
            logger.warning("the session cannot be stored for now", metadata: ["error": "\(error.loggable)"])
            store?.hold(changes)
            guard urgency == .immediate else { return position }
            // A stream that the core closes ends anyway.
            if core.state == .ended { try checkEnd(for: session) } else { session.abandon(.lost(error)) }
        }
        return position
    }
}

extension StreamManagementCore.Action {
    /// The change of the stored session; `nil` for any other action.
    fileprivate var change: StorageChange? { if case .store(let change, _) = self { change } else { nil } }
}

extension Error {
    /// Whether the error reports that another process owns the session now.
    var isOfAnotherOwner: Bool {
        if let error = self as? StorageError, case .takenOver = error { true } else { false }
    }
}
