// The tasks that wait for the core, and the objects that its numbers identify.

import Persistence
import SessionCore
import StreamManagement

/// The objects that the core's numbers identify.
struct SessionTables {
    var deliveries = Deliveries()
    var attempts = Attempts()
    var transactions: [DurableSessionCore.TransactionNumber: CollectedTransaction] = [:]
    var runs: [DurableSessionCore.Call: SessionRun] = [:]
    /// Stanzas that are not handled, until the stream offers them again.
    var returned: [(number: DurableSessionCore.StanzaNumber, stanza: ReceivedStanza)] = []
    /// The calls of `suspend` that the stream has not suspended for yet.
    var suspensions: [DurableSessionCore.Call: SuspensionRequest] = [:]
    var reading: Task<Void, Never>?
    /// Offers what waited for this program.
    var retrying: Task<Void, Never>?
    /// The row of the current attempt.
    var retried: RetriedRow?
    /// The running commits.
    var commits: [DurableSessionCore.AccessNumber: RunningCommit] = [:]
    /// What happens to the stanzas that no route takes.
    var otherwise: Otherwise?
    /// The work for each new session.
    var greeting: (@Sendable (StanzaWork) async throws -> Void)?
    /// The error of the last suspension.
    var suspensionError: (any Error)?
    /// The last error of the database, for the task that it stops.
    var databaseError: (any Error)?
    /// The connection of a closed stream.
    var connection: ClosingTransport?
    /// How long closing waits for acknowledgements.
    var closingWait = Duration.zero
    /// Whether to freeze the database when the session is closed.
    var freezesWhenClosed = false
    /// The time until which accesses may wait for other processes.
    var patience: Patience?

    struct Patience {
        let end: ContinuousClock.Instant
        let isForAll: Bool
    }
}

/// The received stanzas that the core has.
struct Deliveries {
    struct Delivery {
        let stanza: ReceivedStanza
        /// The bytes that it takes.
        let weight: Int
        /// The request that the stanza answers, after its look-up.
        var found: StoredRequest?
        /// The error of the last attempt to handle it.
        var error: (any Error)?
    }

    private var deliveries: [DurableSessionCore.StanzaNumber: Delivery] = [:]
    private var last: Int64 = 0
    /// The bytes that the stanzas take.
    private(set) var weight = 0

    var count: Int { deliveries.count }

    mutating func add(_ stanza: ReceivedStanza) -> DurableSessionCore.StanzaNumber {
        last += 1
        let number = DurableSessionCore.StanzaNumber(rawValue: last)
        let delivery = Delivery(stanza: stanza, weight: stanza.element.weight)
        deliveries[number] = delivery
        weight += delivery.weight
        return number
    }

    subscript(_ number: DurableSessionCore.StanzaNumber) -> Delivery? { deliveries[number] }

    mutating func note(_ found: StoredRequest?, for number: DurableSessionCore.StanzaNumber) {
        deliveries[number]?.found = found
    }

    mutating func note(_ error: any Error, for number: DurableSessionCore.StanzaNumber) {
        deliveries[number]?.error = error
    }

    @discardableResult
    mutating func remove(_ number: DurableSessionCore.StanzaNumber) -> Delivery? {
        let delivery = deliveries.removeValue(forKey: number)
        weight -= delivery?.weight ?? 0
        return delivery
    }
}

/// A call of a handler or of the greeting, from its start until its changes are committed or dropped.
struct Attempt {
    enum Kind {
        case stanza(DurableSessionCore.StanzaNumber)
        case ending, greeting
    }

    let kind: Kind
    let work: StanzaWork
    let scope: HandlingScope
    let task: Task<Void, Never>
    /// Reads of the handler that wait for the commit of earlier changes.
    var reads: [CheckedContinuation<Void, Never>] = []

    var stanza: DurableSessionCore.StanzaNumber? { if case .stanza(let number) = kind { number } else { nil } }
}

/// The calls of handlers whose changes are neither committed nor dropped.
struct Attempts {
    private var attempts: [DurableSessionCore.Attempt: Attempt] = [:]
    /// The stanzas that returned handlers have noted as handled.
    private var noted: Set<UniqueIdentifier> = []

    subscript(_ number: DurableSessionCore.Attempt) -> Attempt? { attempts[number] }

    mutating func add(_ attempt: Attempt, as number: DurableSessionCore.Attempt) { attempts[number] = attempt }

    /// Removes a call whose changes are committed or dropped.
    mutating func remove(_ number: DurableSessionCore.Attempt) -> Attempt? {
        allowReads(number)
        let attempt = attempts.removeValue(forKey: number)
        if let attempt { noted.subtract(attempt.work.notedIdentifiers) }
        return attempt
    }

    /// - Returns: Whether its changes can commit.
    mutating func noteReturn(of number: DurableSessionCore.Attempt) -> Bool {
        allowReads(number)
        guard let attempt = attempts[number] else { return false }
        noted.formUnion(attempt.work.notedIdentifiers)
        return true
    }

    func hasNoted(_ identifier: UniqueIdentifier) -> Bool { noted.contains(identifier) }

    func all(where isMeant: (Attempt) -> Bool) -> [DurableSessionCore.Attempt] {
        attempts.filter { isMeant($0.value) }.map(\.key)
    }

    /// Lets a read of the handler wait for the commit of earlier changes.
    ///
    /// - Returns: `false` if the handler has returned: a task that it has started reads like any other then.
    mutating func add(_ read: CheckedContinuation<Void, Never>, of number: DurableSessionCore.Attempt) -> Bool {
        guard attempts[number]?.scope.isOver == false else { return false }
        attempts[number]?.reads.append(read)
        return true
    }

    /// Lets the reads of the handler continue.
    mutating func allowReads(_ number: DurableSessionCore.Attempt) {
        let reads = attempts[number]?.reads ?? []
        attempts[number]?.reads = []
        for read in reads { read.resume() }
    }
}

/// A transaction of the application.
struct CollectedTransaction {
    let work: StanzaWork
    let continuation: CheckedContinuation<Bool, any Error>
    /// The error of its changes, or of the database.
    var error: (any Error)?
}

/// A running commit.
struct RunningCommit {
    let entries: TransactionEntries
    let task: Task<Void, Never>
}

/// A call of `run`.
struct SessionRun {
    let takingOver: Bool
    /// Runs the stream.
    let begin: @Sendable () async throws -> StreamEnd
    /// Runs the stream, once the session is claimed.
    var task: Task<StreamEnd, any Error>?
    /// The session has claimed, or tried to, for this call.
    var wasClaimed = false
    var isCanceled = false
    /// The error of the claim.
    var error: (any Error)?
}

/// The part of a call of `suspend` that the core does not know.
struct SuspensionRequest {
    /// The time until which the stream may write.
    let end: Duration
    let freezes: Bool
}

extension StanzaWork {
    /// The size of the changes and the received stanza together, for the bounds of batches.
    func collected(with received: Int) -> DurableSessionCore.Collected {
        let stanzas = takeStanzas().reduce(received) { $0 + $1.weight }
        return DurableSessionCore.Collected(
            size: stanzas + changes.stepCount * Self.stepSize, hasRequests: hasRequests)
    }

    /// The bytes of a change are not known before the commit. Most change one row.
    private static let stepSize = 512
}
