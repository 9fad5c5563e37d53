// A process: it runs the core as the durable session does, from its start until it is killed.

import Foundation
import SessionCore
import XMPPCore

/// A process that runs a core.
final class SimulatedProcess {
    /// A handler that was called and has not returned.
    struct Handler {
        let attempt: Core.Attempt
        let stanza: ServerStanza?
        let match: Core.Match?
        /// The promise of the request that the handler ends.
        let promise: String?
        /// It is the greeting of the session, which runs beside handlers.
        var isGreeting = false
        var isCancelled = false
        var isReading = false
    }

    /// A stanza that the process has passed to the core.
    struct Delivery {
        let stanza: ServerStanza
        /// The session that counts it, and its place there.
        let session: Int?
        let position: Int
        /// It may have ended a process.
        var isSuspect = false
    }

    /// An operation that waits for the database.
    enum Operation: Hashable {
        case claim(for: Core.Call)
        case suspendStream, closeStream, forgetSession
        case lookUp(Core.AccessNumber, [Core.StanzaNumber])
        case commit(Core.AccessNumber, [Core.Entry])
        /// It leaves other operations their turns until there is room.
        case commitWithRoom(Core.AccessNumber, [Core.Entry])
        case countFailure(Core.StanzaNumber)
        case readRequests(Core.AccessNumber, after: Core.Serial)
        case sweep(Core.AccessNumber, losesUnresumable: Bool, timedOut: [Core.Serial])
    }

    var core: Core
    let token: Int
    let place: Int
    unowned let world: SessionSimulation
    /// The lease that it has begun or renewed last.
    var lease: Lease?
    var operations: [Operation] = []
    var results: [Core.Event] = []
    var handlers: [Handler] = []
    /// The uncommitted changes of handlers.
    var works: [Core.Attempt: SimulatedWork] = [:]
    var transactions: [Core.TransactionNumber: SimulatedWork] = [:]
    /// Transactions that the application has given up, and that have no result yet.
    var canceled: Set<Core.TransactionNumber> = []
    /// How many commits have failed since the application collected a transaction.
    var failures: [Core.TransactionNumber: Int] = [:]
    /// Transactions that have found no room, and are in no other commit.
    var roomless: Set<Core.TransactionNumber> = []
    var deliveries: [Core.StanzaNumber: Delivery] = [:]
    private var alarm: Duration?
    private var events: [Core.Event] = []
    var calls: Set<Core.Call> = []
    private var lastNumber: Int64 = 0
    /// The number of actions before the kill.
    var killAfter: Int?

    // The stream.
    var link: SessionLink?
    var wantsConnection = false
    var isConnecting = false
    /// Whether the next claim takes the session from another process.
    var takesOver = false
    /// The session was closed: the database stores nothing of it any more.
    var isClosed = false
    /// The process leaves the database alone.
    var isSuspended = false
    /// The number of stanzas that the server has delivered in the session, and the handled ones.
    var delivered = 0
    var handled: Set<Int> = []
    var acknowledged: Set<Int> = []
    /// The number of failed attempts of earlier processes at the first stanza; `nil` once it has come.
    var storedAttempts: Int?
    /// Stanzas before this place may have ended a process.
    var suspectsEnd = 0
    /// The place of the next stanza on this connection.
    var cursor = 0
    var outbox: [SimulatedDatabase.OutgoingRow] = []
    /// The number of greetings that have failed on this connection.
    var failedGreetings = 0
    /// The last greeting, and the last one of an earlier session.
    var lastGreeting: Core.Attempt?
    var lastFormerGreeting: Core.Attempt?
    /// Uncounted stanzas that the previous run did not handle.
    var kept: [ServerStanza] = []

    init(token: Int, place: Int, world: SessionSimulation) {
        self.token = token
        self.place = place
        self.world = world
        core = Core(limits: world.setup.limits)
    }

    var database: SimulatedDatabase { world.database }
    var server: SimulatedServer { world.server }
    var ledger: SessionLedger { world.ledger }
    var fault: SessionSetup.Fault? { world.setup.fault }
    var isOwner: Bool { database.owner == token }
    var isOnline: Bool { link != nil }
    var clock: SimulatedClock { world.clock(of: place) }

    func makeNumber<Kind>() -> Core.Number<Kind> {
        lastNumber += 1
        return Core.Number(rawValue: lastNumber)
    }

    // MARK: The application

    func run(takingOver: Bool) throws {
        let call: Core.Call = makeNumber()
        calls.insert(call)
        isSuspended = false
        takesOver = takingOver
        try handle(.run(call))
    }

