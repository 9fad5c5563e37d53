// The entries of one transaction.

/// A running handler.
struct RunningHandler: Hashable, Sendable {
    enum Job: Hashable, Sendable {
        case stanza(StanzaJob, DurableSessionCore.Match?)
        case ending(EndingJob)
    }

    let attempt: DurableSessionCore.Attempt
    let job: Job
    /// The time until which it may run.
    let deadline: Duration
    /// The time of the report that it is slow; `nil` after that.
    private(set) var noticeTime: Duration?
    /// The handler waits to read uncommitted changes.
    var waitsToRead = false

    init(attempt: DurableSessionCore.Attempt, job: Job, at now: Duration, limit: Duration) {
        self.attempt = attempt
        self.job = job
        deadline = now + limit
        noticeTime = now + limit / 2
    }

    /// - Returns: Whether to report now that it is slow.
    mutating func isNoticed(at now: Duration) -> Bool {
        guard let noticeTime, noticeTime <= now else { return false }
        self.noticeTime = nil
        return true
    }

    /// The stanza that it handles.
    var stanza: DurableSessionCore.StanzaNumber? {
        if case .stanza(let job, _) = job { job.stanza.number } else { nil }
    }

    /// The request that it ends.
    var serial: DurableSessionCore.Serial? {
        switch job {
        case .stanza(_, let match): match?.serial
        case .ending(let job): job.serial
        }
    }
}

/// Entries in the order of their changes.
struct Batch {
    typealias Core = DurableSessionCore

    /// The source of an entry.
    enum Item: Hashable, Sendable {
        /// A stanza with its handler's changes; `nil` for an answer to no open request.
        case stanza(StanzaJob, StanzaJob.Handled?)
        /// `nil` if the core has given up the invalidation.
        case ending(EndingJob, Core.Attempt?)
        case transaction(Core.TransactionNumber)
        case greeting(Core.Attempt)
    }

    /// An item, and the changes that its handler or the application has collected.
    struct Member {
        let item: Item
        let collected: Core.Collected
    }

    private(set) var members: [Member] = []
    private var size = 0
    /// The part of the size that is not the application's.
    private(set) var handlerSize = 0
    private var since: Duration?
    private var serials: Set<Core.Serial> = []
    /// A job or a transaction waits for the batch's commit.
    var mustCommit = false
    /// The batch rests after a failed commit.
    private(set) var restsUntil: Duration?
    private(set) var hasRequests = false
    /// The batch has a stanza that commits alone.
    private(set) var hasSuspect = false

    var items: [Item] { members.map(\.item) }

    var count: Int { members.count }

    var isEmpty: Bool { members.isEmpty }

    func hasRoom(_ limits: Core.Limits) -> Bool { count < limits.batchCount && size < limits.batchSize }

    /// Whether there is room for another entry beside the batches that are not committed: if a commit fails, its
    /// entries join this batch. Entries that wait for room may wait until the next connection, so their size only stops
    /// invalidations (`RoomlessEntries.isLarge`). At most one stanza and one greeting wait for room.
    func hasRoom(_ limits: Core.Limits, beside committing: Batch?, _ roomless: [Batch]) -> Bool {
        hasRoom(limits) && size + (committing?.size ?? 0) < 2 * limits.batchSize
            && roomless.reduce(count + (committing?.count ?? 0)) { $0 + $1.count } < 2 * limits.batchCount
    }

    var hasStanzas: Bool { members.contains { $0.item.isStanza } }

    func contains(_ item: Item) -> Bool { members.contains { $0.item == item } }

    /// Whether it ends this request, so that another job has to wait for its result.
    func ends(_ serial: Core.Serial) -> Bool { serials.contains(serial) }

    func isOld(at now: Duration, _ limits: Core.Limits) -> Bool { since.map { now >= $0 + limits.batchAge } ?? false }

    func rests(at now: Duration) -> Bool { restsUntil.map { $0 > now } ?? false }

    /// The latest time for its commit.
    func wakeTime(_ limits: Core.Limits) -> Duration? { restsUntil ?? since.map { $0 + limits.batchAge } }

    mutating func append(_ item: Item, _ collected: Core.Collected = Core.Collected(), at now: Duration) {
        if isEmpty { since = now }
        members.append(Member(item: item, collected: collected))
        size += collected.size
        if !item.isTransaction { handlerSize += collected.size }
        hasRequests = hasRequests || collected.hasRequests
        switch item {
        case .stanza(let job, let handled):
            hasSuspect = hasSuspect || job.stanza.isSuspect
            if let match = handled?.match { serials.insert(match.serial) }
        case .ending(let job, _):
            serials.insert(job.serial)
        case .transaction, .greeting: mustCommit = true
        }
    }

    /// Appends the items of a later batch, and lets the batch rest until `time`.
    mutating func retry(before later: Batch, at time: Duration) {
        add(later)
        restsUntil = time
    }

    /// Appends the items of a later batch. The batch is complete.
    mutating func add(_ later: Batch) {
        members += later.members
        size += later.size
        handlerSize += later.handlerSize
        serials.formUnion(later.serials)
        hasRequests = hasRequests || later.hasRequests
        hasSuspect = hasSuspect || later.hasSuspect
        mustCommit = true
    }

    /// Removes items. Their serials stay noted until the batch commits.
    mutating func removeItems(where isRemoved: (Item) -> Bool) -> [Item] {
        let noted = serials
        let removed = split(where: isRemoved)
        if !isEmpty { serials = noted }
        return removed.items
    }

    /// Takes the entries that commit next: a stanza that commits alone, or all.
    mutating func takeNext() -> Batch {
        if hasSuspect { return split(where: \.isSuspect) }
        defer { self = Batch() }
        return self
    }

    /// Removes items, and returns them as a batch.
    private mutating func split(where isTaken: (Item) -> Bool) -> Batch {
        var (taken, rest) = (Batch(), Batch())
        for member in members {
            if isTaken(member.item) {
                taken.append(member.item, member.collected, at: since ?? .zero)
            } else {
                rest.append(member.item, member.collected, at: since ?? .zero)
            }
        }
        if taken.isEmpty { return taken }
        if !rest.isEmpty { (rest.mustCommit, rest.restsUntil) = (mustCommit, restsUntil) }
        self = rest
        return taken
    }
}

/// A batch during its commit.
struct Commit {
    let number: DurableSessionCore.AccessNumber
    var batch: Batch
}

extension Batch.Item {
    var isTransaction: Bool { if case .transaction = self { true } else { false } }

    /// The attempt at a greeting.
    var greeting: DurableSessionCore.Attempt? { if case .greeting(let attempt) = self { attempt } else { nil } }

    var isStanza: Bool { if case .stanza = self { true } else { false } }

    /// Whether it is a stanza that may have ended an earlier process.
    var isSuspect: Bool { if case .stanza(let job, _) = self { job.stanza.isSuspect } else { false } }

    var entry: DurableSessionCore.Entry {
        switch self {
        case .stanza(let job, let handled):
            DurableSessionCore.Entry(
                work: handled.map { .attempt($0.attempt) }, stanza: job.stanza.number,
                ends: handled?.match.map { .init(serial: $0.serial, outcome: .answered) })
        case .ending(let job, let attempt):
            DurableSessionCore.Entry(
                work: attempt.map { .attempt($0) },
                ends: .init(serial: job.serial, outcome: job.outcome, isGivenUp: attempt == nil))
        case .transaction(let number): DurableSessionCore.Entry(work: .transaction(number))
        case .greeting(let attempt): DurableSessionCore.Entry(work: .attempt(attempt))
        }
    }
}
