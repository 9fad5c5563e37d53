// Stream management without I/O: events in, actions out. Start here.
//
// The rules of this core:
// - It knows no clock, socket, task or promise. The time comes with each event; timers are actions.
// - Every state answers every event: StreamManagement.docc/StatesAndEvents.md has the whole table, and a test
//   compares each of its cells with the code.
// - An event that is illegal locally is a StreamManagementError, and changes nothing. One that is illegal from the
//   other side is a stream error.
// - Actions are plain values, performed in order. Data that must be durable is stored before an action depends on it.
// - A stanza whose change could not be stored is taken back before it is sent (`revoke`, D51).
//
// Each kind of event has its file: Core+Enabling, +Sending, +Requesting, +Acknowledging, +Resuming, +Losing, +Ending.
// The core does not know its runner: Session/StreamSession.swift is one, the simulator in the tests another.

public import XMLTree
import XMPPCore

/// The state machine of one session at a time, on the client's side.
///
/// ```swift
/// var core = StreamManagementCore()
/// var actions: [StreamManagementCore.Action] = []
/// try core.handle(.enable(resumption: true, maximum: nil, address: nil), at: now, into: &actions)
/// for action in actions { perform(action) }
/// ```
///
/// One core serves an account as long as a process runs: sessions and streams come and go. An event costs constant
/// time, plus linear time in the stanzas that it acknowledges, sends again or gives up.
public struct StreamManagementCore {
    /// The settings. You can change them at any time; a change takes effect with the next event.
    public var configuration: StreamManagementConfiguration

    public internal(set) var state: State = .disabled(.unbound)
    /// The server's data for resuming, from `<enabled/>`, as long as the session lives.
    public internal(set) var resumption: Resumption?
    /// Whether this stream began by resuming a session. If so, you need not request the roster or send presence
    /// again (rule R28).
    public internal(set) var didResume = false
    /// The bound address. It outlives a resumption, which binds nothing.
    public internal(set) var address: String?

    var outgoing: OutgoingQueue
    /// The last stanzas that have left the queue, for errors that answer them.
    var acknowledged = AcknowledgedStanzas()
    var incoming = IncomingTracker()
    var requests = RequestState()
    var wait = WaitState()
    /// For each stanza, the number of resets with it as the first large stanza in flight, since the last end of another
    /// kind. Several stanzas can take turns when the application decides about them.
    var resets: [OutgoingNumber: Int] = [:]
    /// The number of stanzas that the first waiting sender needs room for; 0 if none waits.
    var awaitedPlaces = 0
    var answers: AnswerState
    var timers = TimerTable()
    var undecided: [UndecidedStanza] = []
    var nextNumber: UInt64 = 1
    /// The first value of `nextNumber`.
    let firstNumber: UInt64
    var recovery = Recovery.none
    /// The number of attempts in a row to resume the session that the server has not answered (rule R32).
    var unansweredResumptions = 0
    /// Where the counters of a new session begin: zero, except in tests of wrapping.
    let firstCounter: StanzaCounter
    /// The server's limit for a stanza, in bytes as sent; `nil` if the server announced none (XEP-0478). Set it when a
    /// stream begins.
    public var maximumStanzaBytes: Int?
    /// Whether the application greets each new session: what waited goes after the greeting (rule R30). Set it before a
    /// session begins.
    public var awaitsGreetings = false {
        didSet { if state == .disabled(.unbound) { isGreeted = !awaitsGreetings } }
    }
    /// The kinds of stanzas that a new session holds until they are released: messages to rooms, by default.
    public var isHeld: @Sendable (Element) -> Bool = \.isGroupchat
    /// Whether the application has greeted the session, or need not. Without a session, the next one needs it.
    package internal(set) var isGreeted = true
    /// The rooms that were joined before the greeting was done, of those that held stanzas are for.
    var joinedRooms: Set<LenientAddress> = []
    /// Whether the runner lets no deadline pass while an awaited element may be unread. If `false`, the core assumes
    /// unread input as long as it wants no input.
    var runnerHoldsDeadlines = false

    public init(configuration: StreamManagementConfiguration = StreamManagementConfiguration()) {
        self.init(configuration: configuration, firstCounter: configuration.firstCounter)
    }

