// When a batch commits, and the result of each entry.

extension DurableSessionCore {
    /// A transaction of the application waits for no handler.
    mutating func add(_ transaction: TransactionNumber, _ collected: Collected, _ step: inout Step) {
        if let refusal = phase.refusal { return step.emit(.finish(transaction, .refused(refusal))) }
        batch.append(.transaction(transaction), collected, at: step.now.uptime)
    }

    /// The application gives up a transaction. A commit that has begun may still end; one that waits for room may not.
    mutating func cancel(_ transaction: TransactionNumber, _ step: inout Step) {
        let item = Batch.Item.transaction(transaction)
        let removed = batch.removeItems { $0 == item } + roomless.next.removeItems { $0 == item }
        if !removed.isEmpty { return finish(transaction, .interrupted, &step) }
        guard otherBatches.contains(where: { $0.contains(item) }) else { return }
        canceled.insert(transaction)
        if let commit = roomless.committing, commit.batch.contains(item) {
            step.emit(.withdraw(transaction, commit.number))
        }
    }

    mutating func withdrawn(_ transaction: TransactionNumber, _ step: inout Step) {
        if roomless.withdraw(.transaction(transaction)) { finish(transaction, .interrupted, &step) }
    }

    mutating func finish(_ transaction: TransactionNumber, _ result: TransactionResult, _ step: inout Step) {
        canceled.remove(transaction)
        step.emit(.finish(transaction, result))
    }

    private mutating func finish(_ items: [Batch.Item], _ result: TransactionResult, _ step: inout Step) {
        for case .transaction(let transaction) in items { finish(transaction, result, &step) }
    }

    /// The session was suspended while these transactions waited for the end of a run.
    mutating func refuseTransactions(_ step: inout Step) {
        guard let refusal = phase.refusal else { return }
        finish(batch.removeItems(where: \.isTransaction), .refused(refusal), &step)
    }

    /// Commits the batch if it is complete: no job can add to it now, something waits for it, it is large, or it is
    /// old.
    mutating func commit(_ step: inout Step) {
        let now = step.now.uptime
        guard committing == nil, !batch.isEmpty, !batch.rests(at: now), !isStoring else { return }
        let isWanted = current.map(\.waitsToRead) ?? true
        guard isWanted || batch.mustCommit || !batch.hasRoom(limits) || batch.isOld(at: now, limits) else { return }
        let commit = Commit(number: makeNumber(), batch: batch.takeNext())
        committing = commit
        step.emit(.commit(commit.number, commit.batch.items.map(\.entry)))
    }

    mutating func committed(_ number: AccessNumber, _ results: [EntryResult], _ step: inout Step) {
        let later = roomless.takeLater(than: number)
        guard let commit = takeCommit(number) else { return }
        faults = 0
        let entries = Array(zip(commit.batch.members, results))
        release(entries, &step)
        var isStopped = false
        for (member, result) in entries {
            switch (member.item, result) {
            case (_, .noRoom):
                isStopped = isStopped || member.item.isStanza
                wait(member, &step)
            case (.transaction(let transaction), _): finish(transaction, TransactionResult(result), &step)
            case (.stanza(_, let handled), .done), (.stanza(_, let handled), .ended):
                if let match = handled?.match { noteEnd(of: match.serial) }
            case (.stanza(let job, let handled), .held):
                isStopped = true
                hold(job, handled, &step)
            case (.stanza(let job, let handled), .failed), (.stanza(let job, let handled), .interrupted):
                isStopped = true
                failed(job, handled?.match, result == .failed ? .failed : .interrupted, &step)
            case (.ending(let job, _), .done), (.ending(let job, _), .ended): noteEnd(of: job.serial)
            case (.greeting(let attempt), .done), (.greeting(let attempt), .ended): greetingEnded(attempt, &step)
            case (.greeting(let attempt), .failed): greetingFailed(attempt, .failed, &step)
            case (.greeting(let attempt), .interrupted), (.greeting(let attempt), .held):
                greetingFailed(attempt, .interrupted, &step)
            case (.ending(let job, _), .failed): failed(job, .failed, &step)
            case (.ending(let job, _), .interrupted), (.ending(let job, _), .held): failed(job, .interrupted, &step)
            }
        }
        if !later.isEmpty { roomless.next.add(later) }
        if isStopped {
            for case .stanza(let job, let handled) in batch.removeItems(where: \.isStanza) { hold(job, handled, &step) }
            if !handlesStanzas { abandonStanza(&step) }
        }
        if commit.batch.hasRequests { deadlines.isStale = true }
    }

