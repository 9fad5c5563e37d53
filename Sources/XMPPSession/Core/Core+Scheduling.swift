// Which job is next: one handler runs at a time, ends of requests come before stanzas, and stanzas keep their order.

extension DurableSessionCore {
    mutating func receive(_ stanza: Stanza, _ step: inout Step) {
        if handlesStanzas { incoming.append(stanza) } else { step.emit(.putBack([stanza.number])) }
    }

    /// Begins the jobs that can begin.
    mutating func startJobs(_ step: inout Step) {
        while current == nil, hasRoom, startEnding(&step) || startStanza(&step) {}
    }

    /// Whether another handler may run. If it ended the process, the next process would blame a suspect that is about
    /// to commit. A suspect that waits for room may wait until the next connection, which delays no end of a request.
    private var hasRoom: Bool {
        batch.hasRoom(limits, beside: committing?.batch, roomless.batches) && !batch.hasSuspect
            && committing?.batch.hasSuspect != true
    }

    /// Whether a job has to wait for the commit of another one, of the same request.
    private mutating func mustWait(_ serial: Serial) -> Bool {
        if otherBatches.contains(where: { $0.ends(serial) }) { return true }
        guard batch.ends(serial) else { return false }
        batch.mustCommit = true
        return true
    }

    // MARK: Ends of requests

    private var endsRequests: Bool {
        switch phase {
        case .running: true
        case .closing(let closing): closing.stage == .ending
        case .idle, .claiming, .suspending, .suspended, .closed: false
        }
    }

    /// - Returns: Whether it took one from the queue.
    private mutating func startEnding(_ step: inout Step) -> Bool {
        guard endsRequests, !roomless.isLarge(limits), var job = endings.next(at: step.now.uptime) else { return false }
        // The answer has arrived, and counts more than the timeout.
        let isAnswered = job.outcome == .timedOut && incoming.answers(job.serial)
        if isAnswered || mustWait(job.serial) {
            // Room may take as long as the next connection.
            job.restsUntil = step.now.uptime + (roomless.isEmpty ? limits.failurePause : limits.pause)
            endings.add(job)
            return false
        }
        let attempt: Attempt = makeNumber()
        current = RunningHandler(attempt: attempt, job: .ending(job), at: step.now.uptime, limit: handlerTime)
        step.emit(.invalidate(attempt, job.ending))
        return true
    }

    private var handlerTime: Duration { handlesStanzas ? limits.handlerTime : limits.closingTime }

    // MARK: Stanzas

    /// - Returns: Whether it took one from the queue, or ended the rest of the first one.
    private mutating func startStanza(_ step: inout Step) -> Bool {
        guard handlesStanzas, !roomless.hasStanza, let job = incoming.first else { return false }
        switch job.state {
        case .unknown, .counting: return false
        case .resting(let time):
            guard time <= step.now.uptime else { return false }
            incoming.setFirst(job.again.state)
            return true
        case .failed:
            countFailure(job, &step)
            return false
        case .collected: return rejoin(at: step.now.uptime)
        case .ready(let match):
            if job.stanza.isSuspect, hasEntries {
                batch.mustCommit = true
                return false
            }
            if let match {
                if incoming.hasEnded(match.serial) { return drop(&step) }
                if mustWait(match.serial) { return false }
            } else if job.stanza.isAnswer {
                return drop(&step)
            }
            let attempt: Attempt = makeNumber()
            let running = RunningHandler.Job.stanza(incoming.removeFirst(), match)
            current = RunningHandler(attempt: attempt, job: running, at: step.now.uptime, limit: limits.handlerTime)
            step.emit(.handle(attempt, job.stanza.number, match))
            return true
        }
    }

    /// Adds held stanzas to the batch, unless an earlier one waits for room or runs.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    mutating func rejoin(at now: Duration) -> Bool {
        var hasRejoined = false
        while handlesStanzas, !roomless.hasStanza, batch.hasRoom(limits), let job = incoming.first,
            case .collected(let handled) = job.state, current?.stanza.map({ job.stanza.number < $0 }) ?? true
        {
            batch.append(.stanza(incoming.removeFirst(), handled), handled?.collected ?? Collected(), at: now)
            hasRejoined = true
        }
        return hasRejoined
    }

    /// Whether any entry is not committed.
    private var hasEntries: Bool { !batch.isEmpty || committing != nil }

    /// An answer to no open request counts as handled.
    private mutating func drop(_ step: inout Step) -> Bool {
        batch.append(.stanza(incoming.removeFirst(), nil), at: step.now.uptime)
        return true
    }

    /// The stream counts for the first unhandled stanza, so everything before this one commits first.
    private mutating func countFailure(_ job: StanzaJob, _ step: inout Step) {
        if hasEntries {
            batch.mustCommit = true
        } else {
            incoming.setFirst(.counting)
            counting = job.stanza.number
            step.emit(.countFailure(job.stanza.number))
        }
    }

    mutating func failureCounted(_ stanza: StanzaNumber, _ verdict: Verdict, _ step: inout Step) {
        guard counting == stanza else { return }
        counting = nil
        // The stanza may have been an answer.
        if verdict == .deadLettered { deadlines.isStale = true }
        guard incoming.first?.stanza.number == stanza else {
            // The run has ended in between.
            if verdict == .again { step.emit(.putBack([stanza])) }
            return
        }
        switch verdict {
        case .again: incoming.setFirst(.resting(until: step.now.uptime + limits.failurePause))
        case .comesAgain, .deadLettered: _ = incoming.removeFirst()
        }
    }
}
