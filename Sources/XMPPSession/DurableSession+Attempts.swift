// Handlers: their calls, and the commit of their changes.

import Handlers
import Logging
import Persistence
import SafeText
import SessionCore
import StreamManagement
import XMLTree

extension DurableSession {
    /// Calls the handlers of a stanza.
    func begin(_ attempt: Core.Attempt, _ number: Core.StanzaNumber, _ match: Core.Match?) {
        let delivery = update { $0.deliveries[number] }
        start(attempt, of: .stanza(number)) { session, work in
            guard let stanza = delivery?.stanza.element else { return }
            if let found = delivery?.found, match != nil {
                try await session.end(found, .answered, with: stanza, work)
            } else {
                try await session.route(stanza, work)
            }
        }
    }

    func start(
        _ attempt: Core.Attempt, of kind: Attempt.Kind,
        _ body: @escaping @Sendable (DurableSession, StanzaWork) async throws -> Void
    ) {
        let flush: @Sendable () async -> Void = { [weak self] in await self?.flush(attempt) }
        var context = workContext
        context.flush = flush
        context.hasNoted = { [weak self] in await self?.hasNoted($0) ?? false }
        let work = StanzaWork(DatabaseWork(database: database), in: context, isLast: phase.isStreamClosed)
        let scope = HandlingScope(self)
        let earlier = EarlierChanges(commit: flush)
        // It inherits nothing from the task that the core's event came from.
        let task = Task.detached { [self] in
            do {
                try await scope.run {
                    try await EarlierChanges.$current.withValue(earlier) {
                        try await work.changes.run { try await body(self, work) }
                    }
                }
            } catch {
                return await threw(attempt, work, error)
            }
            await returned(attempt, work)
        }
        update { $0.attempts.add(Attempt(kind: kind, work: work, scope: scope, task: task), as: attempt) }
    }

    /// Commits earlier changes before a handler reads the database.
    private func flush(_ attempt: Core.Attempt) async {
        await withCheckedContinuation { continuation in
            // A canceled handler waits for nothing.
            if !update({ $0.attempts.add(continuation, of: attempt) }) { return continuation.resume() }
            handle(.readWanted(attempt))
        }
    }

    /// Whether work that is not committed has noted a stanza as handled.
    private func hasNoted(_ identifier: UniqueIdentifier) -> Bool { update { $0.attempts.hasNoted(identifier) } }

    func returned(_ attempt: Core.Attempt, _ work: StanzaWork) {
        if update({ !$0.attempts.noteReturn(of: attempt) }) { return }
        let received = update { tables in tables.attempts[attempt]?.stanza.flatMap { tables.deliveries[$0]?.weight } }
        handle(.returned(attempt, work.collected(with: received ?? 0)))
    }

    func threw(_ attempt: Core.Attempt, _ work: StanzaWork, _ error: any Error) async {
        guard let record = update({ $0.attempts.remove(attempt) }) else { return }
        let isInputHeldUp = await stream.isInputHeldUp
        if let stanza = record.stanza { update { $0.deliveries.note(error, for: stanza) } }
        log(error, of: record.kind)
        handle(
            .threw(
                attempt,
                Core.Failure(
                    error, lookUp: work.changes.failedLookUp, isInputHeldUp: isInputHeldUp,
                    isClosed: phase.isStreamClosed)))
    }

    /// A handler has taken half of its time.
    func noteSlowness(_ attempt: Core.Attempt) {
        let stanza = update { tables in tables.attempts[attempt]?.stanza.flatMap { tables.deliveries[$0]?.stanza } }
        log(.warning, "a handler has taken half of its time", of: stanza?.element)
    }

    private nonisolated func log(_ error: any Error, of kind: Attempt.Kind) {
        let text: Logger.Message =
            switch kind {
            case .stanza: "a stanza could not be handled"
            case .ending: "a request has ended, and the invalidation of its handler failed"
            case .greeting: "a new session is not greeted"
            }
        log(.warning, text, error: error.loggable)
        log(.debug, "the error itself", error: "\(error)")
    }

    /// Cancels a handler, and drops its changes.
    func drop(_ attempt: Core.Attempt) {
        guard let record = update({ $0.attempts.remove(attempt) }) else { return }
        record.scope.end()
        record.task.cancel()
    }

    // MARK: Committing

