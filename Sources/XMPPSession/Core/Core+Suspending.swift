// Suspending the session, and the time budget of handlers.

extension DurableSessionCore {
    /// - Parameter end: The time until which the requests of a closed session may end; `nil` for the deadline.
    mutating func suspend(
        _ call: Call, by deadline: Duration, end: Duration?, isWithin: Bool, _ step: inout Step
    ) {
        switch phase {
        case .idle:
            leave(as: Suspending(answer: .suspended, callers: [call], deadline: deadline), &step)
        case .claiming(let run, _), .running(let run):
            leave(as: Suspending(run: run, answer: .suspended, callers: [call], deadline: deadline), &step)
        case .suspending(var suspending):
            suspending.callers.append(call)
            suspending.deadline = min(suspending.deadline, deadline)
            phase = .suspending(suspending)
        case .suspended: return step.emit(.answer(call, .suspended))
        case .closing(var closing):
            // A handler would wait for itself.
            if isWithin { return step.emit(.answer(call, .closed)) }
            closing.suspenders.append(call)
            let last = end ?? deadline
            closing.end = min(closing.end ?? last, last)
            closing.deadline = min(closing.deadline, closing.stage == .ending ? last : deadline)
            phase = .closing(closing)
            return
        case .closed: return step.emit(.answer(call, .closed))
        }
        if isWithin { abandon(.interrupted, &step) }
    }

    mutating func streamSuspended(_ step: inout Step) {
        guard case .suspending(let suspending) = phase, suspending.isStoring else { return }
        isOnline = false
        phase = suspending.callers.isEmpty ? .idle : .suspended
        refuseTransactions(&step)
        if let run = suspending.run { step.emit(.answer(run, suspending.answer)) }
        for call in suspending.callers { step.emit(.answer(call, .suspended)) }
        if !suspending.isClosed { return nextRun(of: suspending.nextRuns, &step) }
        for call in suspending.nextRuns { step.emit(.answer(call, .closed)) }
        beginClosing(suspending.closers, run: nil, &step)
    }

    /// Stops the handler that has taken too long, after a notice at half of the time.
    mutating func stopOverdue(_ step: inout Step) {
        let now = step.now.uptime
        if let deadline = current?.deadline, deadline <= now {
            // Without a stream, the handler may have waited for one.
            if endsLeftRequests { outlive(&step) } else { abandon(.unanswered(isInputHeldUp: false), &step) }
        } else if let running = current, current?.isNoticed(at: now) == true {
            step.emit(.noteSlowness(running.attempt))
        }
        guard let deadline = phase.deadline, deadline <= now else { return }
        switch phase {
        case .idle, .claiming, .running, .suspended, .closed: break
        case .suspending:
            abandon(.interrupted, &step)
            if batch.rests(at: now) { dropBatch(because: .busy, &step) }
        case .closing(let closing): closingIsOverdue(closing, &step)
        }
    }

    /// Whether the core waits for the stream's suspension.
    var isStoring: Bool { if case .suspending(let suspending) = phase { suspending.isStoring } else { false } }

    /// Continues when every job that has begun is over.
    mutating func proceed(_ step: inout Step) {
        switch phase {
        case .idle, .claiming, .running, .suspended, .closed: break
        case .suspending(var suspending):
            guard !suspending.isStoring, isQuiet else { return }
            suspending.isStoring = true
            phase = .suspending(suspending)
            step.emit(.suspendStream)
        case .closing(let closing): proceed(closing, &step)
        }
    }
}
