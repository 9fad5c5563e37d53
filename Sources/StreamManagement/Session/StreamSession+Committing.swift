// The effects of stanzas, their handled marks and the stanzas that they send commit in one transaction.

public import XMLTree

extension StreamSession {
    /// Commits effects, the handled mark of a stanza and outgoing stanzas in one transaction. After the commit, the
    /// session sends the stanzas and acknowledges the handled one.
    ///
    /// A process that is killed before the commit gets the stanza again; one that is killed after it repeats nothing.
    /// The stanza has to be pending (``HandlingPolicy/deciding(_:)``).
    ///
    /// Waits while the queue has no room for the outgoing stanzas (D23).
    ///
    /// - Parameters:
    ///   - stanza: The handled stanza; `nil` for effects that no stanza has caused.
    ///   - effects: The changes of the app.
    ///   - storage: The storage of this session.
    ///   - elements: The outgoing stanzas, in order.
    ///   - isWithdrawn: Whether the session withdraws a waiting stanza (``withdraw(_:)``) before it adds `elements`.
    /// - Returns: For each outgoing stanza an object that reports its delivery.
    /// - Throws: `EffectsError` if a change of the app failed: the transaction has changed nothing.
    ///   `StreamManagementError.comesAgain` if the session was suspended since the stanza arrived, `.ended` if it was
    ///   closed, `.notAStanza`, `.tooLarge`, or `.queueFull` for more stanzas than the queue can hold;
    ///   `CancellationError`; `StorageError.takesNoEffects` for another storage; the errors of the storage. The
    ///   transaction has then changed nothing, or the stream has ended.
    @discardableResult
    public func commit<Storage: TransactionalStorage>(
        _ stanza: ReceivedStanza?, with effects: Storage.Store.Effects, in storage: Storage,
        sending elements: [Element] = [], withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) async throws -> [SentStanza] {
        let entry = BatchEntry(stanza: stanza, effects: effects, outgoing: elements, isWithdrawn: isWithdrawn)
        for element in elements { try element.checkIsStanza() }
        try checkComing([entry])
        try takeUp()
        for element in elements { try store?.checkCanStore(element) }
        return try await commit(entry, in: storage)
    }

    /// Commits one entry. The caller has checked that the session can send and store its outgoing stanzas: that takes
    /// time, which need not be this thread's.
    @discardableResult
    package func commit<Storage: TransactionalStorage>(
        _ entry: BatchEntry<Storage.Store.Effects>, in storage: Storage
    ) async throws -> [SentStanza] {
        let committed = try await commit([entry], in: storage)
        if let failure = committed.failure { throw failure }
        return committed.sent.first ?? []
    }

    /// Commits a batch in one transaction, each of the entries in a savepoint of its own.
    ///
    /// An entry that fails ends the batch: the entries before it commit, and the ones after it are left to the caller.
    /// So do the entries that the queue has no room for.
    package func commit<Storage: TransactionalStorage>(
        _ entries: [BatchEntry<Storage.Store.Effects>], in storage: Storage
    ) async throws -> CommittedBatch {
        guard let first = entries.first else { return CommittedBatch() }
        try checkComing(entries)
        try takeUp()
        if first.outgoing.isEmpty { return try commitNow(entries, in: storage) }
        return try await withRoom(for: first.outgoing.count) {
            try checkComing(entries)
            return try commitNow(entries, in: storage)
        }
    }

    /// Throws if the stanzas do not belong to this session any more.
    private func checkComing<Effects>(_ entries: [BatchEntry<Effects>]) throws(StreamManagementError) {
        if isClosed { throw .ended }
        for case let number? in entries.map({ $0.stanza?.number }) where comingAgain.contains(number.rawValue) {
            throw .comesAgain
        }
    }

