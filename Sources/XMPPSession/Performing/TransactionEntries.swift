// The entries of a commit: their changes in the database, and their stanzas on the stream.

import Locking
import Persistence
import SessionCore
import StreamManagement
import XMLTree

/// The entries that one transaction commits.
final class TransactionEntries: CommitEntries {
    struct Item: Sendable {
        let entry: DurableSessionCore.Entry
        /// The changes; `nil` for none.
        let work: StanzaWork?
        /// The stanza that the entry marks as handled.
        let stanza: ReceivedStanza?
        /// The stanzas to send.
        let elements: [Element]

        /// Whether it is the greeting of a session.
        var isGreeting: Bool { work?.isGreeting ?? false }

        init(_ entry: DurableSessionCore.Entry, work: StanzaWork?, stanza: ReceivedStanza?) {
            self.entry = entry
            self.work = work
            self.stanza = stanza
            elements = work?.takeStanzas() ?? []
        }
    }

    private struct State {
        var items: [Item]
        /// The commit has begun: no item can leave.
        var hasBegun = false
        /// The results of the entries whose turn has come.
        var results: [DurableSessionCore.EntryResult] = []
        /// The errors of entries that have failed.
        var errors: [Int: any Error] = [:]
        /// Entries that must not commit.
        var refusals: [Int: DurableSessionCore.EntryResult] = [:]
        /// Requests that have ended, and must not be sent any more.
        var withdrawn: [StoredRequest] = []
        /// The errors of entries that have rolled back the whole transaction. No later attempt makes their changes.
        var undoing: [Int: any Error] = [:]
        /// An entry has rolled back this attempt.
        var isUndone = false
    }

    private let state: Lock<State>

    init(_ items: [Item]) { state = Lock(State(items: items)) }

    var items: [Item] { state.withLock(\.items) }

    /// Takes an item out of the commit.
    ///
    /// - Returns: `false` if its commit has begun.
    func withdraw(_ work: DurableSessionCore.Entry.Work) -> Bool {
        state.withLock { state in
            if !state.hasBegun { state.items.removeAll { $0.entry.work == work } }
            return !state.hasBegun
        }
    }

    /// Commits the entries. An entry that rolls back the whole transaction fails, and another transaction commits the
    /// others.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - stream: The stream that acknowledges and sends; `nil` if it is closed.
    ///   - waitsForRoom: Whether to wait until there is room for the first entry that sends stanzas.
    func commit(
        in database: StanzaDatabase, with stream: StreamSession?, waitsForRoom: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let work = try database.beginEntries { [self] transaction in for item in items { try make(item, transaction) } }
        if let stream { return try await stream.commit(work, of: self, waitsForRoom: waitsForRoom) }
        begin()
        while true {
            do { return try await database.make(work) } catch { if !beginAgain() { throw error } }
        }
    }

    private func make(_ item: Item, _ transaction: DatabaseTransaction) throws {
        let (index, refusal, undoing, hasFailed) = state.withLock { state in
            let failed = zip(state.items, state.results).contains { item, result in
                item.stanza != nil && result != .done && result != .ended
            }
            let index = state.results.count
            return (index, state.refusals[index], state.undoing[index], failed)
        }
        if item.stanza != nil, hasFailed { return note(.held) }
        if let refusal { return note(refusal) }
        if let undoing { return note(DurableSessionCore.EntryResult(failure: undoing)) }
        var hasEnded = false
        var withdrawn: StoredRequest?
        let error: (any Error)?
        do {
            error = try transaction.makeEntry {
                if let ending = item.entry.ends {
                    let serial = ending.serial.rawValue
                    let request = ending.outcome == .answered ? nil : try transaction.requests.request(serial: serial)
                    // Of several processes, the one that removes the row ends the request.
                    hasEnded = try !transaction.requests.remove(serial)
                    if hasEnded { return }
                    withdrawn = request
                }
                try item.work?.changes.performAsOne(in: transaction)
            }
        } catch let undone as UndoneTransaction {
            state.withLock { ($0.undoing[index], $0.isUndone) = (undone.underlying, true) }
            throw undone
        }
        if let error {
            state.withLock { $0.errors[index] = error }
            return note(DurableSessionCore.EntryResult(failure: error))
        }
        if let withdrawn { state.withLock { $0.withdrawn.append(withdrawn) } }
        note(hasEnded ? .ended : .done)
    }

    /// The wait for room has ended without room.
    func noteLackOfRoom() {
        state.withLock { state in
            state.hasBegun = true
            state.results = state.items.map { _ in .noRoom }
        }
    }

    private func note(_ result: DurableSessionCore.EntryResult) { state.withLock { $0.results.append(result) } }

    /// The results of the entries, in their order.
    var results: [DurableSessionCore.EntryResult] { state.withLock(\.results) }

    /// The error of an entry that has failed.
    func error(of index: Int) -> (any Error)? { state.withLock { $0.errors[index] ?? $0.undoing[index] } }

    // MARK: The stream's side

    var stanzas: [ReceivedStanza] { items.compactMap(\.stanza) }

    var elements: [[Element]] {
        state.withLock { state in
            state.items.enumerated().map { state.undoing[$0.offset] == nil ? $0.element.elements : [] }
        }
    }

    func isGreeting(_ entry: Int) -> Bool { items[entry].isGreeting }

    func begin() { state.withLock { $0.hasBegun = true } }

    /// Each attempt leaves out one more entry.
    func beginAgain() -> Bool {
        state.withLock { state in
            guard state.isUndone else { return false }
            (state.results, state.errors, state.refusals, state.withdrawn, state.isUndone) = ([], [:], [:], [], false)
            return true
        }
    }

    func refuse(_ entry: Int, because error: StreamManagementError) {
        var mayHaveRoom = false
        if case .queueFull(let limit) = error { mayHaveRoom = items[entry].elements.count <= limit }
        state.withLock { state in
            state.refusals[entry] = mayHaveRoom ? .noRoom : .failed
            if !mayHaveRoom { state.errors[entry] = error }
        }
    }

    func isRefused(_ entry: Int) -> Bool { state.withLock { $0.refusals[entry] != nil } }

    var handled: [IncomingNumber] {
        state.withLock { state in
            zip(state.items, state.results).compactMap { $1 == .done || $1 == .ended ? $0.stanza?.number : nil }
        }
    }

    func isSent(_ entry: Int) -> Bool {
        state.withLock { $0.results.indices.contains(entry) && $0.results[entry] == .done }
    }

    func isWithdrawn(_ stanza: Element) -> Bool { Requests.isOne(of: state.withLock(\.withdrawn), stanza) }
}
