// One transaction for a stanza: what the application stores because of it, that it was handled, and what is sent
// because of it.

public import XMLTree

extension StreamSession {
    /// Stores effects, that a stanza was handled, and stanzas to be sent: all of it, or nothing. What is sent, and what
    /// the server is told, follows when that is durable.
    ///
    /// If the process is killed before, the stanza comes again; if after, nothing is repeated. The stanza has to be
    /// pending (``HandlingPolicy/deciding(_:)``).
    ///
    /// Waits while there is no room for the stanzas to be sent (D23).
    ///
    /// - Parameters:
    ///   - stanza: what was handled; `nil` for effects that no stanza has caused.
    ///   - effects: what the application stores.
    ///   - elements: the stanzas to be sent, in order.
    ///   - isWithdrawn: which of the stanzas that wait are not to be sent (``withdraw(_:)``); asked before `elements`
    ///     are added.
    /// - Returns: for each element to be sent a place to see what becomes of it.
    /// - Throws: `EffectsError` if an effect could not be made: nothing has changed. `StreamManagementError.comesAgain`
    ///   if the session was laid aside meanwhile, `.ended` if it was closed, `.notAStanza`, `.tooLarge`, `.queueFull`
    ///   for more than fit at all; `CancellationError`; and what the storage throws: nothing has changed then, or the
    ///   stream has ended.
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

    /// The same for stanzas that can be sent and stored, as whoever sends them has seen: that takes its time, which
    /// need not be this thread's.
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

    /// Whether a stanza is still this session's to be handled.
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
            // Nothing has changed, unless the core knows of what could not be stored, or the session has another owner.
            if hasBegun || error.isOfAnotherOwner { storageFailed(error) }
            throw error
        }
        if number != nil { core.handledCountIsStored() }
        for stanza in tracked { sent[stanza.number] = stanza }
        // What was to be stored is.
        try perform(actions.filter { if case .store = $0 { false } else { true } })
        return tracked
    }
}
