// Several stanzas at once: taken in one step, and committed in one transaction.

package import XMLTree

/// Entries that commit in one transaction. Some of them may fail by themselves.
package protocol StreamBatch: Sendable {
    /// The received stanzas of the entries.
    var stanzas: [ReceivedStanza] { get }
    /// The stanzas that each entry sends. While the batch waits for room, entries may leave it.
    var elements: [[Element]] { get }
    /// No entry leaves the batch any more. Called once, before `refuse`.
    func begin()
    /// An attempt to commit has failed, and changed nothing.
    ///
    /// - Returns: Whether another attempt leaves out the entry at fault. It begins with no entry refused.
    func beginAgain() -> Bool
    /// An entry must not commit. Called before the effects are made.
    func refuse(_ entry: Int, because error: StreamManagementError)
    /// The effects are made, and these stanzas belong to them.
    var result: StreamBatchResult { get }
}

/// The stanzas of a transaction whose effects are made.
package struct StreamBatchResult: Sendable {
    package let handled: [IncomingNumber]
    package let sent: [Element]
    /// Whether a waiting stanza is not to be sent any more; `nil` for none.
    package let isWithdrawn: (@Sendable (Element) -> Bool)?

    package init(
        handled: [IncomingNumber], sent: [Element], isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) {
        self.handled = handled
        self.sent = sent
        self.isWithdrawn = isWithdrawn
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

extension StreamSession {
    /// Waits for a received stanza, and takes it and those that have already arrived: at most `limit`, and no further
    /// ones after so many bytes.
    ///
    /// - Returns: The stanzas, and whether each may have ended an earlier process; none if the session was closed, or
    ///   the task canceled.
    package func takeStanzas(atMost limit: Int, bytes: Int) async -> [(stanza: ReceivedStanza, isSuspect: Bool)] {
        while received.isEmpty {
            if isClosed || Task.isCancelled { return [] }
            await waitForStanza()
        }
        var taken: [(stanza: ReceivedStanza, isSuspect: Bool)] = []
        var weight = 0
        while taken.count < limit, weight < bytes, let stanza = await followingStanza() {
            weight += stanza.element.weight
            taken.append((stanza, stanza.number.map(core.recovery.suspects) ?? false))
        }
        return taken
    }

    /// Commits the effects of a batch with its stanzas in one transaction, as
    /// ``commit(_:with:in:sending:withdrawing:)`` does for one stanza.
    ///
    /// Refuses the entries that the queue has no room for (D23), and those with a stanza that the server does not
    /// accept.
    ///
    /// - Parameter waitsForRoom: Whether to wait first until there is room for the first entry that sends stanzas. No
    ///   later entry overtakes it, as no other sender does (D23).
    /// - Throws: As that method does.
    package func commit<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, of batch: some StreamBatch, in storage: Storage, waitsForRoom: Bool
    ) async throws {
        try checkComing(batch.stanzas)
        try takeUp()
        func places() -> Int {
            // The app may lower the limit during the wait.
            let limit = core.configuration.maximumUnacknowledged
            return batch.elements.first { !$0.isEmpty && $0.count <= limit }?.count ?? 0
        }
        guard waitsForRoom, places() > 0 else { return try commitNow(effects, of: batch, in: storage) }
        try await withRoom(for: places) { try commitNow(effects, of: batch, in: storage, hasWaited: true) }
    }

    /// - Parameter hasWaited: Whether the room belongs to this batch, before any other sender. All attempts use it.
    private func commitNow<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, of batch: some StreamBatch, in storage: Storage, hasWaited: Bool = false
    ) throws {
        try checkComing(batch.stanzas)
        batch.begin()
        while true {
            refuseEntries(of: batch, hasWaited: hasWaited)
            do {
                _ = try commitNow(effects, in: storage) { batch.result }
                return
            } catch {
                if !batch.beginAgain() { throw error }
            }
        }
    }

    private func refuseEntries(of batch: some StreamBatch, hasWaited: Bool) {
        var places = 0
        for (index, elements) in batch.elements.enumerated() where !elements.isEmpty {
            do throws(StreamManagementError) {
                for element in elements { try core.checkSize(of: element) }
                let isNext = roomQueue.isEmpty || (hasWaited && places == 0)
                guard isNext, core.hasRoom(for: places + elements.count), stream?.isFull != true else {
                    throw .queueFull(limit: core.configuration.maximumUnacknowledged)
                }
                places += elements.count
            } catch {
                batch.refuse(index, because: error)
            }
        }
    }

    /// Waits until there is room for stanzas to be sent (D23).
    package func waitUntilRoom(for count: Int) async throws {
        try await withRoom(for: { count }) {}
    }

    /// Entries have left a batch that waits for room. It keeps its place, and may need less room.
    package func entriesHaveLeft() { roomQueue.wakeAll() }

    /// Runs something that may wait for the disk on this session's thread.
    package func wait<Result: Sendable>(for body: @Sendable () -> Result) -> Result { body() }

    /// Reports a stanza without a number that the caller has given up (rule R40).
    package func reportDeadLetter(_ stanza: ReceivedStanza, attempts: Int, because error: (any Error)?) {
        report(.incomingDeadLetter(stanza.element, attempts: attempts, error: error.map(HandlingError.init)))
    }

    /// Counts a failed attempt to handle a stanza that the caller keeps (rule R40).
    ///
    /// - Throws: The error of the storage, unless it is temporary; the stream has ended then.
    package func countFailure(of stanza: ReceivedStanza, because error: (any Error)?) throws -> HandlingVerdict {
        if store == nil { return .comesAgain }
        handlingError = error.map(HandlingError.init)
        defer { handlingError = nil }
        var verdict = HandlingVerdict.comesAgain
        var actions: [Core.Action] = []
        for action in try core.handle(.handlingFailed(stanza), at: clock.now) {
            switch action {
            // The caller has it already.
            case .deliver(let other) where other.number == stanza.number: verdict = .again
            case .notify(.incomingDeadLetter):
                verdict = .deadLettered
                actions.append(action)
            default: actions.append(action)
            }
        }
        try perform(actions)
        return verdict
    }
}