    package init(
        configuration: StreamManagementConfiguration, firstCounter: StanzaCounter, lossesOfSuspect: Int = 1
    ) {
        self.configuration = configuration
        outgoing = OutgoingQueue(lossesOfSuspect: lossesOfSuspect)
        self.firstCounter = firstCounter
        firstNumber = nextNumber
        answers = AnswerState(durable: firstCounter)
        outgoing.reset([], acknowledged: firstCounter)
        incoming.begin(at: firstCounter)
    }

    /// Creates a core for a new session, after another core has lost its stored session. It does not know the other
    /// core's numbers, and does not reuse them.
    init(after other: StreamManagementCore) {
        configuration = other.configuration
        outgoing = OutgoingQueue()
        firstCounter = other.firstCounter
        runnerHoldsDeadlines = other.runnerHoldsDeadlines
        awaitsGreetings = other.awaitsGreetings
        isGreeted = !awaitsGreetings
        isHeld = other.isHeld
        awaitedPlaces = other.awaitedPlaces
        nextNumber = other.nextNumber
        firstNumber = other.nextNumber
        answers = AnswerState(durable: firstCounter)
        outgoing.reset([], acknowledged: firstCounter)
        acknowledged = other.acknowledged
        incoming = other.incoming
        incoming.begin(at: firstCounter)
    }

    /// Handles one event, and appends its actions. Reusing the array saves allocations.
    public mutating func handle(_ event: Event, at now: Moment, into actions: inout [Action])
        throws(StreamManagementError)
    {
        var step = Step(now: now)
        swap(&step.actions, &actions)
        defer { swap(&step.actions, &actions) }
        switch event {
        case .restore(let session): try restore(session, &step)
        case .bound(let address): try bind(address, &step)
        case .enable(let resumption, let maximum, let address): try enable(resumption, maximum, address, &step)
        case .resume: try resume(&step)
        case .send(let element, let id): try send(element, id, &step)
        case .greet(let element, let id): try greet(element, id, &step)
        case .greeted: greeted(&step)
        case .release(let numbers): release(numbers, &step)
        case .identify(let number, let id): try identify(number, id, &step)
        case .withdraw(let number): try withdraw(number, &step)
        case .requestAcknowledgement: try requestByHand(&step)
        case .awaitRoom(let places): awaitRoom(places, &step)
        case .sendAcknowledgement: try acknowledgeByHand(&step)
        case .markHandled(let number): try markHandled(number, &step)
        case .handlingFailed(let stanza): try handlingFailed(stanza, &step)
        case .decide(let numbers): try decide(numbers, &step)
        case .close: close(&step)
        case .received(let element): receive(element, &step)
        case .rejected(let stanza): receiveRejected(stanza, &step)
        case .written(let number): written(through: number, &step)
        case .signOfLifeIsDue: requestSignOfLife(&step)
        case .peerClosed: peerClosed(&step)
        case .transportLost: transportLost(&step)
        case .connectionReset: connectionReset(&step)
        case .deadline(let timer): deadline(timer, &step)
        }
    }

    /// Handles one event, and returns its actions.
    public mutating func handle(_ event: Event, at now: Moment) throws(StreamManagementError) -> [Action] {
        var actions: [Action] = []
        try handle(event, at: now, into: &actions)
        return actions
    }
}

extension StreamManagementCore {
    /// The handled count that the core may send to the server.
    public var handledCounter: StanzaCounter { incoming.handled }

    /// The server's last handled count.
    package var acknowledgedCounter: StanzaCounter { outgoing.acknowledged }

    /// The stanzas that were sent in this session, or wait to be sent, in order.
    public var unacknowledged: some RandomAccessCollection<OutgoingStanza> { outgoing.stanzas }

    /// The unacknowledged stanzas that wait to be sent.
    var waiting: [OutgoingStanza] { outgoing.waiting + Array(outgoing.held) }

    /// The number of the next stanza to send.
    package var upcomingNumber: OutgoingNumber { OutgoingNumber(rawValue: nextNumber) }

    /// The number of received stanzas that are not handled, or that follow an unhandled one.
    public var unhandledCount: Int { incoming.unhandledCount }

    /// The last delivered stanza: all earlier ones are delivered, too.
    var deliveredThrough: IncomingNumber { IncomingNumber(rawValue: incoming.deliveredTotal) }

