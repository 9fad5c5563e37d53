// The operations of a process in the database, one after the other.

import SessionCore
import XMPPCore

extension SimulatedProcess {
    /// Performs the next operation.
    func access() throws {
        guard let index = nextOperation else { return }
        let operation = operations.remove(at: index)
        if isSuspended { throw Violation("a suspended session leaves the database alone", "\(operation)") }
        if let event = try perform(operation, failure: database.nextFailure()) { try note(event, of: operation) }
        try database.check()
    }

    /// Keeps the result of an operation for the core.
    func note(_ event: Core.Event, of operation: Operation) throws(Violation) {
        if case .commitWithRoom(_, let entries) = operation, case .committed(_, let results) = event, !hasNoTime,
            let first = entries.firstIndex(where: { (work(of: $0)?.stanzaCount ?? 0) > 0 }), results[first] == .noRoom
        {
            throw Violation("an entry keeps its place until there is room", "\(entries[first])")
        }
        results.append(event)
    }

    private func perform(_ operation: Operation, failure: Core.DatabaseFailure?) throws -> Core.Event? {
        switch operation {
        case .claim(let call):
            return try failure == nil && claim(takingOver: takesOver) ? .claimed(for: call) : .notClaimed(for: call)
        case .suspendStream:
            // The core has put back every stanza that it has neither committed nor given up.
            if let stanza = deliveries.values.first?.stanza {
                throw Violation("a run that ends keeps no stanza", stanza.id)
            }
            suspendStream()
            return .streamSuspended
        case .closeStream:
            try closeStream()
            return .streamClosed
        case .forgetSession: return failure == nil ? .sessionForgotten(forget()) : .sessionNotForgotten
        case .lookUp(let number, let stanzas): return lookUp(number, stanzas, failure)
        case .commit(let number, let entries):
            for case .transaction(let transaction) in entries.map(\.work) { roomless.remove(transaction) }
            if failure != nil, fault != .trustsFailedCommits { try noteFailedCommit() }
            return try commit(number, entries, failure)
        case .commitWithRoom(let number, let entries):
            if isOwner, hasNoTime, !hasRoom(for: entries) {
                return .committed(number, entries.map { _ in .noRoom })
            }
            return try commit(number, entries, failure)
        case .countFailure(let stanza): return .failureCounted(stanza, try countFailure(stanza))
        case .readRequests(let number, let serial):
            if let failure { return .requestsNotRead(number, failure) }
            return .requestsRead(number, database.ending(after: serial))
        case .sweep(let number, let losesUnresumable, let timedOut):
            guard failure == nil, isOwner else { return .swept(number, false) }
            if losesUnresumable { database.lose(sentIn: nil) }
            database.withdraw(timedOut)
            return .swept(number, true)
        }
    }

    /// Takes the session, if no other process has it.
    func claim(takingOver: Bool) throws(Violation) -> Bool {
        if isOwner { return true }
        if !takingOver, database.owner > 0 {
            let isAlive = world.isAlive(database.owner)
            let holds = database.lease.holds(by: clock, for: Lease.time) || makes(.hasEndlessLeases)
            if holds, isAlive || !world.setup.seesEnds {
                world.tally.countLease(isAlive ? "respected" : "late")
                return false
            }
            if isAlive { world.tally.countLease("early") }
        }
        world.changesOwner()
        database.owner = token
        renew()
        handled = []
        acknowledged = []
        delivered = database.session?.handled ?? 0
        storedAttempts = database.session?.attempts
        return true
    }

    /// Renews the lease, unless another process has the session.
    func renew() {
        if !isOwner, !(lease != nil && makes(.renewsLostLeases)) { return }
        lease = Lease(from: clock, for: Lease.time)
        database.lease = lease ?? database.lease
        database.owner = token
    }

    private func lookUp(
        _ number: Core.AccessNumber, _ stanzas: [Core.StanzaNumber], _ failure: Core.DatabaseFailure?
    ) -> Core.Event {
        if let failure, !makes(.dropsUnreadAnswers) { return .notFound(number, failure) }
        return .found(
            number,
            stanzas.map { stanza in
                guard failure == nil, case .answer(let id) = deliveries[stanza]?.stanza.kind,
                    let row = database.request(id)
                else { return nil }
                return Core.Match(serial: row.serial)
            })
    }

    // MARK: Committing

    private func commit(
        _ number: Core.AccessNumber, _ entries: [Core.Entry], _ failure: Core.DatabaseFailure?
    ) throws -> Core.Event {
        let suspect = entries.compactMap(\.stanza).first { deliveries[$0]?.isSuspect == true }
        if let suspect, entries.count > 1 { throw Violation("a suspect commits alone", "\(suspect)") }
        if let failure {
            if makes(.trustsFailedCommits) { return .committed(number, entries.map { _ in .done }) }
            return .notCommitted(number, failure)
        }
        let trusts = lease?.holds(by: clock, for: Lease.time) == true
        if lease?.isDue(by: clock, for: Lease.time) == true { renew() }
        if !isOwner, !isClosed, !makes(.ignoresOwner), !(trusts && makes(.trustsLeases)) {
            // The stream that has noticed it knows that the stanzas come again.
            let isStale = link == nil && entries.contains { $0.stanza != nil }
            return .notCommitted(number, isStale ? .staleStanza : .notOwner)
        }
        var results: [Core.EntryResult] = []
        var hasFailed = false
        for entry in entries {
            let result: Core.EntryResult
            if hasFailed, entry.stanza != nil, !makes(.commitsBehindFailures) {
                result = .held
            } else {
                result = try make(entry)
            }
            if entry.stanza != nil, result != .done, result != .ended { hasFailed = true }
            results.append(result)
        }
        return .committed(number, results)
    }

