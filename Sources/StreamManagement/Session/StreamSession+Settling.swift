// One transaction for a received stanza: the application's effects, the handled mark, and the stanzas to send.

public import XMLTree

extension StreamSession {
    /// Stores effects, a stanza's handled mark and the stanzas to send in one transaction. The session sends stanzas
    /// and acknowledgements after the transaction is durable.
    ///
    /// If the process is killed before the commit, the stanza comes again; after the commit, nothing is repeated. The
    /// stanza has to be pending (``HandlingPolicy/deciding(_:)``).
    ///
    /// Waits until the stanzas to send have room (D23).
    ///
    /// - Parameters:
    ///   - stanza: the handled stanza; `nil` for effects without a stanza.
    ///   - effects: the application's changes to its data.
    ///   - elements: the stanzas to send, in order.
    ///   - isWithdrawn: which of the waiting stanzas to withdraw (``withdraw(_:)``). The session calls it before it
    ///     adds `elements`.
    /// - Returns: for each element to send, its ``SentStanza``.
    /// - Throws: `EffectsError` if an effect fails: nothing has changed. `StreamManagementError.comesAgain` if the
    ///   session was suspended after the stanza came, `.ended` if it was closed, `.notAStanza`, `.tooLarge`,
    ///   `.queueFull` for more stanzas than the queue can ever hold; `CancellationError`; and the storage's errors:
    ///   nothing has changed then, or the stream has ended.
    @discardableResult
    public func settle(
        _ stanza: ReceivedStanza?, with effects: any StorageEffects, sending elements: [Element] = [],
        withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) async throws -> [SentStanza] {
        for element in elements { try element.checkIsStanza() }
        try checkComing(stanza)
        try takeUp()
        for element in elements { try store?.checkCanStore(element) }
        return try await settle(stanza, with: effects, sendingChecked: elements, withdrawing: isWithdrawn)
    }

    /// Stores like ``settle(_:with:sending:withdrawing:)`` and skips the checks of `elements`. The caller has checked
    /// that they are stanzas and can be stored, so that the checks need not take this thread's time.
    @discardableResult
    package func settle(
        _ stanza: ReceivedStanza?, with effects: any StorageEffects, sendingChecked elements: [Element],
        withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) async throws -> [SentStanza] {
        try checkComing(stanza)
        try takeUp()
        // Without stanzas to be sent there is nothing to wait for.
        if elements.isEmpty { return try store(stanza?.number, effects, [], isWithdrawn) }
        return try await withRoom(for: elements.count) {
            try checkComing(stanza)
            return try store(stanza?.number, effects, elements, isWithdrawn)
        }
    }

    /// Throws if the session is closed, or if the server will deliver the stanza again.
    private func checkComing(_ stanza: ReceivedStanza?) throws(StreamManagementError) {
        if isClosed { throw .ended }
        if let number = stanza?.number, comingAgain.contains(number.rawValue) { throw .comesAgain }
    }

    private func store(
        _ number: IncomingNumber?, _ effects: any StorageEffects, _ elements: [Element],
        _ isWithdrawn: ((Element) -> Bool)?
    ) throws -> [SentStanza] {
        guard let store else { throw StorageError.takenOver(account: account) }
        for element in elements { try core.checkSize(of: element) }
        var actions: [Core.Action] = []
        var tracked: [SentStanza] = []
        var hasBegun = false
        do {
            try store.write(with: effects) {
                hasBegun = true
                let now = clock.now
                if let number { actions += try core.handle(.markHandled(number), at: now) }
                if let isWithdrawn {
                    for number in core.waiting.filter({ isWithdrawn($0.element) }).map(\.number) {
                        actions += try core.handle(.withdraw(number), at: now)
                    }
                }
                for element in elements {
                    tracked.append(SentStanza(number: core.upcomingNumber, element: element))
                    let id = delegate?.session(self, idForSentStanza: element)
                    actions += try core.handle(.send(element, id: id), at: now)
                }
                return actions.compactMap { if case .store(let change, _) = $0 { change } else { nil } }
            }
        } catch {
            // Nothing has changed, unless the core has taken changes that were not stored, or another process owns the
            // session.
            if hasBegun || error.isOfAnotherOwner { storageFailed(error) }
            throw error
        }
        if number != nil { core.handledCountIsStored() }
        for stanza in tracked { sent[stanza.number] = stanza }
        // The transaction above has stored all changes.
        try perform(actions.filter { if case .store = $0 { false } else { true } })
        return tracked
    }
}
