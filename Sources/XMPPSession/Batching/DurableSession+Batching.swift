// One transaction for all stanzas that came while the transaction before it committed.

import Persistence
import StreamManagement
import XMLTree

extension DurableSession {
    /// Handles a stanza, and those that follow it without a wait for the server, in one transaction.
    ///
    /// A stanza that has failed commits alone. After an owner that did not give the session up, whose process perhaps
    /// ended because of a stanza of its last batch, batches begin with one stanza and double.
    ///
    /// - Returns: Whether the stanza was handled or has failed; otherwise the next run handles it.
    func handleBatch(beginningWith first: ReceivedStanza) async -> Bool {
        if storage.takeUncleanEnd() { batchLimit = 1 }
        // A batch that handled nothing did not commit, and has not forgotten them.
        batch.forgetRequests()
        if isFailing(first) { return await handleAlone(first) }
        var next: ReceivedStanza? = first
        while let stanza = next {
            let hadEntries = !batch.isEmpty || committing != nil
            let attempt = await runHandler(of: stanza, isBatched: true)
            await waitForCommit()
            if batchFailure != nil {
                if case .success(let work) = attempt { await discard(work) }
                return await resolveFailure(before: [stanza])
            }
            switch attempt {
            case .success(let work): add(stanza, work)
            case .failure(let failure):
                await commitBatch(isLast: true)
                if batchFailure != nil { return await resolveFailure(before: [stanza]) }
                // Another stanza of the batch may have interrupted it, and has committed now.
                if hadEntries, case .isInterrupted = failure.kind { return await handleAlone(stanza) }
                return await handleAlone(stanza, after: failure)
            }
            next = await followingStanza()
        }
        await commitBatch(isLast: true)
        return await resolveFailure(before: [])
    }

    private func followingStanza() async -> ReceivedStanza? {
        guard batch.hasRoom(limit: batchLimit), !isSuspended, !Task.isCancelled else { return nil }
        let stanza = await stream.followingStanza()
        if let stanza, isSuspended || Task.isCancelled {
            await stream.putBack(stanza)
            return nil
        }
        return stanza
    }

    /// Handles a stanza in a transaction of its own.
    private func handleAlone(_ stanza: ReceivedStanza, after failure: HandlingAttemptFailure? = nil) async -> Bool {
        let isDone = await handle(stanza, after: failure)
        if !isDone { await stream.putBack(stanza) }
        return isDone
    }

    // MARK: Collecting

    private func add(_ stanza: ReceivedStanza, _ work: StanzaWork) {
        if batch.isEmpty {
            let end = clock.now.uptime + HandledBatch.maximumAge
            batchAlarm = Task { [clock, weak self] in
                do { try await clock.sleep(until: end) } catch { return }
                await self?.batchIsDue()
            }
        }
        batch.append(stanza, work)
    }

    /// The batch commits now, also while a handler runs.
    func batchIsDue() async {
        await stream.stopFollowing()
        await commitBatch()
    }

    /// Commits the batch before the running handler reads the database or sends a stanza directly.
    func commitEarlierStanzas() async throws {
        await commitBatch()
        if batchFailure != nil { throw EarlierStanzaFailed() }
    }

    // MARK: Changes that have not committed

    /// The requests that stanzas of the batch end.
    var uncommittedEnds: Set<Int64> { batch.serials.union(committingBatch.serials) }

    /// Whether a stanza of the batch has noted that identifier.
    func hasNoted(_ identifier: UniqueIdentifier) -> Bool {
        batch.hasNoted(identifier) || committingBatch.hasNoted(identifier)
    }

    // MARK: Committing

    /// Commits the batch, after the commit that runs.
    ///
    /// - Parameter isLast: Whether the task that handles stanzas waits for it: if that is canceled, the commit stops
    ///   waiting for room.
    func commitBatch(isLast: Bool = false) async {
        while let running = committing { await wait(for: running, isLast) }
        guard batchFailure == nil, !batch.isEmpty else { return }
        batchAlarm?.cancel()
        let entries = batch.entries
        committingBatch = batch.take()
        // A handler's task may want it, and a commit belongs to no handler.
        let commit = Task.detached { await self.commit(entries) }
        committing = commit
        await wait(for: commit, isLast)
    }

    private func waitForCommit() async {
        while let running = committing { await wait(for: running, true) }
    }

    private func wait(for commit: Task<Void, Never>, _ isLast: Bool) async {
        await withTaskCancellationHandler {
            await commit.value
        } onCancel: {
            if isLast { commit.cancel() }
        }
    }

    private func commit(_ entries: [HandledBatch.Entry]) async {
        defer {
            committing = nil
            committingBatch = HandledBatch()
        }
        var left = entries[...]
        while !left.isEmpty {
            do {
                let committed = try await stream.commit(left.map(\.batchEntry), in: storage)
                for entry in left.prefix(committed.count) {
                    await entry.work.database.end(isCommitted: true)
                    didEnd(entry.work)
                    entry.work.didCommit()
                }
                left = left.dropFirst(committed.count)
                batchLimit = min(batchLimit * 2, HandledBatch.maximumCount)
                guard let failed = left.first, let error = committed.failure else { continue }
                // The handled count covers no gap: the effects of later stanzas would commit without it.
                batchFailure = .entry(failed.stanza, error, later: left.dropFirst().map(\.stanza))
            } catch {
                batchFailure = .transaction(left.map(\.stanza), error)
            }
            for entry in left { await discard(entry.work) }
            return
        }
    }

    private func discard(_ work: StanzaWork) async {
        await work.database.end(isCommitted: false)
        didEnd(work)
    }

    // MARK: Failures

    /// Handles the stanza that failed alone, and offers those again that have not committed because of it.
    ///
    /// - Parameter others: Stanzas after the batch.
    func resolveFailure(before others: [ReceivedStanza]) async -> Bool {
        guard let failure = batchFailure else { return true }
        batchFailure = nil
        switch failure {
        case .entry(let stanza, let error, let later):
            await stream.putBack(later + others)
            return await handleAlone(stanza, after: HandlingAttemptFailure(settling: error, logger))
        case .transaction(let stanzas, let error):
            return await resolve(stanzas, error, before: others)
        }
    }

    /// Handles the first stanza of a transaction that failed alone, and offers the others again.
    private func resolve(
        _ stanzas: [ReceivedStanza], _ error: any Error, before others: [ReceivedStanza]
    ) async -> Bool {
        let kind = HandlingFailure(settling: error)
        // Another process may handle the stanzas now: no handler runs again here.
        if case .comesAgain = kind {
            logger.debug("a batch comes again", metadata: ["error": "\(HandlingFailure.loggable(error))"])
            await stream.putBack(stanzas + others)
            return false
        }
        await stream.putBack(Array(stanzas.dropFirst()) + others)
        guard let first = stanzas.first else { return true }
        if stanzas.count == 1 {
            return await handleAlone(first, after: HandlingAttemptFailure(settling: error, logger))
        }
        // The error does not say which stanza caused it.
        logger.debug("a batch was not committed", metadata: ["error": "\(HandlingFailure.loggable(error))"])
        batchLimit = 1
        switch kind {
        // As after a single stanza: the run may end meanwhile, and then no handler runs again.
        case .isTemporary, .isBroken: await pause(Self.pauseForDatabase)
        case .comesAgain, .isInterrupted, .failed: break
        }
        return await handleAlone(first)
    }
}

extension HandledBatch.Entry {
    fileprivate var batchEntry: BatchEntry<DatabaseWork> {
        BatchEntry(stanza: stanza, effects: work.database, outgoing: outgoing)
    }
}
