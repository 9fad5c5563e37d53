// Which commit stores each change of a session, and which actions wait for it. A value without I/O, clock or task:
// Session/SessionRecord.swift writes, and the simulator in the tests does.
//
// Changes gather into commits, which have numbers and are written one at a time. Everything that gathers during a write
// is stored by the next one, so many stanzas share a wait for the disk, and one stanza alone waits for no other.
//
// | an action of the core | waits for |
// | --- | --- |
// | a stanza or an element to send | the last immediate change, and all that is sent before it |
// | `<a/>` | the commit of its count, and the reports before it, which may be of stanzas that it counts |
// | a received stanza, a report, a notification | the immediate changes before it in its event, and those before it |
// | a timer, a cut of the connection | nothing |

import DequeModule

/// The changes of a session on their way to the disk, and the actions that wait for them.
package struct CommitQueue {
    package typealias Action = StreamManagementCore.Action
    /// The number of a commit. All commits before it are on the disk, too.
    package typealias Number = UInt64

    /// The actions of an event that were passed so far.
    package struct EventState {
        /// The commit that the next report waits for.
        fileprivate var number: Number = 0
        /// A report waits. Later changes of the event are written after it: if the process ends in between, the next
        /// one reports again.
        fileprivate var hasWaitingReport = false

        package init() {}
    }

    private struct Commit {
        var changes = CombinedChanges()
        /// Changes of the app are made after the others. Later changes belong to the next commit.
        var hasEffects = false
        /// Whether it is due, and not only to be written with a later one.
        var isDue = false
    }

    private struct Waiting {
        let released: Released
        let number: Number
    }

    /// Something that has waited for a commit.
    package enum Released {
        /// An action of the core, and the error that it reports.
        case action(Action, (any Error)?)
        /// An event of the session that no action of the core is about.
        case event(SessionEvent)
    }

    private let policy: WritePolicy
    /// The commits after `stored`.
    private var commits: Deque<Commit> = []
    /// The last commit on the disk.
    package private(set) var stored: Number = 0
    /// The first commit is being written.
    package private(set) var isWriting = false
    /// The last commit with an immediate change, and with one that carries the handled count.
    package private(set) var immediate: Number = 0
    private var handled: Number = 0
    /// Actions for the server, and for the application.
    private var sending: Deque<(action: Action, number: Number)> = []
    private var reporting: Deque<Waiting> = []
    private var acknowledging: Deque<(action: Action, number: Number)> = []

    package init(policy: WritePolicy = .durable) { self.policy = policy }

    /// Whether something waits to be sent.
    package var holdsBack: Bool { !sending.isEmpty || !acknowledging.isEmpty }

    /// Whether a question to the server waits, such as `<r/>`.
    package var holdsBackQuestion: Bool {
        sending.contains { waiting in if case .send = waiting.action { true } else { false } }
    }

    /// The number of reports and events that wait.
    package var reportCount: Int { reporting.count }

    /// Whether every change is on the disk.
    package var isEmpty: Bool { commits.isEmpty }

    /// The last commit.
    private var last: Number { stored + Number(commits.count) }

    // MARK: Changes and actions

    /// Takes an action of the core.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - event: The state of this action's event.
    ///   - error: The error that the event reports.
    /// - Returns: Whether to perform the action now. Otherwise `next()` returns it, unless it is a change.
    package mutating func pass(_ action: Action, of event: inout EventState, because error: (any Error)? = nil) -> Bool
    {
        switch action {
        case .store(let change, let urgency):
            let isLate = policy.defers(change)
            if event.hasWaitingReport, let waiting = reporting.last, waiting.number >= last { commits.append(Commit()) }
            let number = add(change, isDue: urgency > .deferrable && !isLate)
            if urgency < .immediate || isLate { return false }
            event.number = number
            immediate = number
            if change.hasHandledCount { handled = number }
            return false
        case .arm, .cancel, .abandonTransport: return true
        case .send(.acknowledgement):
            if reporting.isEmpty, acknowledging.isEmpty, handled <= stored { return true }
            let number = max(handled, reporting.last?.number ?? 0, acknowledging.last?.number ?? 0)
            if acknowledging.last?.number == number { acknowledging.removeLast() }
            acknowledging.append((action, number))
            return false
        case .send, .transmit, .sendStreamError, .closeStream:
            if sending.isEmpty, immediate <= stored { return true }
            sending.append((action, immediate))
            return false
        case .deliver, .report, .notify, .pass:
            if reporting.isEmpty, event.number <= stored { return true }
            let number = max(event.number, reporting.last?.number ?? 0)
            reporting.append(Waiting(released: .action(action, error), number: number))
            event.hasWaitingReport = true
            return false
        }
    }

    /// Takes an event of the session, which comes after the reports that wait.
    ///
    /// - Returns: Whether to report it now. Otherwise `next()` returns it.
    package mutating func pass(_ event: SessionEvent) -> Bool {
        guard let last = reporting.last else { return true }
        reporting.append(Waiting(released: .event(event), number: last.number))
        return false
    }

    /// Removes and returns the next action or event whose commit is on the disk.
    package mutating func next() -> Released? {
        if let first = reporting.first, first.number <= stored {
            return reporting.removeFirst().released
        }
        // The last one covers the others.
        if let last = acknowledging.lastIndex(where: { $0.number <= stored }) {
            let action = acknowledging[last].action
            acknowledging.removeFirst(last + 1)
            return .action(action, nil)
        }
        guard let first = sending.first, first.number <= stored else { return nil }
        sending.removeFirst()
        return .action(first.action, nil)
    }

    private mutating func add(_ change: StorageChange, isDue: Bool) -> Number {
        let index = open()
        commits[index].changes.add(change)
        if isDue || commits[index].changes.count >= policy.maximumChanges { want() }
        return last
    }

    /// The commit that takes the next change.
    private mutating func open() -> Int {
        let isClosed = commits.last?.hasEffects ?? true || (isWriting && commits.count == 1)
        if isClosed { commits.append(Commit()) }
        return commits.count - 1
    }

    private mutating func want() { want(through: last) }

    /// Makes a commit due, and those before it.
    package mutating func want(through number: Number) {
        for index in commits.indices where stored + Number(index) < number { commits[index].isDue = true }
    }

    /// Adds changes of the app, which are made in a commit after all changes so far. Returns its number.
    package mutating func addEffects() -> Number {
        // Their handled count may cover a stanza whose report waits.
        if let waiting = reporting.last, waiting.number >= last { commits.append(Commit()) }
        commits[open()].hasEffects = true
        want()
        immediate = last
        return last
    }

    /// Makes all changes due, and returns the last commit.
    ///
    /// - Parameter always: Whether to make a commit without changes, too: it shows that the storage works, and has no
    ///   other owner.
    package mutating func flush(always: Bool = false) -> Number {
        if always { _ = open() }
        want()
        return last
    }

    // MARK: Stanzas that are not stored

    /// Forgets outgoing stanzas that are not stored and will not be. The core revokes them.
    ///
    /// - Returns: Whether a change that is left may count them.
    package mutating func forget(_ numbers: Set<OutgoingNumber>) -> Bool {
        var isCounted = false
        for index in commits.indices where index > 0 || !isWriting {
            if commits[index].changes.forget(numbers) { isCounted = true }
        }
        sending.removeAll { waiting in
            if case .transmit(let number, _) = waiting.action { numbers.contains(number) } else { false }
        }
        return isCounted
    }

    /// A commit has stored a handled count with the effects of the app: no earlier one must replace it.
    package mutating func handledCountIsStored(_ counter: StanzaCounter) {
        for index in commits.indices { commits[index].changes.raiseHandled(to: counter) }
    }

    // MARK: Writing

    /// The changes to write now; `nil` if none are due, if a write runs, or if `next()` has a report left. Those of the
    /// app come after them.
    package mutating func begin() -> [StorageChange]? {
        guard !isWriting, let first = commits.first, first.isDue else { return nil }
        if let report = reporting.first, report.number <= stored { return nil }
        isWriting = true
        return first.changes.all
    }

    /// The write that has begun is on the disk.
    package mutating func wasWritten() {
        guard isWriting else { return }
        isWriting = false
        commits.removeFirst()
        stored += 1
    }

    /// Changes of the app have failed, and with them the write that has begun. Its other changes are due again.
    package mutating func effectsFailed() {
        guard isWriting else { return }
        if commits[0].changes.all.isEmpty { return wasWritten() }
        isWriting = false
        commits[0].hasEffects = false
    }

    /// The write that has begun has changed nothing, because the storage fails for now. All changes become due with the
    /// next due one, or with `flush()`; those of the app belong to no commit any more.
    package mutating func storageFailed() {
        isWriting = false
        for index in commits.indices {
            commits[index].hasEffects = false
            commits[index].isDue = false
            commits[index].changes.countAnew()
        }
    }
}

