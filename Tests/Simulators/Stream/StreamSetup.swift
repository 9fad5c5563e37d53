// The circumstances of a simulation.

import StreamManagement
public import StreamReference
public import TestSupport

/// The circumstances of a run, drawn from its seed.
public struct StreamSetup: Equatable, Sendable {
    public var configuration: StreamManagementConfiguration
    /// Where counters begin: near the wrap, mostly.
    public var firstCounter: UInt32
    /// How long the server keeps sessions, in seconds, and whether it says so.
    public var maximum: Int
    public var announcesMaximum: Bool
    /// Whether the server remembers `h` of sessions that have ended.
    public var keepsTombstones: Bool
    /// Whether effects of handling and the handled count are stored together.
    public var isTransactional: Bool
    /// Whether handling some of the server's stanzas ends the process, each time (rule R40).
    public var hasPoison: Bool
    /// The size of the largest stanza that the server accepts, in bytes. It ends the stream at a larger one.
    public var largestStanza: Int?
    /// Whether the server then keeps the session.
    public var keepsSessionAtComplaint: Bool
    /// Whether the connection is reset before the client reads the complaint. Then the refused stanzas are larger.
    public var resetsAtComplaint: Bool
    /// What the server does instead of answering `<resume/>`, each time; `nil` if it answers.
    public var refusal: ResumptionRefusal?
    /// Whether the application greets each session.
    public var awaitsGreetings: Bool
    /// Whether events come while the disk writes.
    public var hasSlowDisk: Bool
    /// A mistake that is made on purpose, to see that it is found.
    public var fault: Fault?

    public init(
        configuration: StreamManagementConfiguration = StreamManagementConfiguration(), firstCounter: UInt32 = 0,
        maximum: Int = 60, announcesMaximum: Bool = true, keepsTombstones: Bool = true, isTransactional: Bool = false,
        hasPoison: Bool = false, largestStanza: Int? = nil, keepsSessionAtComplaint: Bool = false,
        resetsAtComplaint: Bool = false, refusal: ResumptionRefusal? = nil, awaitsGreetings: Bool = false,
        hasSlowDisk: Bool = false, fault: Fault? = nil
    ) {
        self.configuration = configuration
        self.firstCounter = firstCounter
        self.maximum = maximum
        self.announcesMaximum = announcesMaximum
        self.keepsTombstones = keepsTombstones
        self.isTransactional = isTransactional
        self.hasPoison = hasPoison
        self.largestStanza = largestStanza
        self.keepsSessionAtComplaint = keepsSessionAtComplaint
        self.resetsAtComplaint = resetsAtComplaint
        self.refusal = refusal
        self.awaitsGreetings = awaitsGreetings
        self.hasSlowDisk = hasSlowDisk
        self.fault = fault
    }

    /// Mistakes like those of real programs.
    public enum Fault: String, Sendable, CaseIterable {
        /// Stanzas are sent before they are stored.
        case sendsBeforeStoring
        /// A stanza is marked as handled before its effects are durable.
        case marksBeforeHandling
        /// Stanzas that wait are forgotten when the process ends.
        case forgetsStanzas
        /// The client sends a handled count before it stores the count.
        case tellsBeforeStoring
        /// The client sends a stanza whose sender has got the error of the full disk.
        case keepsRevoked
        /// The client performs actions when the write that they wait for begins, not when it ends.
        case releasesEarly
        /// The client sends what a transaction has not stored, because one of its entries failed.
        case sendsBeforeSettling
        /// The client reports again that a stanza is stored.
        case reportsCommitsTwice
        /// The client forgets the change of an event that the full disk cannot store.
        case forgetsUnstoredChanges
        /// The client begins a stream before it has stored the changes of earlier ones.
        case beginsUnstored
        /// Where the server acknowledges nothing, the client forgets stanzas before the transport takes them.
        case forgetsUnwritten
        /// A full queue makes no request due.
        case fullQueueAsksNothing
        /// A transaction waits for room as if it were a single stanza.
        case awaitsOnePlace
        /// A session is not resumed when its time seems to be over.
        case resumesOnlyInTime
        /// The client takes a restart for a complaint about a stanza.
        case blamesRestarts
        /// The client takes a complaint about a stanza for a restart.
        case blamesNothing
        /// The client takes a reset by the server for a lost connection.
        case ignoresResets
        /// The client writes the end tag before it removes the stored session.
        case closesBeforeRemoving
        /// The client does not store the losses of a session that can be resumed.
        case forgetsLosses
        /// The client sends suspects together.
        case sendsSuspectsTogether
        /// What waited goes before the greeting of a session.
        case greetsLate
        /// Messages to a room go before the room was joined.
        case holdsNoRooms
        /// Stanzas that are held are forgotten when the process ends.
        case forgetsHeld
        /// The client does not link an error to the stanza that it answers.
        case forgetsBounces
        /// The client tries without end to resume a session that the server does not answer about.
        case resumesForEver
        /// The client does not store that the server did not answer.
        case forgetsUnanswered
        /// The client does not answer a request that the parser rejected.
        case forgetsRefusals
        /// The client ignores an answer that the parser rejected.
        case forgetsAnswers
        /// A fault of namespaces ends the stream, as XML does that is not well-formed.
        case endsAtNamespaceFaults
        /// The server delivers received presences, and does not count them.
        case serverMiscounts
        /// The server replays one stanza too few.
        case serverReplaysTooLittle
    }
}

