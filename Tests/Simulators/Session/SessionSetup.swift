// The setup of a simulation.

import SessionCore
public import TestSupport

/// The circumstances of a run, drawn from its seed.
public struct SessionSetup: Hashable, Sendable {
    /// How many processes share the database.
    var processes: Int
    /// Whether the server counts stanzas and resumes sessions.
    var resumes: Bool
    var batchCount: Int
    var batchSize: Int
    /// The largest number of unhandled stanzas that a process takes.
    var maximumUnhandled: Int
    /// The number of outgoing stanzas that a process keeps until the server has received them.
    var roomCount: Int
    /// The kinds of some of the server's stanzas.
    var kinds: [StanzaKind]
    /// Whether every handler returns unless its stanza prevents it, and no change is interrupted.
    var isSteady: Bool
    var setsClocks: Bool
    /// Whether a process sees that another one has ended. Those of other containers do not.
    var seesEnds: Bool
    /// A planted mistake, which the simulation has to find.
    public var fault: Fault?

    /// Mistakes like those of real programs.
    public enum Fault: String, Sendable, CaseIterable {
        /// The process commits stanzas that the queue has no room for.
        case ignoresRoom
        /// A canceled transaction of the application waits for room.
        case waitsAfterCancellation
        /// The other entries of a commit stop waiting for room when one of its transactions is canceled.
        case losesPlaces
        /// The process acknowledges stanzas when their commit begins.
        case acknowledgesBeforeCommit
        /// The process sends stanzas when their commit begins.
        case sendsBeforeCommit
        /// The process never sends committed stanzas, not even on the next connection.
        case forgetsToSend
        /// The database ends a request even if its row is gone.
        case endsUnconditionally
        /// The database ends a request in its own transaction, before the changes of its handler.
        case endsInAnotherTransaction
        /// The database does not roll back an entry that has failed.
        case hasNoSavepoints
        /// The database commits the stanzas after one that has failed.
        case commitsBehindFailures
        /// A process that has lost the session still commits.
        case ignoresOwner
        /// A process commits while its lease holds, without a comparison of the tokens.
        case trustsLeases
        /// A process renews its lease even if another one has the session.
        case renewsLostLeases
        /// A lease never ends.
        case hasEndlessLeases
        /// A stanza that may have ended a process commits together with others.
        case batchesSuspects
        /// The process does not count a failure.
        case countsNoFailures
        /// The changes of a canceled handler commit with the next attempt.
        case keepsAbandonedChanges
        /// The process does not put back a stanza whose failure is counted while the run ends.
        case losesCountedStanzas
        /// The process takes a failed look-up for one that finds nothing.
        case dropsUnreadAnswers
        /// Stanzas that are put back count as handled.
        case forgetsWhatIsPutBack
        /// The process does not greet a resumed session, which may have no greeting yet.
        case greetsNoResumedSession
        /// The process sends what waited before the greeting of a session.
        case sendsBeforeGreeting
        /// The process never sends what waited for a greeting.
        case holdsForEver
        /// The process does not set the alarm.
        case setsNoAlarm
        /// A handler reads before the changes of earlier stanzas are committed.
        case readsTooEarly
        /// The process reports a suspension before it leaves the database alone.
        case suspendsTooEarly
        /// The process takes a failed commit for a successful one.
        case trustsFailedCommits
        /// A stanza that the parser rejects ends the stream.
        case endsAtRejectedStanzas
        /// A stanza that the parser rejects does not count as handled.
        case countsNoRejectedStanzas
    }
}

/// The effect of handling a stanza.
enum StanzaKind: Hashable, Sendable {
    case plain
    /// Its handler sends a request.
    case asking
    /// Its handler always throws.
    case throwing
    /// Its handler never returns.
    case hanging
    /// Its handler ends the process.
    case killing
    /// Its changes always fail.
    case failing
    /// It answers a request.
    case answer(String)
    /// The parser rejects it: it is not namespace-well-formed, for example. It may answer a request.
    case rejected(answer: String?)
}

extension SessionSetup {
    public init(drawnFrom random: inout SeededGenerator, fault: Fault? = nil) {
        processes = random.pick([2, 2, 3])
        resumes = random.pick([true, true, true, false])
        batchCount = random.pick([1, 3, 8])
        maximumUnhandled = random.pick([2, 6, 20])
        roomCount = random.pick([2, 4, 1000])
        kinds = [.throwing, .hanging, .killing, .failing].filter { _ in random.pick([true, false]) }
        isSteady = random.pick([true, false])
        setsClocks = random.pick([true, false])
        seesEnds = random.pick([true, false])
        batchSize = random.pick([30, 1 << 20])
        self.fault = fault
    }

    var limits: DurableSessionCore.Limits {
        var limits = DurableSessionCore.Limits()
        limits.batchCount = batchCount
        limits.batchSize = batchSize
        limits.handlerTime = .seconds(20)
        limits.attempts = Self.attempts
        return limits
    }

    static let attempts = 3

    /// The kind of the server's next stanza.
    func kind(_ choice: Int) -> StanzaKind {
        switch choice % (Self.harmlessKinds + kinds.count) {
        case let place where place >= Self.harmlessKinds: kinds[place - Self.harmlessKinds]
        case 7: .rejected(answer: nil)
        case let place: place % 2 == 0 ? .plain : .asking
        }
    }

    private static let harmlessKinds = 12
}
