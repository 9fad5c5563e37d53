// Requests that end without their answers, and the clean-up before a stream begins.

extension DurableSessionCore {
    /// Reads which requests have ended, and the time of the next end.
    mutating func readRequests(_ step: inout Step) {
        guard handlesStanzas, deadlines.isDue(at: step.now.uptime) else { return }
        let number: AccessNumber = makeNumber()
        step.emit(.readRequests(number, after: deadlines.begin(number)))
    }

    mutating func requestsRead(_ number: AccessNumber, _ requests: [Request], _ step: inout Step) {
        guard deadlines.end(number) else { return }
        faults = 0
        let due = deadlines.due(of: requests, at: step.now)
        endings.keep(Set(due.map(\.serial)))
        for job in due where !isEnding(job.serial) { endings.add(job) }
        guard case .reading(let losesUnresumable) = sweep else { return }
        let number: AccessNumber = makeNumber()
        sweep = .sweeping(number)
        let timedOut = due.filter { $0.outcome == .timedOut }.map(\.serial)
        step.emit(.sweep(number, losesUnresumable: losesUnresumable, timedOut: timedOut))
    }

    /// Whether a job is about to end a request.
    private func isEnding(_ serial: Serial) -> Bool {
        current?.serial == serial || batch.ends(serial) || otherBatches.contains { $0.ends(serial) }
            || stragglers.values.contains { $0.serial == serial }
    }

    mutating func requestsNotRead(_ number: AccessNumber, _ failure: DatabaseFailure, _ step: inout Step) {
        guard deadlines.end(number) else { return }
        deadlines.retry(at: step.now.uptime + limits.pause)
        endSweep(isDone: false, &step)
        databaseFailed(failure, &step)
    }

    // MARK: Before a stream

    /// The core waits for no handler: a handler may wait for an answer, and the answer for this clean-up.
    mutating func streamIsGone(canResume: Bool, _ step: inout Step) {
        isOnline = false
        guard handlesStanzas else { return step.emit(.connect(false)) }
        sweep = .reading(losesUnresumable: !canResume)
        // A read that has begun may miss the requests that ended with the stream.
        deadlines.stop()
    }

    mutating func swept(_ number: AccessNumber, _ isDone: Bool, _ step: inout Step) {
        guard sweep == .sweeping(number) else { return }
        deadlines.isStale = true
        endSweep(isDone: isDone, &step)
    }

    mutating func endSweep(isDone: Bool, _ step: inout Step) {
        if sweep == .none { return }
        sweep = .none
        step.emit(.connect(isDone))
    }
}