/// The changes of one commit, with changes of the same kind combined.
private struct CombinedChanges {
    private var ordered: [StorageChange] = []
    private var acknowledged: (counter: StanzaCounter, count: Int)?
    private var handled: StanzaCounter?
    private var lastDisconnect: StorageChange?
    /// The number of added changes since the last attempt to write them.
    private(set) var count = 0

    mutating func add(_ change: StorageChange) {
        count += 1
        switch change {
        case .acknowledge(let counter, let count):
            // A removal from the front and an append at the end are independent.
            acknowledged = (counter, (acknowledged?.count ?? 0) + count)
        case .handled(let counter): handled = counter
        case .lastDisconnect: lastDisconnect = change
        case .handlingAttempts:
            // Attempts count from the last handled stanza on, so their order matters.
            if let handled { ordered.append(.handled(handled)) }
            handled = nil
            ordered.append(change)
        case .begin:
            // It sets another counter, so the removals before it keep their place.
            if let acknowledged { ordered.append(.acknowledge(acknowledged.counter, count: acknowledged.count)) }
            (acknowledged, handled, lastDisconnect) = (nil, nil, nil)
            ordered.append(change)
        case .replace, .remove:
            let total = count
            self = CombinedChanges()
            count = total
            ordered = [change]
        case .append, .hold, .release, .greeted, .sendWaiting, .blameSent, .identify, .withdraw, .unansweredResumptions:
            ordered.append(change)
        }
    }

