// The work for a new session: presence, carbons and the like.

import Persistence
import SessionCore

extension DurableSession {
    /// Registers the work for each new session: presence, carbons, the roster.
    ///
    /// The work and a mark of its session commit in one transaction. A process that is killed before that leaves a
    /// session without the mark, and the next process that resumes it runs `body`. A session that has the mark is
    /// resumed without it. Without stream management, `body` runs for each connection.
    ///
    /// ```swift
    /// await session.onNewSession { work in
    ///     let presence = MutableElement("presence", namespace: .uri("jabber:client"))
    ///     try work.send(presence.freeze())
    /// }
    /// ```
    ///
    /// The greeting goes before everything that waited, such as the unacknowledged messages of a session that was lost.
    /// Messages to rooms that waited go when the room sends its presence for you with status 110
    /// (`StreamSession.release(where:)`). What `body` sends with ``send(_:)`` or ``request(_:timeout:)`` goes at once.
    ///
    /// The session cancels `body` at the end of the run, when another session begins, and after
    /// `maximumHandlingTime`, and drops its changes. The next run greets the session.
    ///
    /// - Parameter body: Collects the work. If it throws or takes too long, nothing is sent, and it runs again a second
    ///   later, up to `maximumHandlingAttempts` times for each connection. A later call replaces it.
    public func onNewSession(_ body: @escaping @Sendable (StanzaWork) async throws -> Void) {
        update { $0.greeting = body }
    }

    /// Lets the application greet the session, unless it has done so before.
    func greet(_ attempt: Core.Attempt, isNew: Bool) {
        let work = StanzaWork(DatabaseWork(database: database), in: workContext, isGreeting: true)
        let task = Task.detached { [self] in
            do {
                let isCollected = try await GreetingScope.$session.withValue(ObjectIdentifier(self)) {
                    try await collectGreeting(work, isNew: isNew)
                }
                if !isCollected { return await wasGreeted(attempt) }
            } catch {
                return await threw(attempt, work, error)
            }
            await returned(attempt, work)
        }
        // Its tasks may wait for a suspension, because no suspension waits for a greeting.
        let record = Attempt(kind: .greeting, work: work, scope: HandlingScope(self), task: task)
        update { $0.attempts.add(record, as: attempt) }
    }

    /// - Returns: Whether the application had to greet the session.
    private func collectGreeting(_ work: StanzaWork, isNew: Bool) async throws -> Bool {
        guard let greeting = update(\.greeting) else { return false }
        let account = account
        if !isNew {
            let isGreeted = try await work.changes.lookUp { database in
                try await database.read { try $0.sessions.isGreeted(account) }
            }
            if isGreeted { return false }
        }
        try await work.changes.run { try await greeting(work) }
        try work.changes.add { try $0.sessions.noteGreeting(account) }
        return true
    }

    private func wasGreeted(_ attempt: Core.Attempt) async {
        guard update({ $0.attempts.remove(attempt) }) != nil else { return }
        handle(.wasGreeted(attempt))
    }
}

/// The tasks of a greeting, whose stanzas do not wait for the greeting.
enum GreetingScope {
    /// The session that the current task greets.
    @TaskLocal static var session: ObjectIdentifier?

    /// Whether the current task greets that session.
    static func isWithin(_ session: DurableSession) -> Bool { Self.session == ObjectIdentifier(session) }
}
