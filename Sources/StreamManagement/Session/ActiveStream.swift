// One stream of a session: negotiation, reading, writing, and the signs that it is alive. Its end.

import XMLTree
import XMPPCore

/// A running stream. Belongs to the session, to which it passes everything that it receives.
///
/// It has ended as soon as it is not the session's current stream.
final class ActiveStream {
    typealias Timer = StreamManagementCore.Timer

    let id: UInt64
    let transport: any StanzaTransport
    private let features: StreamFeatures
    private let clock: any MachineClock
    /// The bytes to write. `numbers` holds the stanzas among them.
    private var outbox: [UInt8] = []
    private var numbers: [OutgoingNumber] = []
    /// Writes the outbox, until it is empty.
    private var writer: Task<Void, Never>?
    /// Why nothing more can be written.
    private(set) var writeFailure: (any Error)?
    /// Closes the transport, once that has begun.
    private var closing: Task<Void, Never>?
    /// Why it ended, once it has.
    private(set) var end: StreamEnd?
    /// Reading has paused since the session began to wait for an answer, which may be unread.
    private var hasPausedReading = false
    /// The session waits for an element, and has read everything that came.
    private var isReceiving = false
    /// The number of received elements.
    private var receivedCount: UInt64 = 0
    /// The traffic at the time when each timer was last armed.
    private var marks: [Timer: ByteCounts] = [:]
    /// How often each timer was armed again because bytes had moved.
    private var extensions: [Timer: Int] = [:]
    /// The identifier of an unanswered ping.
    private var ping: String?
    /// Ends a stream that gives no sign of life after a change of the network.
    private var lifeAlarm: Task<Void, Never>?
    /// `<enable/>` was part of the authentication: the session does not send the next one.
    private var hasEnabledInline = false

    init(id: UInt64, transport: any StanzaTransport, features: StreamFeatures, clock: any MachineClock) {
        self.id = id
        self.transport = transport
        self.features = features
        self.clock = clock
    }

    /// Negotiates, and reads until the stream ends.
    ///
    /// - Parameters:
    ///   - resuming: Whether to resume the session if possible.
    ///   - inline: The result of resuming and enabling within the authentication.
    ///   - interval: How long the server may be silent before it is asked for a sign of life; zero for never.
    ///   - session: The session.
    func run(
        resuming: Bool, inline: InlineNegotiation.Result?, probingEvery interval: Duration,
        for session: isolated StreamSession
    ) async throws {
        let probing = probing(every: interval, for: session)
        defer {
            probing?.cancel()
            lifeAlarm?.cancel()
        }
        if let inline {
            try await negotiate(inline, resuming: resuming, for: session)
        } else {
            try await negotiate(resuming: resuming, for: session)
        }
        try await read(for: session)
    }

    // MARK: The end

    /// The first reason counts.
    func end(_ reason: StreamEnd) {
        if end == nil { end = reason }
    }

    /// Ends the stream and cuts the connection: nothing more is written. Returns `false` if it has ended before.
    func cut(because reason: StreamEnd) -> Bool {
        if end != nil { return false }
        end = reason
        Task { [transport] in await transport.abort() }
        return true
    }

    /// Closes the transport after the outbox is written. The first call closes; all calls wait for that.
    func close(for session: isolated StreamSession) async {
        if closing == nil {
            closing = Task {
                // The end tag would end the session of the new owner.
                if case .takenOver? = end { return await transport.abort() }
                await finishWriting(for: session)
                await transport.close()
            }
        }
        await closing?.value
    }

    // MARK: Negotiation

    private func negotiate(resuming: Bool, for session: isolated StreamSession) async throws {
        // A server that does not know `<resume/>` ends the stream with an error, so ask only where it is offered.
        if resuming, features.supportsStreamManagement, session.canResume {
            try session.handle(.resume)
        } else {
            try await bind(for: session)
        }
    }

