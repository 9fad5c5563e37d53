// The durable session without I/O: events in, actions out. Start here.
//
// The rules of this core:
// - It knows no clock, task, stream or database. The time comes with each event; the one alarm is an action.
// - Every phase answers every event: XMPPSession.docc/SessionStates.md has the table, and a test compares each cell.
// - Stanzas and ends of requests are jobs. One handler runs at a time. Its changes join a batch; one transaction
//   commits the batch. Stanzas commit in the order of their numbers, and nothing is acknowledged or sent before the
//   commit.
// - A request has a serial number. One conditional write ends it. Its row count is the verdict (`EntryResult.ended`).
// - Each result carries the number of its action. The core ignores a result that comes too late.
//
// Jobs: Core+Scheduling, +LookingUp, +Handling, +Committing, +Room, +Greeting. Requests: Core+Requests. Phases:
// Core+Running, +Suspending, +Closing. Tests/Simulators/Session runs the core against a database, a server and
// processes that fail.

/// The state machine of one account's session in one process.
///
/// ```swift
/// var core = DurableSessionCore()
/// var actions: [DurableSessionCore.Action] = []
/// core.handle(.run(call), at: now, into: &actions)
/// for action in actions { perform(action) }
/// ```
package struct DurableSessionCore: ~Copyable {
    package internal(set) var limits: Limits

    package internal(set) var phase = Phase.idle
    /// Stanzas that wait for their turn, in order.
    var incoming = IncomingStanzas()
    /// Ends of requests that wait for their turn.
    var endings = EndingQueue()
    /// The running handler.
    var current: RunningHandler?
    /// Handlers that have outlived closing. The core stores their changes when they return.
    var stragglers: [Attempt: EndingJob] = [:]
    /// Entries collected since the last commit began.
    var batch = Batch()
    /// The entries of the running commit.
    var committing: Commit?
    /// Entries that wait for room in the stream's queue.
    var roomless = RoomlessEntries()
    /// Transactions in a commit that the application has given up.
    var canceled: Set<TransactionNumber> = []
    /// The stanza whose failure the stream counts.
    var counting: StanzaNumber?
    var deadlines = RequestDeadlines()
    /// The time of the next look-up, after the database has failed.
    var lookUpRestsUntil: Duration?
    /// The clean-up before a stream begins.
    var sweep = Sweep.none
    var greeting = Greeting()
    /// Whether there is a stream.
    var isOnline = false
    /// The number of consecutive failures of the database that are not temporary.
    var faults = 0
    /// The number of the latest commit, read or attempt.
    private var lastNumber: Int64 = 0
    /// The time of the alarm.
    private var alarm: Duration?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes one event, and appends the actions. Reusing the array saves the allocation.
    package mutating func handle(_ event: Event, at now: Moment, into actions: inout [Action]) {
        var step = Step(now: now)
        swap(&step.actions, &actions)
        defer { swap(&step.actions, &actions) }
        switch event {
        case .run(let call): run(call, &step)
        case .suspend(let call, let deadline, let end, let isWithin):
            suspend(call, by: deadline, end: end, isWithin: isWithin, &step)
        case .close(let call, let isWithin): close(call, isWithin: isWithin, &step)
        case .transactionCollected(let transaction, let collected): add(transaction, collected, &step)
        case .transactionCanceled(let transaction): cancel(transaction, &step)
        case .readWanted(let attempt): read(attempt, &step)
        case .requestsChanged: deadlines.isStale = true
        case .received(let stanza): receive(stanza, &step)
        case .claimed(let call, let attempts, let time):
            claimed(for: call, attempts: attempts, handlerTime: time, &step)
        case .notClaimed(let call): notClaimed(for: call, &step)
        case .streamBegan: isOnline = true
        case .sessionBegan(let isNew): sessionBegan(isNew: isNew, &step)
        case .streamLost: isOnline = false
        case .streamIsGone(let canResume): streamIsGone(canResume: canResume, &step)
        case .streamEnded: streamEnded(&step)
        case .swept(let number, let isDone): swept(number, isDone, &step)
        case .streamSuspended: streamSuspended(&step)
        case .streamClosed: streamClosed(&step)
        case .sessionForgotten(let requests): sessionForgotten(requests, &step)
        case .sessionNotForgotten: sessionNotForgotten(&step)
        case .found(let number, let matches): found(number, matches, &step)
        case .notFound(let number, let failure): notFound(number, failure, &step)
        case .returned(let attempt, let collected): returned(attempt, collected, &step)
        case .threw(let attempt, let failure): threw(attempt, failure, &step)
        case .wasGreeted(let attempt): greetingEnded(attempt, &step)
        case .committed(let number, let results): committed(number, results, &step)
        case .notCommitted(let number, let failure): notCommitted(number, failure, &step)
        case .withdrawn(let transaction): withdrawn(transaction, &step)
        case .failureCounted(let stanza, let verdict): failureCounted(stanza, verdict, &step)
        case .requestsRead(let number, let requests): requestsRead(number, requests, &step)
        case .requestsNotRead(let number, let failure): requestsNotRead(number, failure, &step)
        case .alarm: alarm = nil
        }
        advance(&step)
    }

    /// Starts the jobs and commits that have become possible, and sets the alarm for those that wait for the time.
    private mutating func advance(_ step: inout Step) {
        stopOverdue(&step)
        rejoin(at: step.now.uptime)
        allowRead(&step)
        readRequests(&step)
        greet(&step)
        startJobs(&step)
        lookUp(&step)
        commit(&step)
        commitWithRoom(&step)
        // The batch has room again.
        startJobs(&step)
        proceed(&step)
        let next = nextAlarm(after: step.now.uptime)
        if next != alarm {
            alarm = next
            step.emit(.setAlarm(next))
        }
    }

    /// The time of the next alarm that the core needs.
    private func nextAlarm(after now: Duration) -> Duration? {
        var next: Duration?
        func consider(_ time: Duration?) {
            if let time, time > now { next = next.map { min($0, time) } ?? time }
        }
        consider(current?.noticeTime)
        consider(current?.deadline)
        consider(phase.deadline)
        consider(incoming.wakeTime)
        consider(endings.wakeTime)
        consider(lookUpRestsUntil)
        consider(greeting.wakeTime)
        if committing == nil { consider(batch.wakeTime(limits)) }
        if handlesStanzas { consider(deadlines.wakeTime) }
        return next
    }

    mutating func makeNumber<Kind>() -> Number<Kind> {
        lastNumber += 1
        return Number(rawValue: lastNumber)
    }
}

