// The durable session performs the actions of its core, and turns their results into events. The core has the rules.
//
// The public functions are in DurableSession+Calls and +Requests, operations of the stream in +Stream.

public import Handlers
public import Logging
public import Persistence
public import Promises
import SessionCore
import StanzaQuery
public import StreamManagement
import XMLTree
public import XMPPCore

/// A session that survives its process. The effects of a stanza and its handled mark commit in one transaction, which
/// may include other stanzas.
///
/// A kill before the commit leaves no effects, and the server sends the stanza again. After the commit all effects are
/// stored, and none happens twice. That holds while the session is resumed. Otherwise the server may deliver a stanza
/// again, and `StanzaWork.isRepetition(_:)` finds it. The database also stores requests, their handlers and promises,
/// so that another process can take them over.
///
/// ```swift
/// let session: DurableSession
/// do {
///     session = try await DurableSession(
///         account: "juliet@example.org", database: database, registry: registry, promises: promises)
/// } catch StorageError.inUse {
///     show("another process runs the session")
///     return
/// }
/// try await session.on("/{jabber:client}message/body") { stanza, work in
///     try work.database.add { transaction in
///         try transaction.database.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
///     }
/// }
/// ```
public actor DurableSession {
    typealias Core = DurableSessionCore

    /// The bare address.
    public nonisolated let account: JID
    /// Stream management: events, states of sent stanzas, settings. Stanzas come from the durable session only.
    public nonisolated let stream: StreamSession
    public nonisolated let database: StanzaDatabase
    nonisolated let handlers: HandlerDispatcher
    nonisolated let promises: PromiseCenter?
    nonisolated let arguments: HandlerArguments
    nonisolated let clock: any SessionClock
    nonisolated let logger: Logger
    nonisolated let awaited: AwaitedAnswers
    nonisolated let storage: NotingStorage
    nonisolated let observer: SessionSignals
    /// Accesses to the database and the stream, in the order of the core's actions.
    nonisolated let operations = SerialQueue()

    private var core: DurableSessionCore
    private var tables = SessionTables()
    private var routes = Routes()
    private var calls: [Core.Call: CheckedContinuation<Core.Answer, Never>] = [:]
    private var connects: [CheckedContinuation<Bool, Never>] = []
    private var readers: [CheckedContinuation<Void, Never>] = []
    private let alarm = CoreAlarm()
    private var lastNumber: Int64 = 0
    /// The events whose actions are not performed: an action may have a result at once.
    private var events: [Core.Event] = []
    /// The deadline of the phase that commits know.
    private var deadline: Duration?

    /// Claims the account's session in the database.
    ///
    /// - Parameters:
    ///   - account: The account. The session belongs to its bare address; a resource does not matter.
    ///   - database: The database that stores the session.
    ///   - registry: The handlers that answers may call.
    ///   - promises: The promises, which handlers get as the argument `promises`.
    ///   - arguments: Further arguments of handlers, such as the application's account. Each call adds `stanza`, `work`
    ///     and those of the request's kind, which take precedence.
    ///   - configuration: The settings of stream management.
    ///   - takingOver: Whether to take the session from another process that has it.
    ///   - clock: Real time, except in tests.
    ///   - logger: Receives log messages. Only the debug level logs errors of the app, which may hold content of
    ///     stanzas.
    /// - Throws: `StorageError.inUse` if another process has the session and `takingOver` is `false`; errors of the
    ///   database.
    public init(
        account: JID, database: StanzaDatabase, registry: HandlerRegistry, promises: PromiseCenter? = nil,
        arguments: HandlerArguments = [:], configuration: StreamManagementConfiguration = .durable,
        takingOver: Bool = false, clock: any SessionClock = SystemClock(),
        logger: Logger = Logger(label: "stanza.session")
    ) async throws {
        let account = account.bare
        self.account = account
        self.database = database
        self.promises = promises
        self.arguments = arguments
        self.clock = clock
        self.logger = logger
        handlers = HandlerDispatcher(registry: registry, store: database, logger: logger)
        let awaited = AwaitedAnswers(account: account)
        self.awaited = awaited
        observer = SessionSignals(awaited: awaited) { answer in
            do {
                try database.note(answer, of: account)
                return true
            } catch {
                logger.error(
                    "the loss of an answer was not noted durably",
                    metadata: ["error": "\(HandlingFailure.loggable(error))"])
                return false
            }
        }
        storage = NotingStorage(database)
        var limits = Core.Limits()
        limits.attempts = configuration.maximumHandlingAttempts
        core = DurableSessionCore(limits: limits)
        stream = try await StreamSession(
            account: account, storage: storage, configuration: configuration,
            handling: .deciding { _ in .pending(id: nil) }, takingOver: takingOver, clock: clock, logger: logger)
        await stream.setDelegate(observer)
        let signals = observer.signals
        Task.detached { [weak self] in for await _ in signals { await self?.takeSignals() } }
    }

    // MARK: The core

    nonisolated var rows: SessionRows { SessionRows(account: account, database: database) }

    nonisolated var workContext: WorkContext {
        WorkContext(account: account, clock: clock, handlers: handlers, promises: promises, arguments: arguments)
    }

    var phase: Core.Phase { core.phase }

    var limits: Core.Limits { core.limits }

    func makeNumber<Kind>() -> Core.Number<Kind> {
        lastNumber += 1
        return Core.Number(rawValue: lastNumber)
    }

    /// Passes an event to the core, and performs its actions.
    func handle(_ event: Core.Event) {
        events.append(event)
        if events.count > 1 { return }
        while let event = events.first {
            var actions: [Core.Action] = []
            let now = clock.now
            core.handle(event, at: Core.Moment(uptime: now.uptime, date: now.date), into: &actions)
            for action in actions { perform(action) }
            events.removeFirst()
        }
        if wantsStanzas {
            for reader in readers { reader.resume() }
            readers = []
        }
        if core.phase.deadline != deadline {
            deadline = core.phase.deadline
            if let deadline { limitCommits(until: deadline) }
        }
        finishClosing()
    }

    /// Changes the tables of the objects that the core's numbers identify.
    func update<Result>(_ change: (inout SessionTables) -> Result) -> Result { change(&tables) }

    private var wantsStanzas: Bool {
        core.wantsStanzas(after: tables.deliveries.count, of: tables.deliveries.weight)
    }

    /// Waits until the core has room for more stanzas.
    func waitToRead() async {
        while !wantsStanzas { await withCheckedContinuation { readers.append($0) } }
    }

    /// Waits until the core decides whether the stream may connect.
    func waitToConnect(_ event: Core.Event) async -> Bool {
        await withCheckedContinuation { continuation in
            connects.append(continuation)
            handle(event)
        }
    }

    private func perform(_ action: Core.Action) {
        switch action {
        case .lookUp(let number, let stanzas): lookUp(number, stanzas)
        case .handle(let attempt, let number, let match): begin(attempt, number, match)
        case .invalidate(let attempt, let ending): start(attempt, of: .ending) { try await $0.invalidate(ending, $1) }
        case .greet(let attempt, let isNew): greet(attempt, isNew: isNew)
        case .cancel(let attempt): drop(attempt)
        case .allowRead(let attempt): tables.attempts.allowReads(attempt)
        case .commit(let number, let entries): commit(number, entries, waitsForRoom: false)
        case .commitWithRoom(let number, let entries): commit(number, entries, waitsForRoom: true)
        case .withdraw(let transaction, let number): withdraw(transaction, from: number)
        case .acknowledge(let stanzas): for number in stanzas { tables.deliveries.remove(number) }
        // The stream sends them with the commit.
        case .send: break
        case .countFailure(let number): countFailure(number)
        case .deadLetter(let number): deadLetter(number)
        case .putBack(let stanzas): putBack(stanzas)
        case .finish(let number, let result): finish(number, result)
        case .readRequests(let number): operations.add { await self.readRequests(number) }
        case .claim(let call): operations.add { await self.claim(for: call) }
        case .runStream: runStream()
        case .sweep(let number, let losesUnresumable, let timedOut):
            operations.add {
                await self.sweep(number, losesUnresumable: losesUnresumable, timedOut: timedOut)
            }
        case .connect(let isWanted):
            for connect in connects { connect.resume(returning: isWanted) }
            connects = []
        case .failStream: operations.add { await self.failStream() }
        case .suspendStream:
            dropAttempts()
            operations.add { await self.suspendStream() }
        case .closeStream: operations.add { await self.closeStream() }
        case .hurry: hurry()
        case .forgetSession: operations.add { await self.forgetSession() }
        case .answer(let call, let answer): calls.removeValue(forKey: call)?.resume(returning: answer)
        case .setAlarm(let time): alarm.set(time, on: clock) { [weak self] in await self?.handle(.alarm) }
        }
    }

    /// Passes the event of a call to the core, and waits for the answer.
    func answer(to call: Core.Call, _ event: Core.Event) async -> Core.Answer {
        await withCheckedContinuation { continuation in
            calls[call] = continuation
            handle(event)
        }
    }

    func setLimits(_ change: (inout Core.Limits) -> Void) {
        guard case .idle = core.phase else { return }
        var limits = core.limits
        change(&limits)
        core = DurableSessionCore(limits: limits)
    }

    // MARK: Routes

    func addRoute<Output>(
        _ query: Query<Output>, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Bool
    ) throws -> Routes.ID {
        try routes.add(query, body)
    }

    /// Removes a route that `on` has registered.
    public func removeRoute(_ id: Routes.ID) { routes.remove(id) }

    func bodies(for stanza: Element) throws -> [Routes.Body] { try routes.matching(stanza) }
}

extension StreamManagementConfiguration {
    /// Settings for sessions that survive their process: they resume automatically, and both sides acknowledge often.
    public static var durable: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration()
        configuration.resumesAutomatically = true
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 5, interval: .seconds(5))
        configuration.acknowledgements = AcknowledgementTrigger(count: 20, interval: .seconds(10))
        return configuration
    }
}