    private func negotiate(
        _ inline: InlineNegotiation.Result, resuming: Bool, for session: isolated StreamSession
    ) async throws {
        if let resumption = inline.resumption {
            try session.handle(.received(resumption))
        } else if case .resuming = session.state {
            // The server did not answer `<resume/>`: it resumed nothing, and the session stays as it is.
            try session.handle(.transportLost)
        }
        if inline.isResumed { return }
        guard inline.bound != nil else {
            if inline.resumption == nil { return try await negotiate(resuming: resuming, for: session) }
            return try await bind(for: session)
        }
        // A server that binds inline need not enable inline.
        guard let enabling = inline.enabling else { return try enable(boundTo: inline.address, for: session) }
        hasEnabledInline = true
        try session.handle(.enable(resumption: true, maximum: nil, address: inline.address))
        session.report(.bound(address: inline.address))
        try session.handle(.received(enabling))
    }

    private func bind(for session: isolated StreamSession) async throws {
        let address = try await transport.bind()
        // The session may be closed by now.
        if end == nil, session.state != .ended { try enable(boundTo: address, for: session) }
    }

    private func enable(boundTo address: String?, for session: isolated StreamSession) throws {
        let configuration = session.configuration
        if features.supportsStreamManagement, configuration.enablesAutomatically {
            try session.handle(
                .enable(
                    resumption: configuration.requestsResumption, maximum: configuration.requestedResumptionTime,
                    address: address))
        } else {
            try session.handle(.bound(address: address))
        }
        session.report(.bound(address: address))
        if !features.supportsStreamManagement { session.report(.notOffered) }
    }

    // MARK: Reading

    private func read(for session: isolated StreamSession) async throws {
        while end == nil {
            while end == nil, session.isInputHeldUp {
                if let writeFailure {
                    session.abandon(.lost(writeFailure))
                    return
                }
                hasPausedReading = true
                await session.wait(for: .inputRoom)
                // Without this, the loop of a canceled task would spin and let no other task make room.
                if Task.isCancelled { end(.lost(CancellationError())) }
            }
            // The server has not resumed the session.
            if end == nil, session.state == .disabled(.unbound) { try await bind(for: session) }
            if end != nil { return }
            let element: Element?
            do {
                isReceiving = true
                defer { isReceiving = false }
                element = try await transport.receive()
            } catch let stanza as RejectedStanza {
                if end != nil { return }
                receivedCount &+= 1
                try session.handle(.rejected(stanza))
                continue
            }
            if end != nil { return }
            guard let element else {
                end = .closedByPeer
                try session.handle(.peerClosed)
                return
            }
            receivedCount &+= 1
            if lifeAlarm != nil { noteSignOfLife(element, for: session) }
            if isAnswerToPing(element, for: session) {
                session.wakeReaders(.followingStanza)
            } else if isComplaintElsewhere(element, for: session) {
                session.abandon(.abandoned(.streamError(element)))
                try session.handle(.transportLost)
            } else {
                try session.handle(.received(element))
            }
        }
    }

    /// Whether a place that the server has named ends the stream instead of resuming the session. The ordinary place
    /// may still resume it.
    private func isComplaintElsewhere(_ element: Element, for session: isolated StreamSession) -> Bool {
        guard session.isElsewhere, case .resuming = session.state else { return false }
        return ElementKind(element) == .streamError
    }

    /// Whether the next element has come.
    var hasInput: Bool { end == nil && transport.hasInput }

    // MARK: Writing

    /// The number of bytes in the outbox at which senders and readers wait.
    private static let outboxLimit = 1 << 18

    var isFull: Bool { outbox.count >= Self.outboxLimit }

    /// The transport's traffic, with the outbox among the waiting bytes; `nil` if the transport does not count.
    private var traffic: ByteCounts? {
        guard var traffic = transport.traffic else { return nil }
        traffic.waiting += outbox.count
        return traffic
    }

    func append(_ element: Element, number: OutgoingNumber? = nil) {
        guard end == nil, writeFailure == nil else { return }
        element.write(to: &outbox, in: .clientStream)
        if let number { numbers.append(number) }
    }