    /// Acknowledges committed stanzas, and sends committed requests.
    private func release(_ entries: [(Batch.Member, EntryResult)], _ step: inout Step) {
        var acknowledged: [StanzaNumber] = []
        var sent: [Entry.Work] = []
        for (member, result) in entries {
            let entry = member.item.entry
            if result == .done || result == .ended, let stanza = entry.stanza { acknowledged.append(stanza) }
            if result == .done, let work = entry.work { sent.append(work) }
        }
        if !acknowledged.isEmpty { step.emit(.acknowledge(acknowledged)) }
        if !sent.isEmpty { step.emit(.send(sent)) }
    }

    /// A stanza after one that has failed keeps its handler's changes.
    mutating func hold(_ job: StanzaJob, _ handled: StanzaJob.Handled?, _ step: inout Step) {
        guard handlesStanzas else { return step.emit(.putBack([job.stanza.number])) }
        var job = job
        job.state = .collected(handled)
        incoming.insert(job)
    }

    private mutating func noteEnd(of serial: Serial) {
        incoming.noteEnd(of: serial)
        deadlines.noteEnd(of: serial)
        endings.remove(serial)
    }

    /// The commit changed nothing. The application gets the error of its transactions; the core retries the rest.
    mutating func notCommitted(_ number: AccessNumber, _ failure: DatabaseFailure, _ step: inout Step) {
        guard let commit = takeCommit(number) else { return }
        if failure == .staleStanza { return stop(without: commit.batch, &step) }
        var retried = commit.batch
        finish(retried.removeItems(where: \.isTransaction), .refused(.failed(failure)), &step)
        // A suspect commits alone and before them. They must not wait as long as that fails.
        if retried.hasSuspect { finish(batch.removeItems(where: \.isTransaction), .refused(.failed(failure)), &step) }
        if !retried.isEmpty {
            retried.retry(before: batch, at: step.now.uptime + limits.pause)
            batch = retried
            dropFormerGreetings(&step)
        }
        databaseFailed(failure, &step)
    }

    /// Ends the run without its stanzas, whose session is over. The rest of the batch commits.
    private mutating func stop(without failed: Batch, _ step: inout Step) {
        var rest = failed
        rest.add(batch)
        let stanzas = rest.removeItems(where: \.isStanza).compactMap(\.entry.stanza)
        if !stanzas.isEmpty { step.emit(.putBack(stanzas)) }
        batch = rest
        dropFormerGreetings(&step)
        databaseFailed(.staleStanza, &step)
        abandonStanza(&step)
        batch.mustCommit = true
    }

    /// Drops collected changes that are not in the running commit. Transactions that the session does not refuse stay.
    mutating func dropBatch(because failure: DatabaseFailure, _ step: inout Step) {
        var stanzas: [StanzaNumber] = []
        var kept = Batch()
        for item in batch.items {
            switch item {
            case .stanza(let job, _): stanzas.append(job.stanza.number)
            case .transaction where phase.refusal == nil: kept.append(item, at: step.now.uptime)
            case .transaction(let transaction): finish(transaction, .refused(.failed(failure)), &step)
            case .ending(_, let attempt?): step.emit(.cancel(attempt))
            case .greeting(let attempt):
                step.emit(.cancel(attempt))
                greetingFailed(attempt, .interrupted, &step)
            case .ending: break
            }
        }
        batch = kept
        if !stanzas.isEmpty { step.emit(.putBack(stanzas)) }
    }
}

extension DurableSessionCore.TransactionResult {
    fileprivate init(_ result: DurableSessionCore.EntryResult) {
        switch result {
        case .done: self = .done
        case .failed, .ended: self = .failed
        case .interrupted, .held, .noRoom: self = .interrupted
        }
    }
}
