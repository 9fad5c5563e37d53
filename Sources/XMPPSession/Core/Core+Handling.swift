// The end of a handler: it returns, throws, or takes too long.

extension DurableSessionCore {
    mutating func read(_ attempt: Attempt, _ step: inout Step) {
        if stragglers[attempt] != nil { return step.emit(.allowRead(attempt)) }
        if current?.attempt == attempt { current?.waitsToRead = true }
    }

    /// Lets the running handler read when the changes of earlier stanzas are committed. It does not wait for those of
    /// an invalidation, a greeting or a transaction that waits for room.
    mutating func allowRead(_ step: inout Step) {
        guard let running = current, running.waitsToRead, batch.isEmpty, committing == nil, !roomless.hasStanza else {
            return
        }
        current?.waitsToRead = false
        step.emit(.allowRead(running.attempt))
    }

    mutating func returned(_ attempt: Attempt, _ collected: Collected, _ step: inout Step) {
        let now = step.now.uptime
        if let job = stragglers.removeValue(forKey: attempt) {
            return batch.append(.ending(job, attempt), collected, at: now)
        }
        if greeting.collect(attempt) {
            batch.append(.greeting(attempt), collected, at: now)
            return
        }
        guard let running = current, running.attempt == attempt else { return }
        current = nil
        switch running.job {
        case .ending(let job): batch.append(.ending(job, attempt), collected, at: now)
        case .stanza(var job, let match):
            let handled = StanzaJob.Handled(attempt: attempt, collected: collected, match: match)
            let isLater = incoming.first.map { $0.stanza.number < job.stanza.number } ?? false
            if isLater || roomless.hasStanza {
                job.state = .collected(handled)
                incoming.insert(job)
            } else {
                batch.append(.stanza(job, handled), collected, at: now)
            }
        }
    }

    mutating func threw(_ attempt: Attempt, _ failure: Failure, _ step: inout Step) {
        if stragglers.removeValue(forKey: attempt) != nil { return }
        if greeting.attempt == attempt { return greetingFailed(attempt, failure, &step) }
        guard let running = current, running.attempt == attempt else { return }
        current = nil
        failed(running.job, failure, &step)
    }

    /// Cancels the running handler. The core retries its job, or counts a failure.
    mutating func abandon(_ failure: Failure, _ step: inout Step) {
        guard let running = current else { return }
        current = nil
        step.emit(.cancel(running.attempt))
        failed(running.job, failure, &step)
    }

    private mutating func failed(_ job: RunningHandler.Job, _ failure: Failure, _ step: inout Step) {
        switch job {
        case .stanza(let job, let match): failed(job, match, failure, &step)
        case .ending(let job): failed(job, failure, &step)
        }
    }

    // MARK: Stanzas

    mutating func failed(_ job: StanzaJob, _ match: Match?, _ failure: Failure, _ step: inout Step) {
        guard handlesStanzas else { return step.emit(.putBack([job.stanza.number])) }
        var job = job
        switch failure {
        case .database(let failure):
            job.rest(until: step.now.uptime + limits.pause)
            incoming.insert(job)
            databaseFailed(failure, &step)
        // Without a stream no answer could come.
        case .unanswered where !isOnline:
            job.rest(until: step.now.uptime + limits.pause)
            incoming.insert(job)
        case .unanswered(isInputHeldUp: true), .interrupted:
            job.interruptions += 1
            if job.interruptions > limits.attempts { return count(job, match, &step) }
            job.rest(until: step.now.uptime + limits.pause)
            incoming.insert(job)
        case .failed, .hopeless, .unanswered: count(job, match, &step)
        }
    }

    /// Counts a failure: the stream does if the server counts the stanza, and the core otherwise (rule R40).
    private mutating func count(_ job: StanzaJob, _ match: Match?, _ step: inout Step) {
        var job = job
        job.failures += 1
        if job.stanza.isCounted {
            job.state = .failed
        } else if job.failures < limits.attempts {
            job.rest(until: step.now.uptime + limits.failurePause)
        } else {
            step.emit(.deadLetter(job.stanza.number))
            if let match {
                let request = Request(serial: match.serial, cause: .notHandled)
                endings.add(EndingJob(request, because: .notHandled))
            }
            return
        }
        incoming.insert(job)
    }

    // MARK: Ends of requests

    mutating func failed(_ job: EndingJob, _ failure: Failure, _ step: inout Step) {
        let isClosing: Bool
        switch phase {
        case .running: isClosing = false
        case .closing(let closing) where closing.stage == .ending: isClosing = true
        // It ends in the next run, or in the next process.
        case .idle, .claiming, .suspending, .suspended, .closing, .closed: return
        }
        var job = job
        var pause = limits.pause
        switch failure {
        case .interrupted, .database(.busy): break
        case .database(let failure) where !isClosing: databaseFailed(failure, &step)
        // The next attempt finds its outcome.
        case .unanswered where !isClosing && !isOnline: break
        case .hopeless: job.failures = limits.attempts
        case .failed, .unanswered, .database:
            job.failures += 1
            if isClosing { pause = limits.failurePause }
        }
        if job.failures >= limits.attempts {
            // Only this session can end it.
            return batch.append(.ending(job, nil), at: step.now.uptime)
        }
        job.restsUntil = step.now.uptime + pause
        endings.add(job)
    }
}