    func suspend(after time: Duration, isWithin: Bool) throws {
        let call: Core.Call = makeNumber()
        calls.insert(call)
        let isWithin = isWithin && handlers.contains { !$0.isCancelled && !$0.isGreeting }
        if makes(.suspendsTooEarly) { isSuspended = true }
        try handle(.suspend(call, deadline: world.now.uptime + time, isWithin: isWithin))
    }

    func close(isWithin: Bool) throws {
        let call: Core.Call = makeNumber()
        calls.insert(call)
        isSuspended = false
        try handle(.close(call, isWithin: isWithin && handlers.contains { !$0.isCancelled && !$0.isGreeting }))
    }

    func store(asks: Bool) throws {
        let number: Core.TransactionNumber = makeNumber()
        let work = asks ? SimulatedWork(asks: [world.makeAsk()]) : SimulatedWork(says: [world.makeMessage()])
        transactions[number] = work
        try handle(.transactionCollected(number, Core.Collected(size: Self.workSize, hasRequests: asks)))
    }

    /// Gives up the first transaction, which waits for room no longer.
    func cancelTransaction() throws {
        guard let number = transactions.keys.min() else { return }
        canceled.insert(number)
        try handle(.transactionCanceled(number))
        for case .commitWithRoom(let commit, let entries) in operations
        where entries.contains(where: { $0.work == .transaction(number) })
            && isWaiting(.commitWithRoom(commit, entries))
        {
            throw Violation("a canceled transaction waits for no room", "\(number)")
        }
    }

    /// Takes a transaction out of a commit that has not begun. The other entries keep their place.
    func withdraw(_ transaction: Core.TransactionNumber, from number: Core.AccessNumber) throws {
        for (index, operation) in operations.enumerated() {
            guard case .commitWithRoom(number, let entries) = operation else { continue }
            // There is room, and the commit has begun.
            if !isWaiting(operation) {
                world.tally.countRefusal()
                operations.remove(at: index)
                return operations.insert(operation, at: 0)
            }
            let rest = entries.filter { $0.work != .transaction(transaction) }
            if !rest.isEmpty, makes(.losesPlaces) {
                operations.remove(at: index)
                return try note(.committed(number, entries.map { _ in .noRoom }), of: operation)
            }
            if rest.isEmpty { operations.remove(at: index) } else { operations[index] = .commitWithRoom(number, rest) }
            return try handle(.withdrawn(transaction))
        }
    }

    /// The size of all changes of a handler or a transaction.
    private static let workSize = 10

    // MARK: Handlers

    /// Ends a handler. One that never returns ends only after its cancellation.
    func endHandler(_ index: Int, _ ending: SessionChoice.Ending) throws {
        guard !handlers.isEmpty else { return }
        let place = index % handlers.count
        let handler = handlers[place]
        if handler.isReading, !handler.isCancelled { return }
        if handler.stanza?.kind == .hanging, !handler.isCancelled { return }
        handlers.remove(at: place)
        if handler.stanza?.kind == .killing, !handler.isCancelled {
            if let stanza = handler.stanza { ledger.blame(stanza.id) }
            world.isToBlame = false
            throw Killed()
        }
        var ending = ending
        if handler.stanza?.kind == .throwing { ending = .throwsError }
        switch ending {
        case .returns, .returnsInVain:
            let work = work(of: handler, isInterrupted: ending == .returnsInVain)
            if handler.isCancelled, makes(.keepsAbandonedChanges) { world.abandoned[work.stanza?.id ?? ""] = work }
            if !handler.isCancelled { works[handler.attempt] = work }
            try handle(
                .returned(handler.attempt, Core.Collected(size: Self.workSize, hasRequests: !work.asks.isEmpty)))
        case .throwsError: try fail(handler, .failed)
        case .isInterrupted: try fail(handler, .interrupted)
        case .hasNoAnswer: try fail(handler, .unanswered(isInputHeldUp: false))
        case .cannotRead: try fail(handler, .database(.busy))
        }
    }

    private func fail(_ handler: Handler, _ failure: Core.Failure) throws {
        if let stanza = handler.stanza, !handler.isCancelled { ledger.blame(stanza.id) }
        if handler.isGreeting, !handler.isCancelled { failedGreetings += 1 }
        try handle(.threw(handler.attempt, failure))
    }

    private func work(of handler: Handler, isInterrupted: Bool) -> SimulatedWork {
        var work = SimulatedWork(stanza: handler.stanza)
        if let promise = handler.promise { work.resolves = [promise] }
        if handler.isGreeting { (work.greets, work.says) = (true, [world.makeMessage()]) }
        if let stanza = handler.stanza {
            work.says = [world.makeMessage()]
            if stanza.kind == .asking { work.asks = [world.makeAsk()] }
            work.fails = stanza.kind == .failing
        }
        work.isInterrupted = isInterrupted
        return work
    }

