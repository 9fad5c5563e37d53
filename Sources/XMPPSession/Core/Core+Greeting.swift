// The greeting of each stream session, in a job of its own: it waits for no handler, and no handler waits for it.

extension DurableSessionCore {
    /// A stream session has begun, or continues.
    mutating func sessionBegan(isNew: Bool, _ step: inout Step) {
        if isNew {
            if let former = greeting.attempt { step.emit(.cancel(former)) }
            greeting.noteNewSession()
            dropFormerGreetings(&step)
        }
        if handlesStanzas { greeting.want() }
    }

    /// The stanzas of a greeting are for its own session, and do not commit in a later one. A commit that has begun may
    /// still end.
    mutating func dropFormerGreetings(_ step: inout Step) {
        let greeting = greeting
        let isFormer = { (item: Batch.Item) in item.greeting.map { !greeting.isCurrent($0) } ?? false }
        for item in batch.removeItems(where: isFormer) + roomless.next.removeItems(where: isFormer) {
            if let attempt = item.greeting { step.emit(.cancel(attempt)) }
        }
    }

    /// Stops an attempt that takes too long, and begins the next one when it is due.
    mutating func greet(_ step: inout Step) {
        let now = step.now.uptime
        if let attempt = greeting.attempt, greeting.isOverdue(at: now) {
            step.emit(.cancel(attempt))
            greetingFailed(attempt, .failed, &step)
        }
        guard handlesStanzas, greeting.isDue(at: now) else { return }
        let attempt: Attempt = makeNumber()
        greeting.begin(attempt, until: now + limits.handlerTime)
        step.emit(.greet(attempt, isNew: greeting.isNew))
    }

    /// The application has greeted the session. Stanzas that waited for that go now.
    mutating func greetingEnded(_ attempt: Attempt, _ step: inout Step) {
        if greeting.end(attempt) { step.emit(.endGreeting) }
    }

    /// A failure that is not the application's does not count. After the last one nothing waits for the greeting any
    /// more.
    mutating func greetingFailed(_ attempt: Attempt, _ failure: Failure, _ step: inout Step) {
        let time = step.now.uptime + limits.pause
        switch failure {
        case .unanswered where !isOnline: greeting.rest(attempt, until: time)
        case .interrupted: greeting.rest(attempt, until: time)
        case .database(let failure):
            greeting.rest(attempt, until: time)
            databaseFailed(failure, &step)
        case .failed, .hopeless, .unanswered:
            if greeting.fail(attempt, restingUntil: time, limit: limits.attempts) { step.emit(.endGreeting) }
        }
    }

    /// The run ends: the next one greets the session.
    mutating func stopGreeting(_ step: inout Step) {
        if let attempt = greeting.attempt { step.emit(.cancel(attempt)) }
        greeting.stop()
    }
}