extension StreamSetup.Fault {
    /// Whether it is not about storing: on a fast disk it shows in fewer steps.
    fileprivate var needsFastDisk: Bool {
        switch self {
        case .sendsBeforeStoring, .keepsRevoked, .releasesEarly, .sendsBeforeSettling, .forgetsUnstoredChanges,
            .beginsUnstored:
            false
        default: true
        }
    }
}

extension StreamSetup {
    /// The circumstances of the server.
    var server: ServerSetup {
        var server = ServerSetup()
        server.firstCounter = firstCounter
        server.maximum = maximum
        server.announcesMaximum = announcesMaximum
        server.keepsTombstones = keepsTombstones
        server.largestStanza = largestStanza
        server.keepsSessionAtComplaint = keepsSessionAtComplaint
        server.resetsAtComplaint = resetsAtComplaint
        server.refusal = refusal
        server.miscountsPresences = fault == .serverMiscounts
        server.replaysTooLittle = fault == .serverReplaysTooLittle
        return server
    }

    /// Whether handling the server's stanza of that number ends the process.
    func isPoison(_ id: String) -> Bool {
        guard hasPoison, id.hasPrefix("s"), let number = Int(id.dropFirst()) else { return false }
        return number % 25 == 0
    }

    /// Whether the server refuses the client's stanza with this id as too large.
    func isTooLarge(_ id: String) -> Bool {
        guard largestStanza != nil, id.hasPrefix("c"), let number = Int(id.dropFirst()) else { return false }
        return number % 29 == 3
    }

    /// A body so large that the server refuses it, although it accepts all other stanzas with their added delays.
    var tooLargeBody: String {
        String(repeating: "x", count: resetsAtComplaint ? Self.acceptedEverywhere : largestStanza ?? 0)
    }

    /// Every server accepts stanzas of this many bytes (RFC 6120 §13.12), so that no reset blames one.
    private static let acceptedEverywhere = 10_000

    public init(drawnFrom random: inout SeededGenerator, fault: Fault? = nil) {
        var configuration = StreamManagementConfiguration()
        configuration.acknowledgementRequests = .init(
            count: random.pick([0, 1, 2, 5]), interval: random.pick([.zero, .milliseconds(500), .seconds(2)]))
        configuration.acknowledgements = .init(
            count: random.pick([0, 1, 3]), interval: random.pick([.zero, .milliseconds(300), .seconds(3)]))
        configuration.answerDelay = random.pick([.zero, .zero, .milliseconds(200)])
        configuration.acknowledgementTimeout = random.pick([.zero, .seconds(5), .seconds(30)])
        configuration.failurePolicy = random.pick([.resendAll, .resendMessages, .resendNone, .ask])
        configuration.maximumUnacknowledged = random.pick([3, 20, 1000])
        configuration.maximumUnhandled = random.pick([2, 10, 1000])
        let hasPoison = random.pick([true, false, false])
        // Where nothing is poison, nothing is ever given up, however often the process is killed.
        configuration.maximumHandlingAttempts = hasPoison ? 5 : .max
        configuration.disconnectRefreshInterval = random.pick([.seconds(1), .seconds(10), .zero])
        configuration.negotiationTimeout = random.pick([.seconds(5), .seconds(6)])
        // Servers restart more often than this, and the client gives up no stanza for it.
        configuration.maximumLosses = random.pick([1, 2, 4])
        // A process that ends at one of the server's stanzas reads no complaint after it, and the session is lost.
        let largestStanza = hasPoison ? nil : random.pick([nil, 600, 600])
        self.init(
            configuration: configuration,
            firstCounter: UInt32.max &- UInt32.random(in: 0...40, using: &random) &+ random.pick([0, 0, 0, 1000]),
            maximum: random.pick([5, 60, 600]), announcesMaximum: random.pick([true, true, false]),
            keepsTombstones: random.pick([true, false]), isTransactional: random.pick([true, false]),
            hasPoison: hasPoison, largestStanza: largestStanza, keepsSessionAtComplaint: random.pick([true, false]),
            resetsAtComplaint: random.pick([true, true, false]),
            // Attempts count within a session: a stanza that ends each process is not given up where none is resumed.
            refusal: random.chance(15) && !hasPoison ? random.pick([.closes, .resets, .isSilent, .fails]) : nil,
            // A session commits everything before it handles a stanza that may end the process.
            awaitsGreetings: random.chance(50),
            hasSlowDisk: random.chance(50) && !hasPoison && fault?.needsFastDisk != true, fault: fault)
    }
}
