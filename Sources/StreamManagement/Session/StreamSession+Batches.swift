// Several stanzas at once: taken in one step, and committed in one transaction.

package import XMLTree

/// Entries that commit in one transaction. Some of them may fail by themselves.
package protocol StreamBatch: Sendable {
    /// The received stanzas of the entries.
    var stanzas: [ReceivedStanza] { get }
    /// The stanzas that each entry sends.
    var elements: [[Element]] { get }
    /// An entry must not commit. Called before the effects are made.
    func refuse(_ entry: Int, because error: StreamManagementError)
    /// The effects are made, and these stanzas belong to them.
    var result: StreamBatchResult { get }
}

/// The stanzas of a batch whose effects are made.
package struct StreamBatchResult: Sendable {
    package let handled: [IncomingNumber]
    package let sent: [Element]
    /// Whether a waiting stanza is not to be sent any more.
    package let isWithdrawn: @Sendable (Element) -> Bool

    package init(
        handled: [IncomingNumber], sent: [Element], isWithdrawn: @escaping @Sendable (Element) -> Bool
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
    /// Takes received stanzas, at most `limit`, and no further ones after so many bytes: waits for the first one, and
    /// takes those that follow it without a wait for the server.
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
    /// Waits until there is room for the first entry that sends stanzas (D23). Refuses entries that do not fit then,
    /// and those with a stanza that the server does not accept.
    ///
    /// - Throws: As that method does.
    package func commit<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, of batch: some StreamBatch, in storage: Storage
    ) async throws {
        let limit = core.configuration.maximumUnacknowledged
        try checkComing(batch)
        try takeUp()
        let places = batch.elements.lazy.map(\.count).first { $0 > 0 && $0 <= limit }
        guard let places else { return try commitNow(effects, batch, in: storage) }
        try await withRoom(for: places) { try commitNow(effects, batch, in: storage) }
    }

    private func commitNow<Storage: TransactionalStorage>(
        _ effects: Storage.Store.Effects, _ batch: some StreamBatch, in storage: Storage
    ) throws {
        try checkComing(batch)
        guard let store else { throw StorageError.takenOver(account: account) }
        guard let inner = storage.openStore(of: account), store.writes(to: inner) else {
            try checkOwner()
            throw StorageError.takesNoEffects
        }
        refuseEntries(of: batch)
        var actions: [Core.Action] = []
        var sent: [SentStanza] = []
        var result: StreamBatchResult?
        do {
            let failure = try store.write(with: [effects], in: inner) { _ in
                let made = batch.result
                result = made
                sent = try note(made, &actions)
                return actions.compactMap { if case .store(let change, _) = $0 { change } else { nil } }
            }
            if let failure { throw failure }
        } catch {
            // Nothing has changed, unless the core knows changes that the store does not have, or the session has
            // another owner.
            if result != nil || error.isOfAnotherOwner { storageFailed(error) }
            throw error
        }
        if result?.handled.isEmpty == false { core.handledCountIsStored() }
        for stanza in sent { self.sent[stanza.number] = stanza }
        // The transaction has stored the rest.
        try perform(actions.filter { if case .store = $0 { false } else { true } })
    }

    private func refuseEntries(of batch: some StreamBatch) {
        let limit = core.configuration.maximumUnacknowledged
        var places = 0
        for (index, elements) in batch.elements.enumerated() {
            do throws(StreamManagementError) {
                for element in elements { try core.checkSize(of: element) }
                guard core.hasPlaces(for: places + elements.count) else { throw .queueFull(limit: limit) }
                places += elements.count
            } catch {
                batch.refuse(index, because: error)
            }
        }
    }

    /// Lets the core know the stanzas of a batch that is about to commit, and collects its actions.
    private func note(_ result: StreamBatchResult, _ actions: inout [Core.Action]) throws -> [SentStanza] {
        let now = clock.now
        for number in result.handled { actions += try core.handle(.markHandled(number), at: now) }
        for number in core.waiting.filter({ result.isWithdrawn($0.element) }).map(\.number) {
            actions += try core.handle(.withdraw(number), at: now)
        }
        var sent: [SentStanza] = []
        for element in result.sent {
            sent.append(SentStanza(number: core.upcomingNumber, element: element))
            let id = delegate?.session(self, idForSentStanza: element)
            actions += try core.handle(.send(element, id: id), at: now)
        }
        return sent
    }

    private func checkComing(_ batch: some StreamBatch) throws(StreamManagementError) {
        if isClosed { throw .ended }
        for case let number? in batch.stanzas.map(\.number) where comingAgain.contains(number.rawValue) {
            throw .comesAgain
        }
    }

    /// Waits until there is room for stanzas to be sent (D23).
    package func waitUntilRoom(for count: Int) async throws {
        try await withRoom(for: count) {}
    }

    /// Runs something that may wait for the disk on this session's thread.
    package func wait<Result: Sendable>(for body: @Sendable () -> Result) -> Result { body() }

    /// Reports a stanza without a number that the caller has given up (rule R40).
    package func reportDeadLetter(_ stanza: ReceivedStanza, attempts: Int, because error: (any Error)?) {
        tell(.setAside(stanza.element, attempts: attempts, error: error.map(HandlingError.init)))
    }

    /// Counts a failed attempt to handle a stanza that the caller keeps (rule R40).
    ///
    /// - Throws: The error of the storage; the stream has ended then.
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
            case .notify(.setAside):
                verdict = .deadLettered
                actions.append(action)
            default: actions.append(action)
            }
        }
        try perform(actions)
        return verdict
    }
}