    /// Commits entries.
    ///
    /// - Parameter waitsForRoom: Whether the commit waits until the stream's queue has room for the first entry that
    ///   sends stanzas. Otherwise it skips the entries that have no room.
    func commit(_ number: Core.AccessNumber, _ entries: [Core.Entry], waitsForRoom: Bool) {
        let isClosed = phase.isStreamClosed
        let made = update { tables in
            TransactionEntries(
                entries.map { entry in
                    let work: StanzaWork? =
                        switch entry.work {
                        case nil: nil
                        case .attempt(let attempt): tables.attempts[attempt]?.work
                        case .transaction(let number): tables.transactions[number]?.work
                        }
                    let delivery = entry.stanza.flatMap { tables.deliveries[$0] }
                    return TransactionEntries.Item(entry, work: work, stanza: delivery?.stanza)
                })
        }
        // The task runs on the session's thread. The event may come from the task of a handler, whose reads wait for
        // this commit.
        let task = HandlingScope.outside {
            Task {
                do {
                    try await made.commit(in: database, with: isClosed ? nil : stream, waitsForRoom: waitsForRoom)
                } catch  where waitsForRoom && error is CancellationError {
                    made.noteLackOfRoom()
                } catch {
                    return notCommitted(number, error)
                }
                for (item, result) in zip(made.items, made.results) where result == .done {
                    if let unrouted = item.work?.unrouted { await report(unrouted) }
                }
                committed(number, made)
            }
        }
        update { $0.commits[number] = RunningCommit(entries: made, task: task) }
        stopCommitting()
    }

    private func committed(_ number: Core.AccessNumber, _ made: TransactionEntries) {
        update { _ = $0.commits.removeValue(forKey: number) }
        for (index, (entry, result)) in zip(made.items.map(\.entry), made.results).enumerated() {
            // A stanza that is held keeps the changes of its handler, and so does an entry that waits for room.
            if result == .noRoom || (result == .held && entry.stanza != nil) { continue }
            let error = made.error(of: index)
            if let error, let stanza = entry.stanza { update { $0.deliveries.note(error, for: stanza) } }
            switch entry.work {
            case .attempt(let attempt):
                let record = update { $0.attempts.remove(attempt) }
                if let error, let record { log(error, of: record.kind) }
            case .transaction(let transaction): update { $0.transactions[transaction]?.error = error }
            case nil: break
            }
        }
        handle(.committed(number, made.results))
    }

    private func notCommitted(_ number: Core.AccessNumber, _ error: any Error) {
        let failure = Core.DatabaseFailure(error)
        update { tables in
            tables.commits[number] = nil
            // The error of a stanza does not concern the transactions, which commit without it.
            if failure != .staleStanza { tables.databaseError = error }
        }
        log(
            failure == .notOwner || failure == .staleStanza ? .debug : .warning, "changes are not committed",
            error: error.loggable)
        handle(.notCommitted(number, failure))
    }

    /// From the deadline of the phase on, no commit waits for room for its stanzas.
    func stopCommitting() {
        // The session may run again by now, or have more time.
        guard let deadline = phase.deadline, deadline <= now else { return }
        for commit in update({ $0.commits.values }) { commit.task.cancel() }
    }

    /// Takes a transaction out of a commit, unless that has begun.
    func withdraw(_ transaction: Core.TransactionNumber, from number: Core.AccessNumber) {
        guard let commit = update({ $0.commits[number] }), commit.entries.withdraw(.transaction(transaction)) else {
            return
        }
        if commit.entries.items.isEmpty {
            commit.task.cancel()
        } else {
            Task { [stream] in await stream.entriesHaveLeft() }
        }
        handle(.withdrawn(transaction))
    }

    // MARK: Transactions of the application

    /// Commits collected changes.
    /// - Returns: Whether there was room for their stanzas. A canceled task does not wait for any.
    func store(_ work: StanzaWork) async throws -> Bool {
        let number: Core.TransactionNumber = makeNumber()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                update { $0.transactions[number] = CollectedTransaction(work: work, continuation: continuation) }
                handle(.transactionCollected(number, work.collected(with: 0)))
            }
        } onCancel: {
            Task { await self.handle(.transactionCanceled(number)) }
        }
    }

    func finish(_ number: Core.TransactionNumber, _ result: Core.TransactionResult) {
        let (transaction, databaseError) = update { ($0.transactions.removeValue(forKey: number), $0.databaseError) }
        guard let transaction else { return }
        switch result {
        case .done: transaction.continuation.resume(returning: true)
        case .interrupted where transaction.error == nil: transaction.continuation.resume(returning: false)
        case .refused(.suspended): transaction.continuation.resume(throwing: RequestError.suspended)
        case .refused(.closed): transaction.continuation.resume(throwing: StreamManagementError.ended)
        case .refused(.failed): transaction.continuation.resume(throwing: databaseError ?? StanzaDatabaseError.busy)
        case .failed, .interrupted, .refused:
            let error = transaction.error.map(StanzaDatabaseError.ofStep)
            transaction.continuation.resume(throwing: error ?? StanzaDatabaseError.busy)
        }
    }
}
