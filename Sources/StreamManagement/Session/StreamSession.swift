// The session that applications use, over real transports and in real time. Start here, then Running, Performing.
//
// The core makes all decisions. This actor performs the core's actions: it stores on its own thread, writes through an
// outbox, sleeps for the timers, and delivers stanzas and events to the application.

import Foundation
import Logging
import XMPPCore

/// An account's session with its server, which outlives connections and, with a durable storage, processes.
///
/// ```swift
/// let session = try await StreamSession(account: "juliet@example.org", storage: storage)
/// ```
///
/// Run it on one connection after another, until it is closed:
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
/// Your app makes the connections. The session runs each connection until its end, and resumes itself on the next one.
/// You can send stanzas at any time: the session queues the stanzas that it cannot send at once.
public actor StreamSession {
    typealias Core = StreamManagementCore

    private nonisolated let executor: SessionExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The bare address.
    public nonisolated let account: JID
    let storage: any StreamManagementStorage
    let clock: any SessionClock
    let logger: Logger
    let writePolicy: WritePolicy
    var store: CoalescingStore?
    /// It is `final`, so that each access is direct. Otherwise it goes through a coroutine, and an unoptimized build by
    /// Swift 6.3 reads `configuration` after the coroutine has freed it.
    final var core: StreamManagementCore
    var stream: ActiveStream?
    var streamCount: UInt64 = 0
    /// The running call of ``run(connecting:tag:policy:)``; `nil` if none runs.
    var connecting: ConnectingLoop?
    var connectingCount: UInt64 = 0
    var timers: [Core.Timer: Task<Void, Never>] = [:]
    var isClosed = false
    /// Suspended for another owner: only ``claim(takingOver:)`` opens the storage again.
    var waitsForClaim = false

    // Sent stanzas, and tasks that wait to send or to close.
    var sent: [OutgoingNumber: SentStanza] = [:]
    var roomQueue = RoomQueue()
    var drainWaiters = WaiterList()

    // Received stanzas, and tasks that wait for them or for room.
    var received = ReceivedQueue()
    var receivedWaiters = WaiterList()
    /// Counts the calls of `stopFollowing()`.
    var followerCalls: UInt64 = 0
    /// Wait for a stanza that follows at once.
    var followers = WaiterList()
    var inputWaiters = WaiterList()
    var pendingStanzas = PendingStanzas()
    /// The stanzas that were received and not handled when the session gave up its storage. The server delivers them
    /// again, with other numbers.
    var comingAgain = RangeSet<UInt64>()

    // Recipients of events and reports.
    weak var delegate: (any StreamSessionDelegate)?
    var listeners: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
    var listenerCount: UInt64 = 0
    var newlyAcknowledged: [StanzaID] = []
    /// The error passed to `markFailed`, during that call.
    var handlingError: HandlingError?

    /// Decides when a received stanza counts as handled.
    public private(set) var handlingPolicy: HandlingPolicy

    /// The server's answer to the resumption on this stream; `nil` if the session did not try to resume, or has no
    /// answer yet.
    public internal(set) var lastResumption: ResumptionResult?

    /// Claims the account's session in the storage, and restores it.
    ///
    /// - Parameters:
    ///   - account: the account. The session belongs to its bare address; a resource does not matter.
    ///   - storage: keeps the session.
    ///   - configuration: how stream management behaves.
    ///   - handling: decides when a received stanza counts as handled.
    ///   - writePolicy: which changes the session may store late.
    ///   - takingOver: whether to take the session from another process.
    ///   - clock: real time, except in tests.
    ///   - logger: logs the session's events, without content of stanzas.
    /// - Throws: the storage's errors.
    public init(
        account: JID, storage: any StreamManagementStorage,
        configuration: StreamManagementConfiguration = StreamManagementConfiguration(),
        handling: HandlingPolicy = .onArrival, writePolicy: WritePolicy = .durable, takingOver: Bool = false,
        clock: any SessionClock = SystemClock(), logger: Logger = Logger(label: "StreamManagement")
    ) async throws {
        self.account = account.bare
        self.storage = storage
        self.clock = clock
        self.logger = logger
        self.writePolicy = writePolicy
        handlingPolicy = handling
        executor = SessionExecutor(label: "StreamSession \(account.bare)")
        core = StreamManagementCore(configuration: configuration)
        core.runnerHoldsDeadlines = true
        // The rest runs on the session's own thread, which may wait for a disk.
        try open(takingOver: takingOver)
    }

    /// The stored session, until the core restores it. The session restores on first use, not in the initializer: the
    /// app can add its listeners before the resulting events.
    var restored: StoredSession?

    deinit {
        // The session stays stored. Tasks that wait for this object's reports and events end here.
        for timer in timers.values { timer.cancel() }
        for stanza in sent.values { stanza.update(.unknown, isFinal: true) }
        for listener in listeners.values { listener.finish() }
    }

    // MARK: Settings

    public var configuration: StreamManagementConfiguration { core.configuration }

    /// Changes the configuration, from the next event on.
    public func configure(_ change: (inout StreamManagementConfiguration) -> Void) {
        change(&core.configuration)
        // A bound may be higher now, or too low for any of the senders.
        roomQueue.wakeAll()
    }

    public func setDelegate(_ delegate: (any StreamSessionDelegate)?) {
        self.delegate = delegate
    }

    // MARK: State

    public var state: StreamManagementCore.State { core.state }

    /// Whether the next stream can try to resume the session, whatever its age.
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

    /// How long after a disconnect the server keeps the session, in seconds; `nil` if the server named no time or the
    /// session cannot be resumed.
    public var resumptionTime: UInt32? {
        restoreIfNeeded()
        return core.resumption?.maximum
    }

    /// The place that the server asked to be reconnected to first (rule R13).
    public var location: ServerLocation? {
        restoreIfNeeded()
        return core.resumption?.location
    }

    /// The accepted stanzas that the server has not acknowledged, sent or still waiting.
    public var unacknowledged: [OutgoingStanza] {
        restoreIfNeeded()
        return core.unacknowledged.map { $0 }
    }

    // MARK: Listening

    /// The received stanzas.
    public nonisolated var stanzas: StanzaSequence { StanzaSequence(session: self) }

    /// The session's events from this call on. Each call returns its own sequence, which ends when the session is
    /// closed. For a slow listener the sequence keeps the last 1,000 events.
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
