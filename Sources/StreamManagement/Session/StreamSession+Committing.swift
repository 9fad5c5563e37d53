// The effects of stanzas, their handled marks and the stanzas that they send commit in one transaction.

public import XMLTree

extension StreamSession {
    /// Commits effects, the handled mark of a stanza and outgoing stanzas in one transaction. After the commit, the
    /// session sends the stanzas and acknowledges the handled one.
    ///
    /// After a kill before the commit, the next process gets the stanza again. After a later kill, nothing is repeated.
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
    ///   transaction has then changed nothing.
    @discardableResult
    public func commit<Storage: TransactionalStorage>(
        _ stanza: ReceivedStanza?, with effects: Storage.Store.Effects, in storage: Storage,
        sending elements: [Element] = [], withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) async throws -> [SentStanza] {
        for element in elements { try element.checkIsStanza() }
        try checkComing([stanza])
        try takeUp()
        for element in elements { try store?.checkCanStore(element) }
        let result = StreamBatchResult(
            handled: [stanza?.number].compactMap(\.self), sent: elements, isWithdrawn: isWithdrawn)
        if elements.isEmpty { return try commitNow(effects, in: storage) { result } }
        return try await withRoom(for: elements.count) {
            try checkComing([stanza])
            for element in elements { try core.checkSize(of: element) }
            return try commitNow(effects, in: storage) { result }
        }
    }

    /// Throws if stanzas do not belong to this session any more.
    func checkComing(_ stanzas: [ReceivedStanza?]) throws(StreamManagementError) {
        if isClosed { throw .ended }
        for case let number? in stanzas.map({ $0?.number }) where comingAgain.contains(number.rawValue) {
            throw .comesAgain
        }
    }

    /// Commits effects and changes of the session in one transaction. If that fails, the core has not changed (D51).
    ///
    /// - Parameters:
    ///   - effects: The changes of the app.
    ///   - storage: The storage of this session.
    ///   - result: Returns the handled and outgoing stanzas. Called after the effects are made.
    func commitNow<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, in storage: Storage, _ result: () -> StreamBatchResult
    ) throws -> [SentStanza] {
        guard let store else { throw StorageError.takenOver(account: account) }
        guard let inner = storage.openStore(of: account), store.writes(to: inner) else {
            try checkOwner()
            throw StorageError.takesNoEffects
        }
        let before = core.checkpoint()
        var actions: [Core.Action] = []
        var sent: [SentStanza] = []
        do {
            try store.write(with: effects, in: inner) {
                sent = try note(result(), &actions)
                return actions.compactMap(\.change)
            }
        } catch {
            core.undo(to: before)
            if error.isOfAnotherOwner { storageFailed(error) }
            throw error
        }
        core.keepChanges()
        // The transaction has stored all counts that were held back, too.
        core.handledCountIsStored()
        for stanza in sent { self.sent[stanza.number] = stanza }
        try perform(actions.filter { $0.change == nil })
        return sent
    }

    /// Passes the stanzas of a transaction that is about to commit to the core, and collects its actions.
    private func note(_ result: StreamBatchResult, _ actions: inout [Core.Action]) throws -> [SentStanza] {
        let now = clock.now
        for number in result.handled { actions += try core.handle(.markHandled(number), at: now) }
        if let isWithdrawn = result.isWithdrawn {
            for number in core.waiting.filter({ isWithdrawn($0.element) }).map(\.number) {
                actions += try core.handle(.withdraw(number), at: now)
            }
        }
        return try result.sent.map { try send($0, &actions) }
    }
}