    /// The last handled stanza: all earlier ones are handled, too, or belong to a session that is gone.
    var handledThrough: IncomingNumber { IncomingNumber(rawValue: incoming.handledTotal) }

    /// How often handling the first unhandled stanza failed, other than by ending a process.
    var failedAttempts: Int { recovery.storedAttempts ?? incoming.firstAttempts }

    /// The stanzas that the application has yet to decide about.
    package var undecidedStanzas: [OutgoingStanza] { undecided.map(\.stanza) }

    /// Whether the application can pass another stanza to be sent (D23). Undecided stanzas take room, too.
    public var hasRoom: Bool { hasRoom(for: 1) }

    /// Whether the application can pass this many stanzas, one after the other.
    package func hasRoom(for count: Int) -> Bool {
        hasPlaces(for: count)
            && undecided.reduce(outgoing.weight) { $0 + $1.stanza.weight } < configuration.maximumUnacknowledgedBytes
    }

    /// Like `hasRoom(for:)`, without the bound in bytes.
    func hasPlaces(for count: Int) -> Bool {
        outgoing.count + outgoing.held.count + undecided.count + count <= configuration.maximumUnacknowledged
    }

    /// Whether to read more from the stream: not while too many stanzas are unhandled. A `StreamSession` reads more
    /// than that while the app or a sender waits (``StreamManagementConfiguration/maximumUnhandled``).
    public var wantsInput: Bool { wantsInput(times: 1) }

    /// Like `wantsInput`, with this many times the bounds.
    func wantsInput(times factor: Int) -> Bool {
        unhandledCount < configuration.maximumUnhandled.multiplied(by: factor)
            && incoming.unhandledWeight < configuration.maximumUnhandledBytes.multiplied(by: factor)
    }

    /// Whether new stanzas are sent at once; otherwise they wait.
    var isSending: Bool {
        switch state {
        case .disabled(.bound), .disabled(.refused), .enabling, .enabled: true
        case .disabled(.unbound), .suspended, .resuming, .ended: false
        }
    }
}

/// The handling of one event: its time and its actions.
struct Step {
    typealias Action = StreamManagementCore.Action

    let now: Moment
    var actions: [Action] = []

    init(now: Moment) {
        self.now = now
    }

    mutating func emit(_ action: Action) { actions.append(action) }

    mutating func store(_ change: StorageChange, _ urgency: StorageUrgency = .immediate) {
        actions.append(.store(change, urgency))
    }

    mutating func notify(_ notification: StreamManagementCore.Notification) { actions.append(.notify(notification)) }

    mutating func report(
        _ stanza: OutgoingStanza, _ state: StanzaState, _ prospect: StanzaReport.Prospect = .final,
        because reason: StreamManagementCore.DeadLetterReason? = nil
    ) {
        actions.append(
            .report(
                StanzaReport(
                    number: stanza.number, id: stanza.id, state: state, prospect: prospect, deadLetterReason: reason)))
    }
}

extension StreamManagementCore {
    /// Restarts a timer, unless its interval is off.
    mutating func arm(_ timer: Timer, after interval: Duration, _ step: inout Step) {
        guard interval > .zero else { return }
        let deadline = step.now.uptime + interval
        timers[timer] = deadline
        step.emit(.arm(timer, at: deadline))
    }

    mutating func cancel(_ timer: Timer, _ step: inout Step) {
        guard timers[timer] != nil else { return }
        timers[timer] = nil
        step.emit(.cancel(timer))
    }

    mutating func cancelAllTimers(_ step: inout Step) {
        for timer in Timer.allCases { cancel(timer, &step) }
    }

    /// Handles a deadline. Ignores one that comes early, twice, or for a timer that was restarted.
    mutating func deadline(_ timer: Timer, _ step: inout Step) {
        guard let deadline = timers[timer], step.now.uptime >= deadline else { return }
        timers[timer] = nil
        switch timer {
        case .request: requestIsDue(&step)
        case .repetition: repetitionIsDue(&step)
        case .acknowledgement, .answer: acknowledge(&step)
        case .missingAcknowledgement: acknowledgementIsMissing(&step)
        case .negotiation: negotiationTimedOut(&step)
        case .refresh: refresh(&step)
        }
    }
}