    /// The application soon gets the error of a transaction that does not wait for room, even if another entry commits
    /// before it. It waits for no commit that waits for room.
    private func noteFailedCommit() throws(Violation) {
        for number in transactions.keys where !roomless.contains(number) {
            failures[number, default: 0] += 1
            if failures[number, default: 0] > 3 {
                throw Violation("a transaction fails with the database", "\(number)")
            }
        }
    }

    private func make(_ entry: Core.Entry) throws -> Core.EntryResult {
        let work = work(of: entry)
        if entry.work != nil, work == nil { throw Violation("a committed entry was collected", "\(entry)") }
        if let work, !hasRoom(for: work.stanzaCount), !makes(.ignoresRoom) {
            if case .transaction(let number) = entry.work { roomless.insert(number) }
            return .noRoom
        }
        if let work, work.fails || work.isInterrupted {
            if makes(.hasNoSavepoints) { try apply(work, entry) }
            if work.fails, let stanza = work.stanza { ledger.blame(stanza.id) }
            if work.isInterrupted, let stanza = work.stanza { ledger.blame(stanza.id) }
            return work.isInterrupted ? .interrupted : .failed
        }
        if let ending = entry.ends {
            let wasOpen = database.end(ending)
            if fault == .endsInAnotherTransaction, world.isUnlucky(), makes(.endsInAnotherTransaction) {
                throw Killed()
            }
            if !wasOpen, !makes(.endsUnconditionally) {
                try markHandled(entry, hasEffects: false)
                if case .attempt(let attempt) = entry.work { works[attempt] = nil }
                return .ended
            }
            world.ended[ending.serial] = token
        }
        if let work { try apply(work, entry) }
        try markHandled(entry, hasEffects: work != nil)
        return .done
    }

    private func apply(_ work: SimulatedWork, _ entry: Core.Entry) throws(Violation) {
        if !hasRoom(for: work.stanzaCount) { throw Violation("the queue of outgoing stanzas is bounded") }
        database.apply(work, isOnline: isOnline && !isClosed, at: world.now)
        if let stanza = work.stanza, let abandoned = world.abandoned.removeValue(forKey: stanza.id) {
            database.apply(abandoned, isOnline: isOnline, at: world.now)
            try ledger.committed(stanza.id, hasEffects: true)
        }
        if entry.stanza != nil, work.fails { try markHandled(entry, hasEffects: true) }
    }

    private func markHandled(_ entry: Core.Entry, hasEffects: Bool) throws(Violation) {
        guard let number = entry.stanza, let delivery = deliveries[number] else { return }
        if !hasEffects, entry.ends == nil, case .answer(let id) = delivery.stanza.kind, let row = database.request(id),
            row.cause == nil
        {
            throw Violation("an answer to an open request is not dropped", "\(delivery.stanza.id) to \(id)")
        }
        try ledger.committed(delivery.stanza.id, hasEffects: hasEffects)
        guard let session = delivery.session, session == database.session?.id else { return }
        handled.insert(delivery.position)
        if let sent = server.session, sent.id == session {
            for earlier in 0..<delivery.position
            where !ledger.isDone(sent.sent[earlier].id) {
                throw Violation("changes are made in the order of stanzas", "\(delivery.stanza.id)")
            }
        }
        advance(session: session)
    }

    /// Counts the stanzas that are handled without a gap.
    func advance(session: Int?) {
        guard var row = database.session, row.id == session else { return }
        let before = row.handled
        while handled.contains(row.handled) { row.handled += 1 }
        if row.handled > before { row.attempts = 0 }
        database.session = row
    }

    // MARK: Failures

    /// The rule R40 as the stream applies it.
    private func countFailure(_ number: Core.StanzaNumber) throws(Violation) -> Core.Verdict {
        guard let delivery = deliveries[number] else { return .comesAgain }
        guard isOwner else {
            // The stream ends where it cannot store.
            link?.isCut = true
            deliveries[number] = nil
            return .comesAgain
        }
        guard let session = delivery.session, session == database.session?.id else {
            // The session is gone, so no process counts its failures.
            ledger.exempt(delivery.stanza.id)
            deliveries[number] = nil
            return .comesAgain
        }
        if makes(.countsNoFailures) { return .again }
        if core.phase.name != "running", makes(.losesCountedStanzas) { return .comesAgain }
        guard var row = database.session, row.handled == delivery.position else {
            throw Violation("a failure is counted when everything in front is committed", delivery.stanza.id)
        }
        row.attempts = max(row.attempts, 1)
        if row.attempts >= SessionSetup.attempts {
            try deadLetter(delivery)
            deliveries[number] = nil
            handled.insert(delivery.position)
            acknowledged.insert(delivery.position)
            advance(session: session)
            return .deadLettered
        }
        row.attempts += 1
        database.session = row
        return .again
    }
}
