// Closing the session for good: every request that is left ends before the close is done. If an invalidation takes
// too long, its request ends when the invalidation returns.

extension DurableSessionCore {
    mutating func close(_ call: Call, isWithin: Bool, _ step: inout Step) {
        // A handler would wait for itself.
        let callers = isWithin ? [] : [call]
        switch phase {
        case .idle, .suspended: beginClosing(callers, run: nil, &step)
        case .claiming(let run, _), .running(let run): beginClosing(callers, run: run, &step)
        case .suspending(var suspending):
            suspending.closers += callers
            suspending.isClosed = true
            phase = .suspending(suspending)
        case .closing(var closing):
            closing.callers += callers
            phase = .closing(closing)
        case .closed(hasRequestsLeft: true):
            phase = .closing(
                Closing(stage: .forgetting(failures: 0, next: step.now.uptime), deadline: .zero, callers: callers))
        case .closed(hasRequestsLeft: false): return step.emit(.answer(call, .closed))
        }
        if isWithin { step.emit(.answer(call, .closed)) }
    }

    mutating func beginClosing(_ callers: [Call], run: Call?, _ step: inout Step) {
        phase = .closing(
            Closing(stage: .finishing, deadline: step.now.uptime + limits.closingTime, run: run, callers: callers))
        dropJobs(&step)
    }

    mutating func streamClosed(_ step: inout Step) {
        guard case .closing(var closing) = phase, case .leaving = closing.stage else { return }
        isOnline = false
        closing.stage = .forgetting(failures: 0, next: step.now.uptime)
        phase = .closing(closing)
    }

    mutating func sessionForgotten(_ requests: [Request], _ step: inout Step) {
        guard case .closing(var closing) = phase, case .forgetting(_, nil) = closing.stage else { return }
        closing.stage = .ending
        let usualEnd = step.now.uptime + limits.closingTime * 2
        closing.deadline = closing.end.map { min(usualEnd, $0) } ?? usualEnd
        phase = .closing(closing)
        for request in requests where !stragglers.values.contains(where: { $0.serial == request.serial }) {
            endings.add(EndingJob(request, because: request.cause ?? .lost))
        }
    }

    mutating func sessionNotForgotten(_ step: inout Step) {
        guard case .closing(var closing) = phase, case .forgetting(let failures, nil) = closing.stage else { return }
        if failures + 1 >= limits.attempts {
            closing.hasRequestsLeft = true
            return endClosing(closing, &step)
        }
        closing.stage = .forgetting(failures: failures + 1, next: step.now.uptime + limits.failurePause)
        phase = .closing(closing)
    }

    // MARK: Time

    /// Whether the core ends the requests that are left.
    var endsLeftRequests: Bool { if case .closing(let closing) = phase { closing.stage == .ending } else { false } }

    /// Stops waiting for the running invalidation. The core stores its changes when it returns.
    mutating func outlive(_ step: inout Step) {
        guard let running = current, case .ending(let job) = running.job else { return }
        current = nil
        stragglers[running.attempt] = job
        if running.waitsToRead { step.emit(.allowRead(running.attempt)) }
    }

    mutating func closingIsOverdue(_ closing: Closing, _ step: inout Step) {
        var closing = closing
        let now = step.now.uptime
        switch closing.stage {
        case .finishing:
            abandon(.interrupted, &step)
            if batch.rests(at: now) { dropBatch(because: .busy, &step) }
        case .leaving(isHurried: false):
            closing.stage = .leaving(isHurried: true)
            phase = .closing(closing)
            step.emit(.hurry)
        case .leaving(isHurried: true): break
        case .forgetting(let failures, _):
            closing.stage = .forgetting(failures: failures, next: nil)
            phase = .closing(closing)
            step.emit(.forgetSession)
        case .ending:
            outlive(&step)
            closing.hasRequestsLeft = closing.hasRequestsLeft || !endings.isEmpty || batch.rests(at: now)
            phase = .closing(closing)
            endings.removeAll()
            if batch.rests(at: now) { dropBatch(because: .busy, &step) }
        }
    }

    mutating func proceed(_ closing: Closing, _ step: inout Step) {
        var closing = closing
        switch closing.stage {
        case .finishing:
            guard isQuiet else { return }
            closing.stage = .leaving(isHurried: false)
            phase = .closing(closing)
            step.emit(.closeStream)
        case .leaving, .forgetting: break
        case .ending: if isQuiet, endings.isEmpty { endClosing(closing, &step) }
        }
    }

    /// The application may have closed the database, too. The next close, or the next process, ends the rest.
    mutating func failedAfterClosing(_ failure: DatabaseFailure, _ step: inout Step) {
        faults += 1
        if faults < limits.attempts { return }
        faults = 0
        phase = .closed(hasRequestsLeft: true)
        dropBatch(because: failure, &step)
    }

    private mutating func endClosing(_ closing: Closing, _ step: inout Step) {
        // A suspending process does not wait for them.
        if !closing.suspenders.isEmpty {
            for attempt in stragglers.keys.sorted() { step.emit(.cancel(attempt)) }
        }
        phase = .closed(hasRequestsLeft: closing.hasRequestsLeft || !stragglers.isEmpty)
        if !closing.suspenders.isEmpty { stragglers = [:] }
        faults = 0
        for call in [closing.run].compactMap(\.self) + closing.callers + closing.suspenders {
            step.emit(.answer(call, .closed))
        }
    }
}
