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
    ///   - elements: The outgoing stanzas, in order.
    ///   - isWithdrawn: Whether the session withdraws a waiting stanza (``withdraw(_:)``) before it adds `elements`.
    /// - Returns: For each outgoing stanza an object that reports its delivery.
    /// - Throws: `EffectsError` if a change of the app failed: the transaction has changed nothing.
    ///   `StreamManagementError.comesAgain` if the session was suspended since the stanza arrived, `.ended` if it was
    ///   closed, `.notAStanza`, `.tooLarge`, or `.queueFull` for more stanzas than the queue can hold;
    ///   `CancellationError`; `StorageError.takesNoEffects` for another storage; the errors of the storage. The
    ///   transaction has then changed nothing.
    @discardableResult
    public func commit(
        _ stanza: ReceivedStanza?, with effects: some StorageEffects, sending elements: [Element] = [],
        withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) async throws -> [SentStanza] {
        for element in elements { try element.checkIsStanza() }
        try checkComing([stanza])
        try takeUp()
        for element in elements { try record.checkCanStore(element) }
        let entries = SingleStanza(stanza, sending: elements, withdrawing: isWithdrawn)
        if !elements.isEmpty { try await waitUntilRoom(for: elements.count) }
        try checkComing([stanza])
        for element in elements { try checkSize(of: element) }
        return try await record.commit(effects, of: entries, for: self)
    }

    /// Throws if stanzas do not belong to this session any more.
    private func checkComing(_ stanzas: [ReceivedStanza?]) throws(StreamManagementError) {
        try checkOpen()
        for case let stanza? in stanzas where comesAgain(stanza) { throw .comesAgain }
    }

    // MARK: Several entries

    /// Commits the effects of several entries with their stanzas in one transaction, as
    /// ``commit(_:with:sending:withdrawing:)`` does for one stanza.
    ///
    /// Refuses the entries that the queue has no room for (D23), and those with a stanza that the server does not
    /// accept.
    ///
    /// - Parameter waitsForRoom: Whether to wait first until there is room for the first entry that sends stanzas. No
    ///   later entry overtakes it, as no other sender does (D23).
    /// - Throws: As that method does.
    package func commit(
        _ effects: some StorageEffects, of entries: some CommitEntries, waitsForRoom: Bool
    ) async throws {
        try checkComing(entries.stanzas)
        try takeUp()
        func places() -> Int {
            // The app may lower the limit during the wait.
            let limit = configuration.maximumUnacknowledged
            return entries.elements.first { !$0.isEmpty && $0.count <= limit }?.count ?? 0
        }
        let waits = waitsForRoom && places() > 0
        if waits { try await withRoom(for: places) {} }
        try checkComing(entries.stanzas)
        entries.begin()
        _ = try await record.commit(effects, of: entries, hasWaited: waits, for: self)
    }

    /// - Parameter hasWaited: Whether the room belongs to these entries, before any other sender. All attempts use it.
    func refuseEntries(of entries: some CommitEntries, hasWaited: Bool) {
        var places = 0
        for (index, elements) in entries.elements.enumerated() where !elements.isEmpty {
            do throws(StreamManagementError) {
                for element in elements { try checkSize(of: element) }
                // All that fills the queue waits for the greeting.
                if entries.isGreeting(index) {
                    places += elements.count
                    continue
                }
                let isNext = waitingSenderCount == 0 || (hasWaited && places == 0)
                guard isNext, hasRoom(for: places + elements.count) else {
                    throw .queueFull(limit: configuration.maximumUnacknowledged)
                }
                places += elements.count
            } catch {
                entries.refuse(index, because: error)
            }
        }
    }
}

/// The result of a failed attempt to handle a stanza (rule R40).
package enum HandlingVerdict: Sendable {
    /// The caller may handle it again.
    case again
    case deadLettered
    /// The session is over, or has another owner: the server decides whether the stanza comes again.
    case comesAgain
}
