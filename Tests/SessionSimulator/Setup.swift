// What a simulation begins with.

import SessionCore

/// The circumstances of a run, drawn from its seed.
public struct Setup: Hashable, Sendable {
    /// How many processes share the database.
    var processes: Int
    /// Whether the server counts stanzas and resumes sessions.
    var resumes: Bool
    var batchCount: Int
    /// How many stanzas a process takes that it has not handled.
    var maximumUnhandled: Int
    /// What some of the server's stanzas do to their handlers.
    var kinds: [StanzaKind]
    /// Whether changes are interrupted, and handlers fail, now and then.
    var isSteady: Bool
    var setsClocks: Bool
    /// Whether several requests have the same handler.
    var sharesHandlers: Bool
    /// A mistake that is made on purpose, to see that it is found.
    public var fault: Fault?

    /// Mistakes like those of real programs.
    public enum Fault: String, Sendable, CaseIterable {
        /// Stanzas are acknowledged when their commit begins.
        case acknowledgesBeforeCommit
        /// Stanzas are sent when their commit begins.
        case sendsBeforeCommit
        /// Committed stanzas are not sent, not even on the next connection.
        case forgetsToSend
        /// A request is ended whatever its row says.
        case endsUnconditionally
        /// A request is ended in a transaction of its own, before the changes of its handler.
        case endsInAnotherTransaction
        /// An entry that has failed is not rolled back.
        case hasNoSavepoints
        /// Behind a stanza that has failed, the others are committed.
        case commitsBehindFailures
        /// A process that has lost the session commits all the same.
        case ignoresOwner
        /// Stanzas that may have ended a process are committed together with others.
        case batchesSuspects
        /// A failure is not counted.
        case countsNoFailures
        /// What a handler collects that was cancelled is committed with the next attempt.
        case keepsAbandonedChanges
        /// A look-up that fails is taken for one that finds nothing.
        case dropsUnreadAnswers
        /// Stanzas that are put back count as handled.
        case forgetsWhatIsPutBack
        /// The alarm is not set.
        case setsNoAlarm
        /// A handler reads before the changes of earlier stanzas are committed.
        case readsTooEarly
        /// A suspension is reported before the database is left alone.
        case suspendsTooEarly
        /// A commit that has failed is taken for one that succeeded.
        case trustsFailedCommits
    }
}

/// What handling a stanza does.
enum StanzaKind: Hashable, Sendable {
    case plain
    /// Its handler asks something.
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
}

extension Setup {
    public init(drawnFrom random: inout some RandomNumberGenerator, fault: Fault? = nil) {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        processes = pick([2, 2, 3])
        resumes = pick([true, true, true, false])
        batchCount = pick([1, 3, 8])
        maximumUnhandled = pick([2, 6, 20])
        kinds = [.throwing, .hanging, .killing, .failing].filter { _ in pick([true, false]) }
        isSteady = pick([true, false])
        setsClocks = pick([true, false])
        sharesHandlers = pick([true, false])
        self.fault = fault
    }

    var limits: DurableSessionCore.Limits {
        var limits = DurableSessionCore.Limits()
        limits.batchCount = batchCount
        limits.handlerTime = .seconds(20)
        limits.attempts = Self.attempts
        return limits
    }

    static let attempts = 3

    /// What the server's next stanza is.
    func kind(_ choice: Int) -> StanzaKind {
        switch choice % (Self.harmlessKinds + kinds.count) {
        case let place where place >= Self.harmlessKinds: kinds[place - Self.harmlessKinds]
        case let place: place % 2 == 0 ? .plain : .asking
        }
    }

    private static let harmlessKinds = 12
}