    func append(_ nonza: Nonza) {
        if case .enable = nonza, hasEnabledInline {
            hasEnabledInline = false
            return
        }
        if end == nil, writeFailure == nil { nonza.write(to: &outbox) }
    }

    /// Writes the outbox, unless a writer runs.
    func startWriter(for session: isolated StreamSession) {
        guard writer == nil, !outbox.isEmpty, writeFailure == nil else { return }
        writer = Task { await write(for: session) }
    }

    private func write(for session: isolated StreamSession) async {
        while !outbox.isEmpty, writeFailure == nil {
            let (bytes, written) = (outbox, numbers)
            outbox = []
            numbers = []
            // The outbox has room again. The server can answer before it has read a large stanza, with a stream error.
            session.wakeReaders(.inputRoom)
            do {
                try await transport.send(bytes)
            } catch {
                writingFailed(error, for: session)
                break
            }
            session.wereWritten(written, on: self)
        }
        writer = nil
    }

    /// Waits until everything is written. Cuts a connection that accepts nothing for too long, at `end` at the latest.
    func finishWriting(by end: Duration? = nil, for session: isolated StreamSession) async {
        guard let writer else { return }
        let time = session.configuration.closingTimeout
        var alarm: Task<Void, Never>?
        let deadlines = [time > .zero ? clock.uptime + time : nil, end].compactMap(\.self)
        if let deadline = deadlines.min() {
            alarm = Task { [clock, transport] in
                do { try await clock.sleep(until: deadline) } catch { return }
                await transport.abort()
            }
        }
        await writer.value
        alarm?.cancel()
    }

    /// Lets the reader end a stream that cannot be written to. The server may have sent a reason before it cut the
    /// connection. The reader takes everything that arrived, and ends the stream. It does so at once if received
    /// stanzas leave no room for more.
    private func writingFailed(_ error: any Error, for session: isolated StreamSession) {
        writeFailure = error
        // The outbox holds up neither senders nor the reader.
        outbox = []
        numbers = []
        session.wakeWaiters()
        let time = session.configuration.closingTimeout
        let limit = time > .zero ? time : StreamManagementConfiguration.usualClosingTimeout
        Task { [weak session, clock, id] in
            try? await clock.sleep(until: clock.uptime + limit)
            await session?.endWriting(on: id)
        }
    }

    // MARK: Timers

    /// The session waits for an answer.
    func timerIsArmed(_ timer: Timer) {
        extensions[timer] = nil
        marks[timer] = traffic
    }

    /// How much longer to wait for an answer that may be on its way, or may have come during a pause in reading; `nil`
    /// if the answer is missing. The core does not check this again (`acknowledgementIsMissing` in
    /// Core+Requesting.swift). It does not know how much more than `maximumUnhandled` the session reads.
    func extend(_ timer: Timer, for session: isolated StreamSession) -> Duration? {
        let time: Duration
        switch timer {
        case .missingAcknowledgement: time = session.configuration.acknowledgementTimeout
        case .negotiation: time = session.configuration.negotiationTimeout
        case .request, .repetition, .acknowledgement, .answer, .refresh: return nil
        }
        if session.holdsBackQuestion { return max(time, .seconds(1)) }
        let extensions = extensions[timer, default: 0]
        if extensions + 1 < StreamManagementConfiguration.slowLineFactor, isMoving(timer, session.state) {
            self.extensions[timer] = extensions + 1
        } else {
            guard hasPausedReading else { return nil }
            // Without room to send, the session would read nothing more either. The next stream begins with an
            // acknowledgement.
            if timer == .missingAcknowledgement, session.isSendingHeldUp { return nil }
            hasPausedReading = !isReceiving
        }
        marks[timer] = traffic
        // The app may have turned the timeout off since.
        return max(time, .seconds(1))
    }

    /// Whether bytes move, so that the line is only slow. False during a resumption: its elements are short, and
    /// nothing comes or goes before them.
    private func isMoving(_ timer: Timer, _ state: StreamManagementCore.State) -> Bool {
        if case .resuming = state { return false }
        guard let mark = marks[timer], let traffic else { return false }
        return traffic.hasMoved(since: mark)
    }