    func read() throws {
        let place = handlers.firstIndex { !$0.isCancelled && !$0.isReading && !$0.isGreeting }
        guard let place else { return }
        handlers[place].isReading = true
        if makes(.readsTooEarly) { try allowRead(handlers[place].attempt) }
        try handle(.readWanted(handlers[place].attempt))
    }

    /// Whether the process makes this planted mistake now. The transcript shows it.
    func makes(_ mistake: SessionSetup.Fault) -> Bool {
        if fault != mistake { return false }
        world.trace("\(token) makes the mistake \(mistake)")
        return true
    }

    // MARK: Running the core

    /// Rings the alarm if it is due.
    func ring() throws {
        guard let alarm, alarm <= world.now.uptime else { return }
        self.alarm = nil
        try handle(.alarm)
    }

    func takeResult(_ index: Int) throws {
        guard !results.isEmpty else { return }
        try handle(results.remove(at: index % results.count))
    }

    /// The result of an action becomes an event after the other actions.
    func handle(_ event: Core.Event) throws {
        events.append(event)
        if events.count > 1 { return }
        while let first = events.first {
            try handleNow(first)
            events.removeFirst()
        }
    }

    private func handleNow(_ event: Core.Event) throws {
        world.trace("\(token) event \(event)")
        world.tally.count(event)
        var actions: [Core.Action] = []
        core.handle(event, at: world.now, into: &actions)
        for action in actions {
            if let count = killAfter {
                if count == 0 { throw Killed() }
                killAfter = count - 1
            }
            world.trace("\(token) action \(action)")
            world.tally.count(action)
            try perform(action)
        }
        try checkMemory()
    }

    private func checkMemory() throws(Violation) {
        let collected = core.collectedCount - transactions.count
        // A commit that has failed before may hold two batches, and held stanzas may rejoin a third one.
        if collected > 3 * world.setup.batchCount + 2 { throw Violation("a batch is bounded", "\(collected)") }
        // Two batches, and two more that found no room before requests stopped ending; then two of stanzas.
        let mostBytes = 6 * world.setup.batchSize + 4 * Self.workSize
        if core.handlerSize > mostBytes { throw Violation("the size of changes is bounded", "\(core.handlerSize)") }
        let waiting = core.jobCount - core.collectedCount
        let most = 2 * world.setup.maximumUnhandled + database.mostOpen + 2
        if waiting > most { throw Violation("memory is bounded", "\(waiting) jobs, at most \(most)") }
    }

    func setAlarm(_ time: Duration?) {
        if !makes(.setsNoAlarm) { alarm = time }
    }

    /// Whether it waits for the database to find the requests of answers.
    var looksUp: Bool { if case .lookUp = operations.first { true } else { false } }

    /// Whether the stream is about to count a failure of a stanza.
    var countsFailure: Bool { operations.contains { if case .countFailure = $0 { true } else { false } } }

    /// Whether a commit waits for room, or has found it.
    var waitsForRoom: Bool { operations.contains { if case .commitWithRoom = $0 { true } else { false } } }

    /// The operation whose turn it is.
    var nextOperation: Int? { operations.firstIndex { !isWaiting($0) } }

    /// Whether an operation waits for room in the queue of outgoing stanzas.
    private func isWaiting(_ operation: Operation) -> Bool {
        guard case .commitWithRoom(_, let entries) = operation, isOwner else { return false }
        return !hasNoTime && !hasRoom(for: entries)
    }

    /// Whether there is room for the first entry that sends stanzas.
    func hasRoom(for entries: [Core.Entry]) -> Bool {
        hasRoom(for: entries.lazy.compactMap { self.work(of: $0) }.map(\.stanzaCount).first { $0 > 0 } ?? 0)
    }

    /// Whether the time of the phase is over, in which commits may wait.
    var hasNoTime: Bool { core.phase.deadline.map { $0 <= world.now.uptime } ?? false }

    func hasRoom(for count: Int) -> Bool {
        if isClosed || count == 0 { return true }
        return database.outgoing.count { server.received[$0.number] == nil } + count <= world.setup.roomCount
    }

    func work(of entry: Core.Entry) -> SimulatedWork? {
        switch entry.work {
        case nil: nil
        case .attempt(let attempt): works[attempt]
        case .transaction(let number): transactions[number]
        }
    }
}
