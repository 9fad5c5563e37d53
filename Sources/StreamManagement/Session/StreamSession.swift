// The session that applications use, over real transports and in real time. Start here.
//
// The core makes all decisions. This actor performs the core's actions when their changes are stored: it writes
// through the stream's outbox, sleeps for the timers, and delivers stanzas and events to the application. This file has
// all that reads or changes the actor's parts; the extensions in other files are made of its operations.

import Foundation
import Logging
import XMLTree
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
    private let clock: any MachineClock
    private let logger: Logger
    let record: SessionRecord
    private var timers: [Core.Timer: Task<Void, Never>] = [:]
    private var stream: ActiveStream?
    /// Counts the streams, and the calls that let no earlier call begin one.
    private var streamCount: UInt64 = 0
    /// The running call of ``run(connecting:tag:policy:)``; `nil` if none runs.
    private var connecting: ConnectingLoop?
    private var connectingCount: UInt64 = 0
    private var sent = SentStanzas()
    private var inbox = Inbox()
    /// Counts the calls of `stopFollowing()`.
    private var followerCalls: UInt64 = 0
    private let roomQueue = RoomQueue()
    private var waiters = WaiterList()
    private var listeners: EventListeners
    private weak var delegate: (any StreamSessionDelegate)?
    /// Removes the closed session from the storage.
    private var ending: Task<Void, Never>?

    /// Decides when a received stanza counts as handled.
    public private(set) var handlingPolicy: HandlingPolicy

    /// The server's answer to the resumption on this stream; `nil` if the session did not try to resume, or has no
    /// answer yet.
    public private(set) var lastResumption: ResumptionResult?

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
        clock: any MachineClock = SystemClock(), logger: Logger = Logger(label: "StreamManagement")
    ) async throws {
        self.account = account.bare
        self.clock = clock
        self.logger = logger
        record = SessionRecord(
            account: account.bare, storage: storage, writePolicy: writePolicy, configuration: configuration,
            clock: clock, logger: logger)
        listeners = EventListeners(logger: logger)
        handlingPolicy = handling
        executor = SessionExecutor(label: "StreamSession \(account.bare)")
        // Opening waits for the disk, on the session's own thread.
        try record.open(takingOver: takingOver)
    }

    deinit {
        // The session stays stored. Tasks that wait for this object's reports and events end here.
        for timer in timers.values { timer.cancel() }
        sent.finish()
        listeners.finish()
    }

    // MARK: Settings

    public var configuration: StreamManagementConfiguration { record.core.configuration }

    /// Changes the configuration, from the next event on.
    public func configure(_ change: (inout StreamManagementConfiguration) -> Void) {
        record.configure(change)
        // A bound may be higher now, or too low for any of the senders.
        roomQueue.wakeAll()
    }

    public func setDelegate(_ delegate: (any StreamSessionDelegate)?) { self.delegate = delegate }

    // MARK: State

    public var state: StreamManagementCore.State { record.core.state }

    /// A copy of the core.
    var core: Core { record.core }

    /// Restores the stored session, once.
    func restore() { record.restoreIfNeeded(for: self) }

    /// Returns the object that reports a stanza's delivery, also for a stanza of an earlier process; `nil` after the
    /// last report.
    public func tracking(_ number: OutgoingNumber) -> SentStanza? {
        restore()
        return sent[number]
    }

    /// Whether a stanza's last state is not reported.
    func tracks(_ stanza: SentStanza) -> Bool { sent[stanza.number] === stanza }

    /// Whether stanzas can come and go on a stream. True also before `<enabled/>` arrives: stanzas may come before it.
    package var isOnline: Bool { stream != nil && record.core.isSending }

    /// Whether senders, or the core's next stanza, wait for an acknowledgement.
    var isSendingHeldUp: Bool { !record.core.hasRoom || !roomQueue.isEmpty }

    /// The number of senders that wait for room.
    package var waitingSenderCount: Int { roomQueue.count }

    // MARK: The stored session

    /// Whether the session is over.
    var isClosed: Bool { record.isClosed }

    /// Whether this object owns the stored session.
    var isOwner: Bool { record.isOwner }

    func takeUp() throws { try record.takeUp(for: self) }

    /// Gives the session up until the app runs it again, because the handler of stanzas cannot store its effects.
    package func fail(because error: any Error) { record.storageFailed(error, for: self) }

    /// The core restores these stanzas.
    func restoreSent(_ stanzas: [OutgoingStanza]) { sent.restore(stanzas) }

    /// Others can claim the session now.
    func storeIsGivenUp() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
        guard record.core.resumption != nil else { return }
        inbox.forgetUnhandled(after: record.core.handledThrough, through: record.core.deliveredThrough)
    }

    /// Ends the stream, and with it the loop that makes connections. Without a stream, or with one that has ended for
    /// another reason, the loop would continue.
    func endForGood(_ end: StreamEnd) {
        if let stream, stream.end == nil { abandon(end) } else { stopConnecting(because: end) }
    }

    // MARK: Actions

    /// Passes an event to the core, and performs the resulting actions. See ``SessionRecord``.
    func handle(_ event: Core.Event, because error: (any Error)? = nil) throws(StreamManagementError) {
        try record.handle(event, because: error, for: self)
    }

    /// Actions are performed.
    func actionsArePerformed() {
        inbox.forgetNames(through: record.core.handledThrough)
        let acknowledged = listeners.takeAcknowledged()
        if !acknowledged.isEmpty { send(.acknowledged(acknowledged)) }
        stream?.startWriter(for: self)
        wakeWaiters()
    }

    /// Performs an action of the core. `error` is that of the app's handler.
    func perform(_ action: Core.Action, because error: (any Error)?) {
        switch action {
        case .send(let nonza): stream?.append(nonza)
        case .transmit(let number, let element): stream?.append(element, number: number)
        // The record performs these.
        case .store: break
        case .deliver(let stanza): deliver(stanza)
        case .pass(let element): send(.other(element))
        case .report(let report):
            delegate?.session(self, didReport: report)
            listeners.note(report)
            sent.pass(report)
        case .notify(let notification):
            let (event, resumption) = listeners.event(of: notification, because: error)
            if let resumption { lastResumption = resumption }
            send(event)
        // Authentication has its own time limits, and its end brings the answer to the resumption.
        case .arm(.negotiation, _) where stream == nil: break
        case .arm(let timer, let deadline):
            stream?.timerIsArmed(timer)
            arm(timer, at: deadline)
        case .cancel(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .sendStreamError(let error):
            logger.warning("the server has broken the protocol", metadata: ["error": "\(error.text)"])
            stream?.append(error.element)
            stream?.end(.violation(error))
        case .closeStream: stream?.end(.closed)
        case .abandonTransport(let reason): abandon(.abandoned(reason))
        }
    }

    private func arm(_ timer: Core.Timer, at deadline: Duration) {
        timers[timer]?.cancel()
        timers[timer] = Task { [weak self, clock] in
            do { try await clock.sleep(until: deadline) } catch { return }
            await self?.deadlinePassed(timer)
        }
    }

    private func deadlinePassed(_ timer: Core.Timer) {
        if let time = stream?.extend(timer, for: self) { return arm(timer, at: clock.uptime + time) }
        try? handle(.deadline(timer))
    }

    /// Reports an event, after the reports that wait for the disk.
    func report(_ event: SessionEvent) {
        if record.passes(event) { send(event) }
    }

    /// Sends an event to the delegate and the listeners.
    func send(_ event: SessionEvent) {
        delegate?.session(self, didReceive: event)
        listeners.send(event)
    }

    /// The session's events from this call on. Each call returns its own sequence, which ends when the session is
    /// closed. For a slow listener the sequence keeps the last 1,000 events.
    public func events() -> AsyncStream<SessionEvent> {
        listeners.makeSequence { [weak self] id in Task { await self?.removeListener(id) } }
    }

    private func removeListener(_ id: UInt64) { listeners.remove(id) }

    // MARK: Received stanzas

    private func deliver(_ stanza: ReceivedStanza) {
        let decision =
            delegate?.session(self, handlingOf: stanza.element) ?? handlingPolicy.decision(about: stanza.element)
        if case .pending(let id?) = decision, let number = stanza.number { inbox.name(number, as: id) }
        if delegate?.session(self, didReceive: stanza) != true { inbox.insert(stanza) }
        if decision == .handled, let number = stanza.number { try? handle(.markHandled(number)) }
    }

    /// The next stanza, if it has come or the transport has input. It does not wait for the other side, and returns
    /// `nil` as soon as the input has no further stanza.
    func takeFollowingStanza() async -> ReceivedStanza? {
        let calls = followerCalls
        while inbox.isEmpty, calls == followerCalls, !isClosed, !Task.isCancelled,
            stream?.hasInput == true, !isInputHeldUp
        {
            await withCheckedContinuation { waiters.add($0, for: .followingStanza) }
        }
        return takeFirst()
    }

    /// The number of received stanzas that no caller has taken.
    package var untakenCount: Int { inbox.count }

    /// Takes the first stanza; `nil` if none has come.
    func takeFirst() -> ReceivedStanza? {
        guard let stanza = inbox.take() else { return nil }
        wakeWaiters()
        return stanza
    }

    /// Lets `takeFollowingStanza()` return.
    package func stopFollowing() {
        followerCalls &+= 1
        waiters.resume(.followingStanza)
    }

    /// Offers taken, unhandled stanzas again, in their order and before all others. The server delivers some of them
    /// again.
    package func putBack(_ stanzas: [ReceivedStanza]) {
        if isClosed { return }
        inbox.putBack(stanzas)
        wakeWaiters()
    }

    /// Removes and returns the stanzas that are pending under this identifier.
    func takePending(_ id: StanzaID) -> [IncomingNumber] { inbox.takeNamed(id) }

    /// Whether a stanza does not belong to this session any more: the server delivers it again.
    func comesAgain(_ stanza: ReceivedStanza) -> Bool { inbox.comesAgain(stanza) }

    /// Whether a stanza may have ended an earlier process.
    func isSuspect(_ stanza: ReceivedStanza) -> Bool { stanza.number.map(record.core.recovery.suspects) ?? false }

    /// Counts a failed attempt to handle a stanza that the caller keeps (rule R40).
    ///
    /// - Throws: The error of the storage. If it is temporary, the count is stored later.
    package func countFailure(
        of stanza: ReceivedStanza, because error: (any Error)?
    ) async throws -> HandlingVerdict {
        isOwner ? try await record.countFailure(of: stanza, because: error, for: self) : .comesAgain
    }

    // MARK: Sent stanzas

    /// The app's name for a stanza to send.
    func name(of stanza: Element) -> StanzaID? { delegate?.session(self, idForSentStanza: stanza) }

    /// The core has accepted these stanzas.
    func track(_ stanzas: [SentStanza]) { sent.add(stanzas) }

    /// The core has taken these stanzas back.
    func untrack(_ numbers: Set<OutgoingNumber>) { sent.remove(numbers) }

    /// Throws if the server does not accept a stanza of this size.
    func checkSize(of element: Element) throws(StreamManagementError) { try record.core.checkSize(of: element) }

    /// The transport has taken stanzas.
    func wereWritten(_ numbers: [OutgoingNumber], on stream: ActiveStream) {
        sent.wereWritten(numbers)
        if self.stream === stream, let last = numbers.last { try? handle(.written(through: last)) }
        wakeWaiters()
    }

    // MARK: Room

    /// Calls `body` as soon as there is room for stanzas, and no other sender comes first. See ``RoomQueue``.
    func withRoom<Value>(for places: () -> Int, _ body: () throws -> Value) async throws -> Value {
        try await roomQueue.withRoom(for: places, in: self, body)
    }

    /// Whether there is room to send more stanzas.
    func hasRoom(for places: Int) -> Bool { record.core.hasRoom(for: places) && stream?.isFull != true }

    /// Waits until there may be room for a sender, or its task is canceled.
    func wait(asSender ticket: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { roomQueue.wait(ticket, continuation) }
            }
        } onCancel: {
            Task { await self.cancelSender(ticket) }
        }
    }

    private func cancelSender(_ ticket: UInt64) { roomQueue.cancel(ticket) }

    /// Passes the room that the first sender needs to the core. A server may acknowledge only in answer to requests.
    func awaitRoom(for places: Int) {
        // The core stores nothing for this event.
        if places != record.core.awaitedPlaces { try? handle(.awaitRoom(places: places)) }
    }

    /// Resumes all senders that wait for room: each finds out itself whether it still waits.
    func wakeSenders() { roomQueue.wakeAll() }

    /// Resumes the sender that has waited longest, if there is room for its stanzas.
    func wakeFirstSender() {
        if !roomQueue.isEmpty, record.core.hasRoom(for: roomQueue.awaitedPlaces) { roomQueue.wakeFirst() }
    }

    // MARK: Waiting tasks

    /// Waits until the reason may be gone, or the task is canceled.
    func wait(for reason: WaiterList.Reasons) async {
        let id = waiters.makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiters.add(continuation, for: reason, id: id) }
            }
        } onCancel: {
            Task { await self.cancelWait(id) }
        }
    }

    private func cancelWait(_ id: UInt64) { waiters.cancel(id) }

    /// Received input needs no answer of the app, or there may be room for more.
    func wakeReaders(_ reasons: WaiterList.Reasons) { waiters.resume(reasons) }

    /// Resumes the tasks whose wait may be over.
    func wakeWaiters() {
        if isClosed { roomQueue.wakeAll() } else { wakeFirstSender() }
        if waiters.isEmpty { return }
        var reasons: WaiterList.Reasons = [.inputRoom, .followingStanza]
        if !inbox.isEmpty || isClosed { reasons.insert(.stanza) }
        if record.core.unacknowledged.isEmpty || !record.core.isSending { reasons.insert(.acknowledgement) }
        waiters.resume(reasons)
    }

    /// Whether the session reads nothing more from the stream now.
    package var isInputHeldUp: Bool {
        guard let stream else { return false }
        // Only the answer to `<resume/>` can come then.
        if case .resuming = state { return false }
        // The stream ends when that is stored.
        if record.isBehind || (!record.core.isSending && record.holdsBack) { return true }
        // The session binds a resource first, whatever the app has left to handle.
        if state == .disabled(.unbound) { return false }
        // Waiting for room is waiting for an acknowledgement. It, or an awaited answer, may come after more stanzas. A
        // new stream replaces a missing acknowledgement; nothing replaces a missing answer.
        var factor = 1
        if !roomQueue.isEmpty { factor *= StreamManagementConfiguration.roomFactor }
        if delegate?.sessionAwaitsAnswer(self) == true { factor *= StreamManagementConfiguration.answerFactor }
        return !record.core.wantsInput(times: factor) || stream.isFull || inbox.isFull(configuration, times: factor)
    }

    // MARK: Streams

    /// The number of a stream that is about to begin, or of none: earlier calls begin no stream any more.
    func countStream() -> UInt64 {
        streamCount += 1
        return streamCount
    }

    /// Whether no other stream was counted since.
    func isLastCounted(_ id: UInt64) -> Bool { id == streamCount }

    /// Begins a stream. `keepsLimit`: the previous stream's limit for stanzas holds.
    func begin(
        _ id: UInt64, on transport: some StanzaTransport, features: StreamFeatures, keepsLimit: Bool
    ) -> ActiveStream {
        let stream = ActiveStream(id: id, transport: transport, features: features, clock: clock)
        self.stream = stream
        lastResumption = nil
        if !keepsLimit { record.setMaximumStanzaBytes(features.limits.bytes) }
        logger.debug("stream begins", metadata: ["stream": "\(id)"])
        return stream
    }

    var hasStream: Bool { stream != nil }

    func isCurrent(_ stream: ActiveStream) -> Bool { self.stream === stream }

    /// The connection of a stream is closed or cut.
    func isOver(_ stream: ActiveStream) {
        if isCurrent(stream) {
            self.stream = nil
            try? handle(.transportLost)
        }
        logger.debug("stream ended", metadata: ["stream": "\(stream.id)"])
    }

    /// Ends the current stream, and returns its transport, which the caller cuts.
    func endStream(because end: StreamEnd) -> (any StanzaTransport)? {
        defer { stream = nil }
        stream?.end(end)
        return stream?.transport
    }

    /// Waits until everything is written, at most until this uptime.
    func finishWriting(by end: Duration?) async { await stream?.finishWriting(by: end, for: self) }

    /// Ends a stream that cannot be written to, unless it has ended.
    func endWriting(on id: UInt64) {
        if let stream, stream.id == id, let error = stream.writeFailure { abandon(.lost(error)) }
    }

    /// Ends the stream now: nothing more is written. Returns `false` if it has ended before.
    @discardableResult
    func abandon(_ end: StreamEnd) -> Bool {
        guard stream?.cut(because: end) == true else { return false }
        wakeWaiters()
        return true
    }

    // MARK: Connecting

    /// Whether the running loop of connections is at a place that the server has named, or tries it.
    var isElsewhere: Bool { connecting?.isElsewhere ?? false }

    /// Begins a loop of connections. An earlier one makes no more connections.
    func beginConnecting(
        _ connector: some StreamConnector, tag: String?, policy: ReconnectionPolicy,
        prepare: @escaping @Sendable (StreamPreparation) async throws -> Void
    ) -> ConnectingLoop {
        stopConnecting(because: .superseded)
        connectingCount += 1
        let loop = ConnectingLoop(
            id: connectingCount, connector: connector, tag: tag, policy: policy, clock: clock, logger: logger,
            prepare: prepare)
        connecting = loop
        return loop
    }

    func endConnecting(_ loop: ConnectingLoop) {
        if connecting === loop { connecting = nil }
    }

    /// Ends the loop of connections: at once while it waits or connects, otherwise with its stream.
    func stopConnecting(because end: StreamEnd) {
        connecting?.stop(because: end)
        connecting = nil
    }

    /// Passes a change of the network to the loop.
    func noteNetworkChange() { connecting?.networkChanged(for: self) }

    /// Asks the server for a sign of life, and gives the stream up if none comes in time.
    func askForSignOfLife(within time: Duration) { stream?.askForSignOfLife(within: time, for: self) }

    /// The server has given the sign of life.
    func streamIsAlive() { connecting?.streamIsAlive() }

    /// Ends the running stream in favor of another connection, unless the stream has proved that it is alive.
    func replaceStream(by replacement: UInt64, loop id: UInt64) async throws {
        guard let connecting, connecting.id == id else { throw CancellationError() }
        try await connecting.replaceStream(by: replacement, for: self)
    }

    /// An attempt beside the running stream has failed.
    func replacementFailed(_ replacement: UInt64, loop id: UInt64) {
        if let connecting, connecting.id == id { connecting.replacementFailed(replacement) }
    }

    /// The elements for the authentication of a loop's attempt. An attempt that still runs must not continue a
    /// suspended session.
    func inlineElements(_ features: StreamFeatures, loop id: UInt64) async throws -> [Element] {
        guard let connecting, connecting.id == id else { throw CancellationError() }
        let elements = try await connecting.inlineElements(features, for: self)
        // The session may have ended for this loop while it was stored.
        guard self.connecting?.id == id else { throw CancellationError() }
        return elements
    }

    // MARK: Ending

    /// Stores the session so that it can be continued, and gives up the storage.
    func storeSuspended() async throws {
        let count = streamCount
        // A session that was closed in between gives it up itself, and one that runs again keeps it.
        defer { if !isClosed, isLastCounted(count) { record.giveUp(for: self) } }
        try await record.suspend(for: self)
    }

    /// The session is over, and is removed from the storage if that is possible.
    func endSession() async {
        if ending == nil {
            record.close()
            _ = countStream()
            stopConnecting(because: .closed)
            ending = Task {
                await record.remove(for: self)
                // Unless another owner has cut it.
                stream?.end(.closed)
                sent.finish()
                listeners.finish()
                wakeWaiters()
            }
        }
        await ending?.value
    }

    /// The connection of a closed session, until the connection is closed, too. Every call to close waits for it.
    var closingTransport: ClosingTransport? {
        stream.map { stream in
            ClosingTransport(transport: stream.transport, task: Task { await stream.close(for: self) })
        }
    }

    /// Waits for acknowledgements, at most for the given time.
    func drain(_ time: Duration) async {
        guard record.core.isSending else { return }
        try? handle(.requestAcknowledgement)
        let deadline = clock.uptime + time
        let alarm = Task { [weak self, clock] in
            try? await clock.sleep(until: deadline)
            await self?.endDrain()
        }
        if !record.core.unacknowledged.isEmpty, record.core.isSending {
            await withCheckedContinuation { waiters.add($0, for: .acknowledgement) }
        }
        alarm.cancel()
    }

    /// Ends the wait of ``close(waiting:)`` for acknowledgements.
    package func endDrain() { waiters.resume(.acknowledgement) }
}
