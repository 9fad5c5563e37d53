// How a run begins and ends.

extension DurableSessionCore {
    mutating func run(_ call: Call, _ step: inout Step) {
        switch phase {
        case .idle, .suspended: claim(for: call, &step)
        case .claiming, .running: step.emit(.answer(call, .alreadyRunning))
        case .suspending(var suspending):
            // The call also waits for a run that ends by itself.
            suspending.nextRuns.append(call)
            phase = .suspending(suspending)
        case .closing, .closed: step.emit(.answer(call, .closed))
        }
    }

    private mutating func claim(for call: Call, _ step: inout Step) {
        phase = .claiming(run: call, isSuspended: phase == .suspended)
        step.emit(.claim(for: call))
    }

    mutating func claimed(for call: Call, attempts: Int?, handlerTime: Duration?, _ step: inout Step) {
        guard case .claiming(call, _) = phase else { return }
        if let attempts { limits.attempts = attempts }
        if let handlerTime { limits.handlerTime = handlerTime }
        phase = .running(run: call)
        faults = 0
        // Another process may have ended requests since the last run.
        deadlines.readAll()
        step.emit(.runStream)
    }

    mutating func notClaimed(for call: Call, _ step: inout Step) {
        guard case .claiming(call, let isSuspended) = phase else { return }
        phase = isSuspended ? .suspended : .idle
        step.emit(.answer(call, .notClaimed))
    }

    /// The run ends by itself.
    mutating func streamEnded(_ step: inout Step) {
        isOnline = false
        guard case .running(let run) = phase else { return }
        leave(as: Suspending(run: run, answer: .streamEnded, deadline: step.now.uptime), &step)
    }

    /// Stops the run, because the session can no longer handle anything.
    mutating func stop(_ failure: DatabaseFailure, _ step: inout Step) {
        guard case .running(let run) = phase else { return }
        if failure == .broken { step.emit(.failStream) }
        leave(as: Suspending(run: run, answer: .failed(failure), deadline: step.now.uptime), &step)
    }

    /// Begins to suspend the session.
    mutating func leave(as suspending: Suspending, _ step: inout Step) {
        phase = .suspending(suspending)
        dropJobs(&step)
    }

    /// Drops the jobs that have not begun. Those that have begun may end and commit.
    mutating func dropJobs(_ step: inout Step) {
        if let running = current?.stanza,
            roomless.hasStanza || incoming.first.map({ $0.stanza.number < running }) ?? false
        {
            abandonStanza(&step)
        }
        stopWaitingForRoom()
        let stanzas = incoming.removeAll()
        if !stanzas.isEmpty { step.emit(.putBack(stanzas)) }
        stopGreeting(&step)
        endings.removeAll()
        deadlines.stop()
        lookUpRestsUntil = nil
        batch.mustCommit = true
        endSweep(isDone: false, &step)
    }

    /// Abandons the running stanza, because the core puts back one before it: both come again.
    mutating func abandonStanza(_ step: inout Step) {
        if current?.stanza != nil { abandon(.interrupted, &step) }
    }

    /// Whether the core has committed or given up every job that has begun.
    var isQuiet: Bool {
        current == nil && batch.isEmpty && committing == nil && roomless.isEmpty && counting == nil
    }

    mutating func nextRun(of calls: [Call], _ step: inout Step) {
        guard let next = calls.first else { return }
        claim(for: next, &step)
        for call in calls.dropFirst() { step.emit(.answer(call, .alreadyRunning)) }
    }
}
