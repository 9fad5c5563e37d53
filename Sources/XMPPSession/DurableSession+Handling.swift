// One transaction for each stanza.

import Handlers
import Logging
import Persistence
import StreamManagement
import XMLTree

extension DurableSession {
    /// Handles stanzas, one after the other, until the task is cancelled or the session closed.
    func handleStanzas() async {
        for await stanza in stream.stanzas {
            // The session is laid aside when its run ends.
            if Task.isCancelled || isSuspended {
                await stream.putBack(stanza)
                break
            }
            isAtWork = true
            let isDone = await handle(stanza)
            isAtWork = false
            if !isDone { await stream.putBack(stanza) }
            if isSuspended { break }
            // The run is about to end.
            if !isDone { await pause(Self.pauseAfterFailure) }
        }
        for waiter in whenIdle { waiter.finish() }
        whenIdle = []
        // Whoever has closed the session did not wait for ever for what was done here.
        if isClosed { await endThoseLeft() }
    }

    /// Handles a stanza; again and again, if that is not the stanza's fault.
    ///
    /// - Returns: Whether it was handled or has failed; otherwise the next run has to handle it.
    private func handle(_ stanza: ReceivedStanza) async -> Bool {
        var (failures, interruptions, faults) = (0, 0, 0)
        while !Task.isCancelled {
            guard let (failure, error) = await attempt(stanza) else { return true }
            let limit = await stream.configuration.maximumHandlingAttempts
            switch failure {
            case .comesAgain: return false
            case .isTemporary: await pause(Self.pauseForDatabase)
            case .isInterrupted where interruptions < limit:
                interruptions += 1
                await pause(Self.pauseForDatabase)
            case .isBroken(let error):
                faults += 1
                // Nothing else could be handled either. It comes again in whatever run comes next.
                if faults >= limit {
                    await stream.fail(because: error)
                    return false
                }
                await pause(Self.pauseForDatabase)
            case .isInterrupted, .failed:
                failures += 1
                await pause(Self.pauseAfterFailure)
                if isSuspended || Task.isCancelled { return false }
                if stanza.number != nil {
                    // Offered again, or set aside (rule R40). A storage that fails has ended the stream.
                    return (try? await stream.markFailed(stanza, because: error)) ?? false
                }
                // The server knows nothing of it: nobody else counts.
                if failures >= limit {
                    observer.setAside(stanza.element)
                    return true
                }
            }
        }
        return false
    }

    /// How long a database that is busy or full is left alone, and a handler that lacks a connection.
    private static let pauseForDatabase = Duration.seconds(1)
    /// How long a stanza is left alone whose handling has failed.
    static let pauseAfterFailure = Duration.milliseconds(50)

    func pause(_ time: Duration) async { try? await clock.sleep(until: clock.now.uptime + time) }

    /// - Returns: Why the stanza is not handled; `nil` if it is.
    private func attempt(_ stanza: ReceivedStanza) async -> (HandlingFailure, any Error)? {
        var isSettling = false
        var work: StanzaWork?
        defer { work.map(didEnd) }
        do {
            try await database.collect { database in
                let stanzaWork = StanzaWork(database, of: self)
                work = stanzaWork
                try await HandlingScope.run(of: self) { try await dispatch(stanza.element, stanzaWork) }
                return stanzaWork
            } commit: { database, work in
                isSettling = true
                try await stream.settle(stanza, with: database, sendingChecked: work.takeStanzas())
                work.didCommit()
            }
            return nil
        } catch {
            var failure = isSettling ? HandlingFailure(settling: error) : HandlingFailure(handler: error)
            if let error = work?.database.failedLookUp, !isSettling { failure = HandlingFailure(settling: error) }
            // No answer can come to a handler then: for as long as there is no connection, or until somebody makes
            // room.
            if case RequestError.timedOut = error, !isSettling {
                if await !stream.isOnline {
                    failure = .isTemporary
                } else if await stream.isInputHeldUp {
                    failure = .isInterrupted
                }
            }
            let level: Logger.Level = if case .comesAgain = failure { .debug } else { .warning }
            logger.log(
                level: level, "a stanza could not be handled",
                metadata: ["error": "\(HandlingFailure.loggable(error))"])
            let cause = HandlingFailure.cause(of: error)
            logger.debug("the error that a handler threw", metadata: ["error": "\(cause)"])
            return (failure, cause)
        }
    }

    private func dispatch(_ stanza: Element, _ work: StanzaWork) async throws {
        if Requests.isAnswer(stanza) { return try await answer(with: stanza, work) }
        var isMatched = false
        for body in try routes.matching(stanza) {
            if try await body(stanza, work) { isMatched = true }
        }
        if !isMatched, stanza.name == "iq" { try work.send(StanzaError.serviceUnavailable.reply(to: stanza)) }
    }
}
