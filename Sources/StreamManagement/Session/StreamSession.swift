// A session over real transports and in real time: what applications use. Start here, then Running, Performing.
//
// All decisions are the core's; this actor performs its actions: stores on its own thread, writes through an outbox,
// sleeps for its timers, and hands stanzas and events to whoever wants them.

import Foundation
import Logging

/// An account's session with its server, which outlives connections and, if the storage does, processes.
///
/// ```swift
/// let session = try await StreamSession(account: "juliet@example.org", storage: storage)
/// ```
///
/// It is run on one connection after the other, until it is closed:
///
/// ```swift
/// Task {
///     for await stanza in session.stanzas { show(stanza.element) }
/// }
/// while true {
///     let (transport, features) = try await connect()
///     let end = try await session.run(on: transport, features: features)
///     if case .closed = end { break }
/// }
/// ```
///
/// Connections are made elsewhere: each is run by the session until it ends, and the next one resumes what the last one
/// began. Stanzas may be sent at any time; what cannot be sent at once waits.
public actor StreamSession {
    typealias Core = StreamManagementCore

    private nonisolated let executor: SessionExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    public nonisolated let account: String
    let storage: any StreamManagementStorage
    let clock: any SessionClock
    let logger: Logger
    let writePolicy: WritePolicy
    var store: (any SessionStore)?
    /// It is `final`, so that each access is direct. Otherwise it goes through a coroutine, and an unoptimized build by
    /// Swift 6.3 reads `configuration` after the coroutine has freed it.
    final var core: StreamManagementCore
    var stream: ActiveStream?
    var streamCount: UInt64 = 0
    /// What makes connections, while something does.
    var connecting: ConnectingLoop?
    var connectingCount: UInt64 = 0
    var timers: [Core.Timer: Task<Void, Never>] = [:]
    var isClosed = false
    /// Laid aside for others: only ``claim(takingOver:)`` takes it up again.
    var waitsForClaim = false

    // What senders wait for.
    var sent: [OutgoingNumber: SentStanza] = [:]
    var roomQueue = RoomQueue()
    var drainWaiters = WaiterList()

    // What was received.
    var received = ReceivedQueue()
    var receivedWaiters = WaiterList()
    var inputWaiters = WaiterList()
    var pendingStanzas = PendingStanzas()
    /// The stanzas that were received and not handled when the session was laid aside: they come again, with other
    /// numbers.
    var comingAgain = RangeSet<UInt64>()

    // Who is told.
    weak var delegate: (any StreamSessionDelegate)?
    var listeners: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
    var listenerCount: UInt64 = 0
    var newlyAcknowledged: [StanzaID] = []
    /// The error that `markFailed` was called with, during that call.
    var handlingError: HandlingError?

    /// What makes a received stanza count as handled.
    public private(set) var handlingPolicy: HandlingPolicy

    /// What the server answered on this stream when the session was to be resumed; `nil` if that was not tried.
    public internal(set) var lastResumption: ResumptionResult?

    /// Claims the account's session in the storage, and restores it.
    ///
    /// - Parameters:
    ///   - account: what tells accounts apart in the storage, such as the bare address.
    ///   - storage: keeps the session.
    ///   - configuration: how stream management behaves.
    ///   - handling: what makes a received stanza count as handled.
    ///   - writePolicy: what may be stored late.
    ///   - takingOver: whether to take the session from another process.
    ///   - clock: real time, except in tests.
    ///   - logger: is told what happens, without content of stanzas.
    /// - Throws: what the storage throws.
    public init(
        account: String, storage: any StreamManagementStorage,
        configuration: StreamManagementConfiguration = StreamManagementConfiguration(),
        handling: HandlingPolicy = .onArrival, writePolicy: WritePolicy = .durable, takingOver: Bool = false,
        clock: any SessionClock = SystemClock(), logger: Logger = Logger(label: "StreamManagement")
    ) async throws {
        self.account = account
        self.storage = storage
        self.clock = clock
        self.logger = logger
        self.writePolicy = writePolicy
        handlingPolicy = handling
        executor = SessionExecutor(label: "StreamSession \(account)")
        core = StreamManagementCore(configuration: configuration)
        core.runnerHoldsDeadlines = true
        // From here on this runs on the session's own thread, which may wait for a disk.
        try open(takingOver: takingOver)
    }

    /// What was stored, until the core has it: what comes of that is told on the first stream, when somebody listens.
    var restored: StoredSession?

    deinit {
        // The session stays stored. Nobody who waits for what this object could have told waits for ever.
        for timer in timers.values { timer.cancel() }
        for stanza in sent.values { stanza.update(.unknown, isFinal: true) }
        for listener in listeners.values { listener.finish() }
    }

    // MARK: Settings

    public var configuration: StreamManagementConfiguration { core.configuration }

    /// Changes how stream management behaves, from now on.
    public func configure(_ change: (inout StreamManagementConfiguration) -> Void) {
        change(&core.configuration)
        // A bound may be higher now, or too low for a sender.
        roomQueue.wakeFirst()
    }

    public func setDelegate(_ delegate: (any StreamSessionDelegate)?) {
        self.delegate = delegate
    }

    // MARK: State

    public var state: StreamManagementCore.State { core.state }

    /// Whether the next stream can try to resume the session, however old that is.
    public var canResume: Bool {
        restoreIfNeeded()
        return core.canResume
    }

    /// Whether this stream began by resuming the session.
    public var didResume: Bool { core.didResume }

    /// The address that was bound, in this process or an earlier one.
    public var address: String? {
        restoreIfNeeded()
        return core.address
    }

    /// How long after a disconnect the server keeps the session, in seconds; `nil` if it did not say, or there is none.
    public var resumptionTime: UInt32? {
        restoreIfNeeded()
        return core.resumption?.maximum
    }

    /// Where to connect to first (rule R13).
    public var location: ServerLocation? {
        restoreIfNeeded()
        return core.resumption?.location
    }

    /// The stanzas that were given to be sent and are not acknowledged.
    public var unacknowledged: [OutgoingStanza] {
        restoreIfNeeded()
        return Array(core.unacknowledged)
    }

    // MARK: Listening

    /// The received stanzas.
    public nonisolated var stanzas: StanzaSequence { StanzaSequence(session: self) }

    /// What happens from now on. Each call gives a sequence of its own, which ends when the session is closed; of what
    /// a slow listener has not taken, the last 1,000 events are kept.
    public func events() -> AsyncStream<SessionEvent> {
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(Self.eventLimit))
        if isClosed {
            continuation.finish()
            return events
        }
        listenerCount += 1
        let id = listenerCount
        listeners[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeListener(id) }
        }
        return events
    }

    private static let eventLimit = 1000

    private func removeListener(_ id: UInt64) {
        listeners[id] = nil
    }
}
