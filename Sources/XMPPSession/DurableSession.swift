// An account's session with its server, as applications use it. Start here, then Running, Handling, Closing, and
// Requests.
//
// It joins the parts: connections and counters are StreamManagement's, transactions Persistence's. It knows no sockets.

public import Handlers
public import Logging
public import Persistence
public import Promises
public import StanzaQuery
public import StreamManagement
import Synchronization
import XMLTree

/// A session that survives the process: the effects of a stanza and its handled mark commit in one transaction, which
/// may commit other stanzas, too.
///
/// A process that is killed while it handles a stanza has done nothing, and gets the stanza again; one that is killed
/// afterwards has done everything, and does nothing twice. That holds while the session is resumed. Otherwise the
/// server may deliver a stanza again, and `StanzaWork.isRepetition(_:)` finds it. Requests, their handlers and
/// promises are stored with it, so that another process may take them over.
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
    /// The bare address.
    public nonisolated let account: String
    /// Stream management: events, states of sent stanzas, settings. Stanzas come from the durable session only.
    public nonisolated let stream: StreamSession
    public nonisolated let database: StanzaDatabase
    nonisolated let handlers: HandlerCentre
    nonisolated let promises: PromiseCentre?
    nonisolated let arguments: HandlerArguments
    nonisolated let clock: any SessionClock
    nonisolated let logger: Logger
    nonisolated let awaited: AwaitedAnswers
    /// What the stream stores in.
    nonisolated let storage: NotingStorage
    /// The stream knows it weakly.
    nonisolated let observer: StreamObserver

    var routes = Routes()
    /// The work for each new session.
    var greeting: (@Sendable (StanzaWork) async throws -> Void)?
    var isRunning = false
    var isClosed = false
    /// Closes the session, once that has begun.
    var closing: Task<Void, Never>?
    /// Handles stanzas while the session runs.
    var handling: Task<Void, Never>?
    /// Ends requests that are not answered, while the session runs.
    var ending: Task<Void, Never>?
    /// A handler is at work.
    var isAtWork = false
    /// Handled stanzas that have not committed.
    var batch = HandledBatch()
    /// Commits the batch when it is old.
    var batchAlarm: Task<Void, Never>?
    /// Commits a batch now.
    var committing: Task<Void, Never>?
    /// That batch.
    var committingBatch = HandledBatch()
    /// Why the last batch did not commit, until its stanzas are offered again.
    var batchFailure: BatchFailure?
    /// Stanzas of the next batch.
    var batchLimit = HandledBatch.maximumCount
    /// The stanza that has failed last.
    var failingStanza: IncomingNumber?
    /// A run has claimed nothing yet, and nobody has suspended it since.
    var isBeginning = false
    /// Nothing more is to be handled or asked until the session is run again.
    var isSuspended = false
    /// The serials of requests that running work ends.
    var endingRequests: Set<Int64> = []
    /// How long a handler may take to finish when the session is closed.
    var handlersGrace = DurableSession.usualHandlersGrace
    /// When requests are given up.
    var requestTimes = RequestTimes()
    /// How often requests that may have ended were read.
    nonisolated let endingReads = Mutex(0)
    /// How often ending a request has failed, in this process, and when it did last.
    var failedEndings: [Int64: (count: Int, uptime: Duration)] = [:]
    /// Finished when the handler that is at work has ended.
    var whenIdle: [AsyncStream<Void>.Continuation] = []
    /// How many calls of `suspend` are laying the session aside.
    var suspensionCount = 0
    /// Invalidations of a session that was closed which were waited for in vain.
    var invalidationsLeft = 0
    /// The session was closed, and not all of its requests have ended.
    var hasRequestsLeft = false
    /// The session was closed, and what was stored of it is gone, or somebody else's: these requests of it were left
    /// then.
    var requestsAtClosing: Set<Int64>?
    /// Forgets what is stored of the session that was closed, and tells its requests, once that has begun.
    var forgetting: Task<Set<Int64>, any Error>?
    /// The session is being closed now.
    var isClosing = false
    /// By when whoever suspends the session wants it to be closed, by when nothing waits for the disk, and whether that
    /// counts for everybody, because the database is frozen then.
    var closingEnd: (uptime: Duration, storing: ContinuousClock.Instant, isForAll: Bool)?
    /// The database is to be frozen when the session is closed.
    var freezesWhenClosed = false
    /// Waits that end early when there is no more time; the last of them are those of closing for invalidations.
    var waits: [UInt64: (continuation: AsyncStream<Void>.Continuation, isLast: Bool)] = [:]
    var waitCount: UInt64 = 0
    /// Wait for the run, or for suspensions, to end.
    var whenEnded: [CheckedContinuation<Void, Never>] = []

    /// Claims the account's session in the database.
    ///
    /// - Parameters:
    ///   - account: The bare address.
    ///   - database: What all is stored in.
    ///   - registry: The handlers that answers may call.
    ///   - promises: Given to handlers that want promises.
    ///   - arguments: What handlers get besides, such as the application's account. `stanza`, `work` and what belongs
    ///     to a kind of request are added at each call, and count more.
    ///   - configuration: How stream management behaves.
    ///   - takingOver: Whether to take the session from another process that has it.
    ///   - clock: Real time, except in tests.
    ///   - logger: Is told what happens, without content of stanzas.
    /// - Throws: `StorageError.inUse` if another process has the session and is not to be taken over from; what the
    ///   database throws.
    public init(
        account: String, database: StanzaDatabase, registry: HandlerRegistry, promises: PromiseCentre? = nil,
        arguments: HandlerArguments = [:], configuration: StreamManagementConfiguration = .durable,
        takingOver: Bool = false, clock: any SessionClock = SystemClock(),
        logger: Logger = Logger(label: "stanza.session")
    ) async throws {
        self.account = account
        self.database = database
        self.promises = promises
        self.arguments = arguments
        self.clock = clock
        self.logger = logger
        handlers = HandlerCentre(registry: registry, store: database, logger: logger)
        awaited = AwaitedAnswers(account: account)
        observer = StreamObserver(awaited: awaited) { [logger] answer in
            do {
                try database.note(answer, of: account)
                return true
            } catch {
                logger.error("the loss of an answer was not noted durably", metadata: ["error": "\(type(of: error))"])
                return false
            }
        }
        storage = NotingStorage(database)
        stream = try await StreamSession(
            account: account, storage: storage, configuration: configuration,
            handling: .deciding { _ in .pending(id: nil) }, takingOver: takingOver, clock: clock, logger: logger)
        await stream.setDelegate(observer)
    }

    nonisolated var workContext: WorkContext { workContext(isBatched: false) }

    /// - Parameter isBatched: Whether other stanzas may commit in the same transaction.
    nonisolated func workContext(isBatched: Bool) -> WorkContext {
        var context = WorkContext(
            account: account, clock: clock, handlers: handlers, promises: promises, arguments: arguments,
            requestsChanged: { [observer] in observer.tellOfEndings() })
        if isBatched { context.hasNoted = { [weak self] in await self?.hasNoted($0) ?? false } }
        return context
    }

    /// Has somebody told what becomes of stanzas that were sent, by this process or an earlier one. `SentStanza` tells
    /// the same of one stanza; this misses none of them, and comes before anything is sent again.
    ///
    /// - Parameter body: Is called on the session's own thread: it must not wait. `nil` for nobody.
    public nonisolated func report(to body: (@Sendable (StanzaReport) -> Void)?) { observer.setReporter(body) }

    // MARK: Routing

    /// Registers what is done with stanzas that a query of our language matches: all but answers to requests.
    ///
    /// Of several queries that match, all are done, in the order in which they were registered, in one transaction. An
    /// `iq` of type `get` or `set` that no query matches is answered with `service-unavailable` (RFC 6120 §8.4); one
    /// that some match is theirs to answer, once.
    ///
    /// - Parameters:
    ///   - query: A query that takes no arguments. What is interpolated in a literal is never read as a part of it.
    ///   - body: Gets the stanza and what it may change. When it throws, nothing is changed, and the stanza is offered
    ///     again, until it has failed too often and is set aside (`SessionEvent.setAside`, which carries the last error).
    /// - Returns: What removes it again.
    /// - Throws: `QueryError` for a query that is wrong.
    @discardableResult
    public func on(
        _ query: InterpolatedQuery, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try on(Query(query), body)
    }

    /// Registers a handler, which gets the stanza as its argument `stanza`. See `on(_:_:)`. A handler that has ended,
    /// because it was invalidated, or was called and is single-shot, matches nothing any more; nor does one that this
    /// program does not know.
    @discardableResult
    public func on(_ query: InterpolatedQuery, _ handler: Handler) throws -> Routes.ID {
        try on(Query(query), handler)
    }

    /// Registers what is done with stanzas that a compiled query matches. See `on(_:_:)`.
    @discardableResult
    public func on(
        _ query: Query, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try routes.add(query) { stanza, work in
            try await body(stanza, work)
            return true
        }
    }

    /// Registers a handler for stanzas that a compiled query matches. See `on(_:_:)`.
    @discardableResult
    public func on(_ query: Query, _ handler: Handler) throws -> Routes.ID {
        try routes.add(query) { [handlers] stanza, work in
            let handlers = handlers.using(work.database)
            switch await handlers.attempt(.call, handler, work.arguments(for: stanza)) {
            case .returned: return true
            case .refused(let error as HandlerError) where error.isOfAnEndedHandler:
                // Somebody is about to end it, which may come to nothing, or just has.
                if !handlers.hasEnded(handler) { throw HandlerIsEnding() }
                return false
            case .refused(let error as HandlerError) where error.isOfAnUnknownHandler: return false
            // Also if the function says of another handler that it has ended.
            case .refused(let error), .threw(let error): throw error
            }
        }
    }

    /// Removes what `on` has registered.
    public func removeRoute(_ id: Routes.ID) { routes.remove(id) }
}

extension StreamManagementConfiguration {
    /// For sessions that survive: resumed whenever that is possible, and acknowledged in both directions before much is
    /// at stake.
    public static var durable: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration()
        configuration.resumesAutomatically = true
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 5, interval: .seconds(5))
        configuration.acknowledgements = AcknowledgementTrigger(count: 20, interval: .seconds(10))
        return configuration
    }
}
