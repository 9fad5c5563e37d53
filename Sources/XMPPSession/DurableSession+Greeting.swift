// The work for a new session: presence, carbons and the like.

import Logging
import SessionCore
import StreamManagement

extension DurableSession {
    /// Registers the work for each new session: presence, carbons, the roster.
    ///
    /// The work and a mark of its session commit in one transaction. A process that is killed before that leaves a
    /// session without the mark, and the next process that resumes it runs `body`. A session that has the mark is
    /// resumed without it. Without stream management, `body` runs for each connection.
    ///
    /// ```swift
    /// await session.onNewSession { work in
    ///     let presence = try MutableElement("presence", namespace: .uri("jabber:client"))
    ///     try work.send(presence.freeze())
    /// }
    /// ```
    ///
    /// - Parameter body: Collects the work. If it throws, nothing is sent, and it runs again a second later, up to
    ///   `maximumHandlingAttempts` times for each connection. A later call replaces it.
    public func onNewSession(_ body: @escaping @Sendable (StanzaWork) async throws -> Void) {
        update { $0.greeting = body }
    }

    /// Greets the session, if the app has not greeted it yet. Tries again after a failure.
    func greetSession() async {
        var attempts = 1
        while case .running = phase {
            if await greet() { return }
            if await attempts >= stream.configuration.maximumHandlingAttempts { return }
            attempts += 1
            try? await clock.sleep(until: clock.now.uptime + Self.pauseBetweenGreetings)
        }
    }

    /// - Returns: Whether the app has greeted the session.
    private func greet() async -> Bool {
        guard let greeting = update(\.greeting) else { return true }
        let account = account
        let isNew = observer.takeNewSession()
        do {
            let isGreeted = try await database.read { try $0.sessions.isGreeted(account) }
            if isGreeted && !isNew { return true }
            try await together { work in
                try await greeting(work)
                try work.database.add { try $0.sessions.noteGreeting(account) }
            }
            return true
        } catch {
            if isNew { observer.putBackNewSession() }
            logger.warning(
                "a new session is not greeted", metadata: ["error": "\(HandlingFailure.loggable(error))"])
            logger.debug("the error of the greeting", metadata: ["error": "\(error)"])
            return false
        }
    }

    private static let pauseBetweenGreetings = Duration.seconds(1)
}