    mutating func countAnew() { count = 0 }

    mutating func raiseHandled(to counter: StanzaCounter) {
        handled = nil
        ordered = ordered.compactMap { change in
            switch change {
            case .handled, .handlingAttempts: return nil
            case .replace(var session):
                (session.handledByClient, session.handlingAttempts) = (counter, 0)
                return .replace(session)
            default: return change
            }
        }
    }

    /// - Returns: Whether a change is left that counts waiting stanzas.
    mutating func forget(_ numbers: Set<OutgoingNumber>) -> Bool {
        var isCounting = false
        ordered = ordered.compactMap { change in
            switch change {
            case .sendWaiting:
                isCounting = true
                return change
            case .append(let stanza), .hold(let stanza): return numbers.contains(stanza.number) ? nil : change
            case .replace(var session):
                session.pending.removeAll { numbers.contains($0.number) }
                session.undecided.removeAll { numbers.contains($0.number) }
                session.held.removeAll { numbers.contains($0.number) }
                return .replace(session)
            default: return change
            }
        }
        return isCounting
    }

    var all: [StorageChange] {
        var changes = ordered
        if let acknowledged { changes.append(.acknowledge(acknowledged.counter, count: acknowledged.count)) }
        if let handled { changes.append(.handled(handled)) }
        if let lastDisconnect { changes.append(lastDisconnect) }
        return changes
    }
}

extension StorageChange {
    fileprivate var hasHandledCount: Bool {
        switch self {
        case .handled, .replace, .begin: true
        case .append, .hold, .release, .greeted, .sendWaiting, .blameSent, .identify, .withdraw, .acknowledge,
            .lastDisconnect, .handlingAttempts, .unansweredResumptions, .remove:
            false
        }
    }
}

/// The changes that a session may store late, and so lose when the process is killed.
public struct WritePolicy: Hashable, Sendable {
    /// Whether new outgoing stanzas may be written late. A kill can lose the last stanzas that were passed to be sent.
    /// If they were sent already, they may not be sent again when they should be.
    public var defersStanzas: Bool
    /// Whether the handled count may be written after it was sent to the server. After a kill, the next `<resume/>` may
    /// then carry a lower count than an earlier acknowledgement. A server that takes this for a violation ends the
    /// session.
    public var defersHandledCount: Bool
    /// The largest number of changes that wait for another one.
    public var maximumChanges: Int

    public init(defersStanzas: Bool = false, defersHandledCount: Bool = false, maximumChanges: Int = 100) {
        self.defersStanzas = defersStanzas
        self.defersHandledCount = defersHandledCount
        self.maximumChanges = maximumChanges
    }

    /// Loses no change (D49).
    public static let durable = WritePolicy()

    /// May lose the last stanzas before a kill. For stanzas that the app can request or send again, such as presence
    /// and queries.
    public static let relaxed = WritePolicy(defersStanzas: true, defersHandledCount: true)

    func defers(_ change: StorageChange) -> Bool {
        switch change {
        case .append, .hold, .identify, .withdraw: defersStanzas
        case .handled: defersHandledCount
        case .acknowledge, .blameSent, .lastDisconnect, .handlingAttempts, .replace, .begin, .remove, .sendWaiting,
            .release, .greeted, .unansweredResumptions:
            false
        }
    }
}