    private func commitNow<Storage: TransactionalStorage>(
        _ entries: [BatchEntry<Storage.Store.Effects>], in storage: Storage
    ) throws -> CommittedBatch {
        guard let store else { throw StorageError.takenOver(account: account) }
        guard let inner = storage.openStore(of: account), store.writes(to: inner) else {
            try checkOwner()
            throw StorageError.takesNoEffects
        }
        let (ready, refusal) = sendable(entries)
        if ready.isEmpty { return CommittedBatch(failure: refusal) }
        var actions: [Core.Action] = []
        var committed: [BatchEntry<Storage.Store.Effects>] = []
        var sent: [[SentStanza]] = []
        let failure: EffectsError?
        do {
            failure = try store.write(with: ready.map(\.effects), in: inner) { count in
                committed = Array(ready.prefix(count))
                for entry in committed { sent.append(try note(entry, &actions)) }
                return actions.compactMap { if case .store(let change, _) = $0 { change } else { nil } }
            }
        } catch {
            // Nothing has changed, unless the core knows changes that the store does not have, or the session has
            // another owner.
            if !committed.isEmpty || error.isOfAnotherOwner { storageFailed(error) }
            throw error
        }
        if committed.contains(where: { $0.stanza?.number != nil }) { core.handledCountIsStored() }
        for stanza in sent.joined() { self.sent[stanza.number] = stanza }
        // The transaction has stored the rest.
        try perform(actions.filter { if case .store = $0 { false } else { true } })
        return CommittedBatch(sent: sent, failure: failure ?? refusal)
    }

    /// The first entries whose outgoing stanzas the queue has room for, and why the next entry cannot be sent at all.
    /// Entries after the first use no room that other senders wait for.
    private func sendable<Effects>(
        _ entries: [BatchEntry<Effects>]
    ) -> (ready: [BatchEntry<Effects>], refusal: (any Error)?) {
        var (count, weight) = (0, core.outgoing.weight)
        for (index, entry) in entries.enumerated() where !entry.outgoing.isEmpty {
            count += entry.outgoing.count
            // `withRoom` has found room for the first entry.
            let hasRoom = roomQueue.isEmpty && core.hasRoom(for: count) && stream?.isFull != true
            if index > 0, !hasRoom || weight >= core.configuration.maximumUnacknowledgedBytes {
                return (Array(entries[..<index]), nil)
            }
            do {
                for element in entry.outgoing { try core.checkSize(of: element) }
            } catch {
                return (Array(entries[..<index]), error)
            }
            weight += entry.outgoing.reduce(0) { $0 + $1.weight }
        }
        return (entries, nil)
    }

    /// Lets the core know that an entry is about to commit, and collects its actions.
    private func note<Effects>(_ entry: BatchEntry<Effects>, _ actions: inout [Core.Action]) throws -> [SentStanza] {
        let now = clock.now
        if let number = entry.stanza?.number { actions += try core.handle(.markHandled(number), at: now) }
        if let isWithdrawn = entry.isWithdrawn {
            for number in core.waiting.filter({ isWithdrawn($0.element) }).map(\.number) {
                actions += try core.handle(.withdraw(number), at: now)
            }
        }
        var sent: [SentStanza] = []
        for element in entry.outgoing {
            sent.append(SentStanza(number: core.upcomingNumber, element: element))
            let id = delegate?.session(self, idForSentStanza: element)
            actions += try core.handle(.send(element, id: id), at: now)
        }
        return sent
    }
}

/// One entry of a batch: a stanza, its effects and the stanzas that the session sends because of it.
package struct BatchEntry<Effects: Sendable>: Sendable {
    let stanza: ReceivedStanza?
    let effects: Effects
    let outgoing: [Element]
    let isWithdrawn: (@Sendable (Element) -> Bool)?

    package init(
        stanza: ReceivedStanza?, effects: Effects, outgoing: [Element],
        isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) {
        self.stanza = stanza
        self.effects = effects
        self.outgoing = outgoing
        self.isWithdrawn = isWithdrawn
    }
}

/// The result of a batch.
package struct CommittedBatch: Sendable {
    /// The outgoing stanzas of each committed entry.
    package var sent: [[SentStanza]] = []
    /// Why the next entry did not commit; `nil` if it only has to wait for room, or if all entries have committed.
    package var failure: (any Error)?

    /// The number of committed entries.
    package var count: Int { sent.count }
}
