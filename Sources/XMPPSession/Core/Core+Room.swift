// Entries whose stanzas have no room in the stream's queue (D23). A commit of their own waits for room, and the entries
// that need none commit before it. Stanzas keep their order: while one waits for room, the later ones wait for it.

/// Entries that wait for room, in their order.
struct RoomlessEntries {
    /// The commit that waits for room, or has found it.
    var committing: Commit?
    /// The entries of the next one.
    var next = Batch()

    var isEmpty: Bool { committing == nil && next.isEmpty }

    /// Both parts.
    var batches: [Batch] { [committing?.batch, next].compactMap(\.self) }

    var hasStanza: Bool { next.hasStanzas || committing?.batch.hasStanzas == true }

    /// Whether the changes of handlers take as much memory as they may. A transaction's caller waits for it, so its
    /// changes do not count. Requests that end would add more without a bound: their handlers may send stanzas, which
    /// wait until the next connection. Stanzas do not: the later ones wait for the first one.
    func isLarge(_ limits: DurableSessionCore.Limits) -> Bool {
        batches.reduce(0) { $0 + $1.handlerSize } >= 2 * limits.batchSize
    }

    /// Takes the entries that wait longer than those of that commit, which is over.
    mutating func takeLater(than number: DurableSessionCore.AccessNumber) -> Batch {
        guard committing?.number == number else { return Batch() }
        defer { next = Batch() }
        return next
    }

    /// Takes an entry out of the commit, which ends without its last one.
    ///
    /// - Returns: Whether the commit had the entry.
    mutating func withdraw(_ item: Batch.Item) -> Bool {
        guard var commit = committing else { return false }
        let removed = commit.batch.removeItems { $0 == item }
        committing = commit.batch.isEmpty ? nil : commit
        return !removed.isEmpty
    }
}

extension DurableSessionCore {
    /// The entries that are not committed and not in the current batch.
    var otherBatches: [Batch] { [committing?.batch].compactMap(\.self) + roomless.batches }

    /// Keeps an entry until there is room for its stanzas.
    mutating func wait(_ member: Batch.Member, _ step: inout Step) {
        switch member.item {
        case .transaction(let transaction):
            if waitsForTransactions, !canceled.contains(transaction) { break }
            return finish(transaction, .interrupted, &step)
        case .stanza(let job, let handled):
            guard handlesStanzas else { return hold(job, handled, &step) }
        case .ending(let job, let attempt):
            if handlesStanzas { break }
            if let attempt { step.emit(.cancel(attempt)) }
            return failed(job, .interrupted, &step)
        case .greeting(let attempt):
            if handlesStanzas, greeting.isCurrent(attempt) { break }
            step.emit(.cancel(attempt))
            return greetingFailed(attempt, .interrupted, &step)
        }
        roomless.next.append(member.item, member.collected, at: step.now.uptime)
    }

    /// Whether transactions of the application may wait for room. A session that suspends or closes waits for none.
    private var waitsForTransactions: Bool {
        switch phase {
        case .idle, .claiming, .running: true
        case .suspending, .suspended, .closing, .closed: false
        }
    }

    mutating func commitWithRoom(_ step: inout Step) {
        guard roomless.committing == nil, !roomless.next.isEmpty else { return }
        let commit = Commit(number: makeNumber(), batch: roomless.next.takeNext())
        roomless.committing = commit
        step.emit(.commitWithRoom(commit.number, commit.batch.items.map(\.entry)))
    }

    /// The run ends: the entries try once more, with the others.
    mutating func stopWaitingForRoom() {
        if roomless.next.isEmpty { return }
        var all = roomless.next
        all.add(batch)
        batch = all
        roomless.next = Batch()
    }

    /// Takes the commit with this number, which is over.
    mutating func takeCommit(_ number: AccessNumber) -> Commit? {
        if let commit = committing, commit.number == number {
            committing = nil
            return commit
        }
        guard let commit = roomless.committing, commit.number == number else { return nil }
        roomless.committing = nil
        return commit
    }
}