    // MARK: Signs of life

    /// Asks the server for a sign of life whenever nothing has come for an interval.
    ///
    /// An `<r/>` is a request of the core, which gives the stream up if no `<a/>` comes in time (D48). This waits only
    /// for the answer to a ping. It gives up if nothing comes within
    /// ``StreamManagementConfiguration/acknowledgementTimeout``, if that is on, and no bytes move (``ByteCounts``).
    private func probing(every interval: Duration, for session: isolated StreamSession) -> Task<Void, Never>? {
        guard interval > .zero else { return nil }
        return Task {
            while true {
                let seen = progress
                do { try await clock.sleep(until: clock.uptime + interval) } catch { return }
                guard seen == progress, asksByPing(for: session) else { continue }
                let timeout = session.configuration.acknowledgementTimeout
                while timeout > .zero, seen == progress {
                    let mark = traffic ?? ByteCounts()
                    do { try await clock.sleep(until: clock.uptime + timeout) } catch { return }
                    // If the session has paused reading, the answer may have come, unread.
                    guard seen == progress, isReceiving, end == nil, session.isOnline else { break }
                    // Moving bytes may precede the request or its answer.
                    if traffic?.hasMoved(since: mark) == true { continue }
                    session.abandon(.abandoned(.acknowledgementMissing))
                    break
                }
            }
        }
    }

    /// Asks the server for a sign of life after a change of the network. Without one in this time, the stream ends,
    /// unless bytes arrive: they may precede the answer.
    func askForSignOfLife(within time: Duration, for session: isolated StreamSession) {
        lifeAlarm?.cancel()
        lifeAlarm = Task {
            _ = asksByPing(for: session, always: true)
            while true {
                let mark = traffic?.received
                do { try await clock.sleep(until: clock.uptime + max(time, .milliseconds(1))) } catch { return }
                // If the session has paused reading, the answer may have come, unread.
                if mark == traffic?.received, isReceiving { break }
            }
            if end == nil { session.abandon(.abandoned(.acknowledgementMissing)) }
        }
    }

    /// Whatever else arrives may have waited in a buffer on this side since the network changed.
    private func noteSignOfLife(_ element: Element, for session: isolated StreamSession) {
        switch session.state {
        case .enabled: guard ElementKind(element) == .acknowledgement else { return }
        case .disabled(.bound), .disabled(.refused):
            guard let ping, Ping.isAnswer(element, to: ping) else { return }
        // The stream begins, and has only just connected.
        case .disabled(.unbound), .enabling, .suspended, .resuming, .ended: break
        }
        lifeAlarm?.cancel()
        lifeAlarm = nil
        session.streamIsAlive()
    }

    /// The numbers of received elements and, where the transport counts them, of received bytes.
    private var progress: (UInt64, UInt64) { (receivedCount, traffic?.received ?? 0) }

    /// Asks by an `<r/>`, which neither side counts, or, where no stanzas are counted, by a ping (XEP-0199). Returns
    /// whether it has sent a ping.
    ///
    /// - Parameter always: Whether to send a ping also without stream management, where the transport asks.
    private func asksByPing(for session: isolated StreamSession, always: Bool = false) -> Bool {
        switch session.state {
        case .enabled:
            try? session.handle(.signOfLifeIsDue)
            return false
        case .disabled(.bound), .disabled(.refused):
            if always, ping != nil { return true }
            guard features.supportsStreamManagement || always else { return false }
            let ping = Ping.make()
            self.ping = ping["id"]
            append(ping)
            startWriter(for: session)
            return true
        case .disabled(.unbound), .enabling, .suspended, .resuming, .ended: return false
        }
    }

    /// Whether an element answers the ping. The session delivers no such answer. If stream management has been enabled
    /// since, the answer counts, and is delivered.
    private func isAnswerToPing(_ element: Element, for session: isolated StreamSession) -> Bool {
        guard let ping, case .disabled = session.state, Ping.isAnswer(element, to: ping) else { return false }
        self.ping = nil
        return true
    }
}
