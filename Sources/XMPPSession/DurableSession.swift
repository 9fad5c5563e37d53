// The durable session performs the actions of its core, and turns their results into events. The core has the rules.
//
// It also has the requests that tasks of this process wait for. Other public functions are in DurableSession+Calls,
// +Greeting, +Requests and +Routes, operations of the stream in +Stream.

public import Handlers
import Locking
public import Logging
public import Persistence
import SafeText
import SessionCore
import StanzaQuery
public import StreamManagement
public import XMLTree
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
///         account: "juliet@example.org", database: database, handlers: Avatars.self, promises: promises)
/// } catch StorageError.inUse {
///     show("another process runs the session")
///     return
/// }
/// try await session.on("/{jabber:client}message/body") { stanza, work in
///     if stanza["type"] == "error" { return }
///     try work.changes.add { transaction in
///         try transaction.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
///     }
/// }
/// await session.otherwise(.ignore)
/// ```
public actor DurableSession {
    typealias Core = DurableSessionCore

    /// The thread of the stream: a stanza crosses none between the two.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { stream.unownedExecutor }

    /// The bare address.
    public nonisolated let account: JID
    /// Stream management: events, states of sent stanzas, settings. Stanzas come from the durable session only.
    public nonisolated let stream: StreamSession
    public nonisolated let database: StanzaDatabase
    /// Calls and invalidates handlers by hand, with the session's arguments and promises. The session itself calls the
    /// handlers of its requests.
    public nonisolated let handlers: HandlerDispatcher
    private nonisolated let promises: PromiseCenter?
    private nonisolated let clock: any MachineClock
    private nonisolated let logger: Logger
    private nonisolated let awaited: AwaitedAnswers
    private nonisolated let reports: StreamReports
    private nonisolated let operations = SerialQueue()

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
    ///   - arguments: Further arguments of handlers, such as the application's account. Each call adds `stanza`,
    ///     `changes`, `work` and those of the request's kind, which take precedence.
    ///   - configuration: The settings of stream management.
    ///   - takingOver: Whether to take the session from another process that has it.
    ///   - clock: Real time, except in tests.
    ///   - logger: Receives log messages. Only the debug level logs errors of the app, which may hold content of
    ///     stanzas.
    /// - Throws: `StorageError.inUse` if another process has the session and `takingOver` is `false`; a
    ///   `StanzaDatabaseError`.
    public init(
        account: JID, database: StanzaDatabase, registry: HandlerRegistry = .empty, promises: PromiseCenter? = nil,
        arguments: HandlerArguments = [:], configuration: StreamManagementConfiguration = .durable,
        takingOver: Bool = false, clock: any MachineClock = SystemClock(),
        logger: Logger = Logger(label: "stanza.session")
    ) async throws {
        let account = account.bare
        self.account = account
        self.database = database
        self.promises = promises
        self.clock = clock
        self.logger = logger
        var arguments = arguments
        if let promises { arguments["promises"] = promises }
        handlers = HandlerDispatcher(registry: registry, arguments: arguments, logger: logger)
        let awaited = AwaitedAnswers(account: account)
        self.awaited = awaited
        reports = StreamReports(awaited: awaited) { answer in
            do {
                try database.note(answer, of: account)
                return true
            } catch {
                logger.error(
                    "the loss of an answer was not noted durably",
                    metadata: ["error": "\(error.loggable)"])
                return false
            }
        }
        var limits = Core.Limits()
        limits.attempts = configuration.maximumHandlingAttempts
        limits.handlerTime = configuration.maximumHandlingTime
        core = DurableSessionCore(limits: limits)
        stream = try await StreamSession(
            account: account, storage: database, configuration: configuration,
            handling: .deciding { _ in .pending(id: nil) }, takingOver: takingOver, clock: clock, logger: logger)
        reports.setReceiver { [weak self] events in
            self?.assumeIsolated { session in for event in events { session.handle(event) } }
        }
        await stream.setDelegate(reports)
        await stream.awaitGreetings()
    }

    /// Claims the account's session in the database, for the handlers of some types with `@Handlers`.
    ///
    /// ```swift
    /// let session = try await DurableSession(
    ///     account: account, database: database, handlers: Avatars.self, promises: promises)
    /// ```
    ///
    /// The other parameters are those of the initializer with a registry.
    ///
    /// - Throws: The errors of that initializer; `HandlerRegistryError` for wrong handlers.
    public init(
        account: JID, database: StanzaDatabase, handlers first: any HandlerProvider.Type,
        _ others: any HandlerProvider.Type..., promises: PromiseCenter? = nil, arguments: HandlerArguments = [:],
        configuration: StreamManagementConfiguration = .durable, takingOver: Bool = false,
        logger: Logger = Logger(label: "stanza.session")
    ) async throws {
        try await self.init(
            account: account, database: database, registry: HandlerRegistry([first] + others), promises: promises,
            arguments: arguments, configuration: configuration, takingOver: takingOver, logger: logger)
    }

    // MARK: The core

    nonisolated var rows: SessionRows { SessionRows(account: account, database: database) }

    nonisolated var workContext: WorkContext {
        WorkContext(account: account, clock: clock, handlers: handlers, promises: promises)
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
            if let deadline { schedule(at: deadline) { [weak self] in await self?.stopCommitting() } }
        }
        finishClosing()
    }

    /// Changes the tables of the objects that the core's numbers identify.
    func update<Result>(_ change: (inout SessionTables) -> Result) -> Result { change(&tables) }

    private var wantsStanzas: Bool {
        core.wantsStanzas(after: tables.deliveries.count, of: tables.deliveries.weight)
    }

    /// Adds an access to the database or the stream. Accesses run in the order of the core's actions.
    func addOperation(_ operation: @escaping @Sendable () async -> Void) { operations.add(operation) }

    /// Freezes the database after the accesses that were added before.
    func freezeInTurn() async {
        await withCheckedContinuation { continuation in
            operations.add { [database] in
                database.freeze()
                continuation.resume()
            }
        }
    }

    nonisolated var now: Duration { clock.uptime }

    /// Runs a body at a time, unless the task is canceled before.
    @discardableResult
    nonisolated func schedule(at time: Duration, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached { [clock] in
            do { try await clock.sleep(until: time) } catch { return }
            await body()
        }
    }

    nonisolated func log(_ level: Logger.Level, _ text: Logger.Message, error: String) {
        logger.log(level: level, text, metadata: ["error": "\(error)"])
    }

    nonisolated func log(_ level: Logger.Level, _ text: Logger.Message, of stanza: Element?) {
        let metadata: Logger.Metadata? = stanza.map {
            ["stanza": "\($0.name.excerpt())", "type": "\(($0["type"] ?? "").excerpt())"]
        }
        logger.log(level: level, text, metadata: metadata)
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
        case .endGreeting: operations.add { [stream] in await stream.greetingIsDone() }
        case .cancel(let attempt): drop(attempt)
        case .noteSlowness(let attempt): noteSlowness(attempt)
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
        case .readRequests(let number, let serial):
            operations.add { await self.readRequests(number, after: serial) }
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
            // None of the core's handlers can commit any more.
            for attempt in tables.attempts.all(where: { _ in true }) { drop(attempt) }
            operations.add { await self.suspendStream() }
        case .closeStream: operations.add { await self.closeStream() }
        // The server and the connection have no more time.
        case .hurry: Task { [stream] in await stream.endDrain() }
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

    // MARK: Reports of the stream

    /// Reports the delivery state of sent stanzas, including those that an earlier process sent.
    ///
    /// `SentStanza` has the same state for one stanza. The reports miss no stanza, and come before anything is sent
    /// again.
    ///
    /// - Parameter body: Receives the reports on the session's own thread, so it must not wait. `nil` ends the reports.
    public nonisolated func report(to body: (@Sendable (StanzaReport) -> Void)?) { reports.setReporter(body) }

    /// Notes lost answers in the database.
    ///
    /// - Returns: Whether the database knows all of them.
    func noteLostAnswers() -> Bool { reports.noteLostAnswers() }

    // MARK: Requests of tasks

    /// Sends a request, and waits for the answer. If the process ends, the answer is lost. If the time ends or the task
    /// is canceled while the request waits to be sent, it is not sent.
    ///
    /// - Throws: ``RequestError/notARequest`` or ``RequestError/duplicateID(_:)``, and then the session sends nothing;
    ///   `StanzaError` if the request was refused; another `RequestError` if no answer came; `CancellationError`; the
    ///   errors of ``send(_:)``.
    public nonisolated func request(
        _ iq: Element, timeout: Duration = requestTimeout
    ) async throws -> Element {
        try await checkIsOpen()
        let (iq, name) = try Requests.identified(iq)
        let id = StanzaID(rawValue: name)
        let tasks = Lock<(alarm: Task<Void, Never>, sending: Task<SentStanza?, Never>)?>(nil)
        defer { tasks.withLock { $0 }?.alarm.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard awaited.add(id, to: iq["to"], continuation) else {
                        return continuation.resume(throwing: RequestError.duplicateID(name))
                    }
                    let alarm = schedule(at: now + timeout) { [awaited] in awaited.fail(id, RequestError.timedOut) }
                    let sending = Task { await send(iq, as: id) }
                    tasks.withLock { $0 = (alarm, sending) }
                    if Task.isCancelled { awaited.fail(id, CancellationError()) }
                }
            } onCancel: {
                awaited.fail(id, CancellationError())
            }
        } catch let error as StanzaError {
            throw error
        } catch {
            // No task waits any more, so a request that waits to be sent is not sent.
            if let sending = tasks.withLock({ $0 })?.sending {
                sending.cancel()
                if let sent = await sending.value { await withdraw(sent) }
            }
            throw error
        }
    }

    /// Takes back a request that no task waits for. If the stream cannot do that now, the session does it before the
    /// next stream begins.
    nonisolated func withdraw(_ sent: SentStanza) async {
        try? await stream.withdraw(sent)
        if sent.state == .queued { awaited.keep(sent) }
    }

    /// The last stream is over. Takes back the requests that could not be taken back before.
    ///
    /// - Parameter canResume: Whether the next stream may resume the session, so that an answer may still come.
    func takeBackAwaited(canResume: Bool) async throws {
        if !canResume { awaited.failSent() }
        for sent in awaited.allKept {
            try await stream.withdraw(sent)
            awaited.forget(sent)
        }
    }

    private nonisolated func send(_ iq: Element, as id: StanzaID) async -> SentStanza? {
        do {
            let sent = try await send(iq)
            awaited.note(sent, for: id)
            return sent
        } catch {
            awaited.fail(id, error)
            return nil
        }
    }

    /// The tasks that wait for answers wait no longer.
    ///
    /// - Parameter takingBack: Whether to take back their requests, which are not sent any more then.
    func failAwaited(takingBack: Bool) async {
        if takingBack { for sent in awaited.sent { await withdraw(sent) } }
        awaited.failAll()
    }

    // MARK: Routes

    func addRoute(
        _ query: Query<QueryValue>, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Bool
    ) throws(QueryError) -> Routes.ID {
        try routes.add(query, body)
    }

    /// Removes a route that `on` has registered.
    public func removeRoute(_ id: Routes.ID) { routes.remove(id) }

    func bodies(for stanza: Element) throws(QueryError) -> [Routes.Body] { try routes.matching(stanza) }
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
