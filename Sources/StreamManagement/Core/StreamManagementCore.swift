// Stream management without I/O: events in, actions out. Start here.
//
// The rules of this core:
// - It knows no clock, socket, task or promise. The time comes with each event; timers are actions.
// - Every state answers every event: StreamManagement.docc/StatesAndEvents.md has the whole table, and a test
//   compares each of its cells with the code.
// - An event that is illegal locally is a StreamManagementError, and changes nothing. One that is illegal from the
//   other side is a stream error.
// - Actions are plain values, to be done in order. What has to be durable is stored before what depends on it is sent.
//
// Each kind of event has its file: Core+Enabling, +Sending, +Requesting, +Acknowledging, +Resuming, +Losing, +Ending.
// What runs the core is not known here: Session/StreamSession.swift is one that does, the simulator in the tests
// another.

import XMLTree

/// The state machine of one session at a time, on the client's side.
///
/// ```swift
/// var core = StreamManagementCore()
/// var actions: [StreamManagementCore.Action] = []
/// try core.handle(.enable(resumption: true, maximum: nil, address: nil), at: now, into: &actions)
/// for action in actions { perform(action) }
/// ```
///
/// One core serves an account for as long as a process runs: sessions and streams come and go. Handling an event takes
/// constant time, and time linear in the stanzas that it acknowledges, sends again or gives up.
public struct StreamManagementCore: ~Copyable {
    /// May be changed at any time; a change counts from the next event on.
    public var configuration: StreamManagementConfiguration

    public internal(set) var state: State = .disabled(.unbound)
    /// What the server gave with `<enabled/>`, as long as the session lives.
    public internal(set) var resumption: Resumption?
    /// Whether this stream began by resuming a session: then roster and presence need not be sent (rule R28).
    public internal(set) var didResume = false
    /// The address that was bound. It outlives a resumption, where nothing is bound.
    public internal(set) var address: String?

    var outgoing: OutgoingQueue
    var incoming = IncomingTracker()
    var requests = RequestState()
    var wait = WaitState()
    /// For each stanza the number of resets with it as the first large stanza in flight, since the last end of another
    /// kind. Several stanzas can take turns, as the application decides about them.
    var resets: [OutgoingNumber: Int] = [:]
    /// For how many stanzas the first waiting sender needs room; 0 if none waits.
    var awaitedPlaces = 0
    var answers: AnswerState
    var timers = TimerTable()
    var undecided: [UndecidedStanza] = []
    var nextNumber: UInt64 = 1
    /// What `nextNumber` was at first.
    let firstNumber: UInt64
    var recovery = Recovery.none
    /// Where the counters of a new session begin: elsewhere than at zero only where tests want to see them wrap.
    let firstCounter: StanzaCounter
    /// The size of the largest stanza that the server accepts, in bytes as sent; `nil` where it does not say
    /// (XEP-0478). Set it when a stream begins.
    public var maximumStanzaBytes: Int?
    /// Whether whoever runs the core lets no deadline pass while what is awaited may lie unread. Otherwise the core
    /// takes it to lie unread as long as it wants no input.
    var runnerHoldsDeadlines = false

    public init(configuration: StreamManagementConfiguration = StreamManagementConfiguration()) {
        self.init(configuration: configuration, firstCounter: .zero)
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

    /// A core that begins anew where another one has lost hold of what is stored. Numbers that the other one gave out
    /// mean nothing to it, and are not given out again.
    init(after other: borrowing StreamManagementCore) {
        configuration = other.configuration
        outgoing = OutgoingQueue()
        firstCounter = other.firstCounter
        runnerHoldsDeadlines = other.runnerHoldsDeadlines
        awaitedPlaces = other.awaitedPlaces
        nextNumber = other.nextNumber
        firstNumber = other.nextNumber
        answers = AnswerState(durable: firstCounter)
        outgoing.reset([], acknowledged: firstCounter)
        incoming = other.incoming
        incoming.begin(at: firstCounter)
    }

    /// Takes in one event, and appends what is to be done. An array that is used again costs no allocation.
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
        case .peerClosed: peerClosed(&step)
        case .transportLost: transportLost(&step)
        case .connectionReset: connectionReset(&step)
        case .deadline(let timer): deadline(timer, &step)
        }
    }

    /// Takes in one event, and returns what is to be done.
    public mutating func handle(_ event: Event, at now: Moment) throws(StreamManagementError) -> [Action] {
        var actions: [Action] = []
        try handle(event, at: now, into: &actions)
        return actions
    }
}

extension StreamManagementCore {
    /// What the other side may be told to have been handled.
    public var handledCounter: StanzaCounter { incoming.handled }

    /// What the other side has acknowledged last.
    public var acknowledgedCounter: StanzaCounter { outgoing.acknowledged }

    /// The stanzas that were sent in this session, or wait for being sent, in order.
    public var unacknowledged: some RandomAccessCollection<OutgoingStanza> { outgoing.stanzas }

    /// Those of them that wait for being sent.
    var waiting: some Collection<OutgoingStanza> { outgoing.stanzas.dropFirst(outgoing.sentCount) }

    /// The number that the next stanza to send will get.
    public var upcomingNumber: OutgoingNumber { OutgoingNumber(rawValue: nextNumber) }

    /// How many received stanzas have not been handled, or lie behind one that has not.
    public var unhandledCount: Int { incoming.unhandledCount }

    /// All received stanzas up to this one have been delivered.
    var deliveredThrough: IncomingNumber { IncomingNumber(rawValue: incoming.deliveredTotal) }

    /// All received stanzas up to this one have been handled, or belong to a session that is gone.
    var handledThrough: IncomingNumber { IncomingNumber(rawValue: incoming.handledTotal) }

    /// How often handling the first stanza that is not handled has failed, other than by ending a process.
    var failedAttempts: Int { recovery.storedAttempts ?? incoming.firstAttempts }

    /// The stanzas that the application was asked about and has not decided.
    public var undecidedStanzas: [OutgoingStanza] { undecided.map(\.stanza) }

    /// Whether another stanza can be given to be sent (D23). Those that the application has to decide about take room.
    public var hasRoom: Bool { hasRoom(for: 1) }

    /// Whether so many stanzas can be given to be sent, one after the other.
    package func hasRoom(for count: Int) -> Bool {
        hasPlaces(for: count)
            && undecided.reduce(outgoing.weight) { $0 + $1.stanza.weight } < configuration.maximumUnacknowledgedBytes
    }

    /// The same without the bound in bytes.
    func hasPlaces(for count: Int) -> Bool {
        outgoing.count + undecided.count + count <= configuration.maximumUnacknowledged
    }

    /// Whether more should be read from the stream: not while too much of it is unhandled. A `StreamSession` reads more
    /// than that while something is awaited (``StreamManagementConfiguration/maximumUnhandled``).
    public var wantsInput: Bool { wantsInput(times: 1) }

    /// The same with that many times as much.
    func wantsInput(times factor: Int) -> Bool {
        unhandledCount < configuration.maximumUnhandled.multiplied(by: factor)
            && incoming.unhandledWeight < configuration.maximumUnhandledBytes.multiplied(by: factor)
    }

    /// Whether stanzas are sent at once; otherwise they wait.
    var isSending: Bool {
        switch state {
        case .disabled(.bound), .disabled(.refused), .enabling, .enabled: true
        case .disabled(.unbound), .suspended, .resuming, .ended: false
        }
    }
}

/// The handling of one event: the time, and what is to be done.
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
    /// Arms a timer anew, if the time is on.
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

    /// Deadlines that come late, twice, or for a timer that was armed anew mean nothing.
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