extension DurableSessionCore {
    /// The number of jobs in the core: stanzas, ends of requests, and collected entries.
    package var jobCount: Int {
        incoming.count + endings.count + collectedCount + stragglers.count + (current == nil ? 0 : 1)
    }

    /// The number of entries that wait for their commit.
    package var collectedCount: Int { otherBatches.reduce(batch.count) { $0 + $1.count } }

    /// The size of the changes of handlers that wait for their commit.
    package var handlerSize: Int { otherBatches.reduce(batch.handlerSize) { $0 + $1.handlerSize } }

    /// Whether a job waits, runs or is not committed.
    package var hasWork: Bool { jobCount > 0 || (handlesStanzas && (deadlines.isBusy || greeting.isBusy)) }

    /// Whether the core has room for more stanzas, or takes none.
    ///
    /// - Parameters:
    ///   - count: The number of stanzas that it has taken, and that are neither committed nor given up.
    ///   - bytes: Their size.
    package func wantsStanzas(after count: Int, of bytes: Int) -> Bool {
        !handlesStanzas || (count < limits.incomingCount && bytes < 2 * limits.batchSize)
    }

    /// Whether the core handles stanzas.
    var handlesStanzas: Bool { if case .running = phase { true } else { false } }
}

/// The handling of one event: the time, and the actions.
struct Step {
    let now: DurableSessionCore.Moment
    var actions: [DurableSessionCore.Action] = []

    init(now: DurableSessionCore.Moment) { self.now = now }

    mutating func emit(_ action: DurableSessionCore.Action) { actions.append(action) }
}
