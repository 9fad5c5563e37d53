// Handling a stanza: its handlers, its commit, and its failures. Batching commits several stanzas in one transaction.

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
            let isDone = await handleBatch(beginningWith: stanza)
            isAtWork = false
            if isSuspended { break }
            // The run is about to end.
            if !isDone { await pause(Self.pauseAfterFailure) }
        }
        for waiter in whenIdle { waiter.finish() }
        whenIdle = []
        // Whoever has closed the session did not wait for ever for what was done here.
        if isClosed { await endThoseLeft() }
    }

    /// Handles a stanza in a transaction of its own; again and again, if that is not the stanza's fault.
    ///
    /// - Parameter first: The failure of an attempt that was made already.
    /// - Returns: Whether it was handled or has failed; otherwise the next run has to handle it.
    func handle(_ stanza: ReceivedStanza, after first: HandlingAttemptFailure?) async -> Bool {
        var (failures, interruptions, faults) = (0, 0, 0)
        var made = first
        while !Task.isCancelled {
            let attempted = if let made { made } else { await attempt(stanza) }
            made = nil
            guard let attempted else { return true }
            let (failure, error) = (attempted.kind, attempted.error)
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
                    failingStanza = stanza.number
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
    static let pauseForDatabase = Duration.seconds(1)
    /// How long a stanza is left alone whose handling has failed.
    static let pauseAfterFailure = Duration.milliseconds(50)

    func pause(_ time: Duration) async { try? await clock.sleep(until: clock.now.uptime + time) }

    /// Whether a stanza has failed before.
    func isFailing(_ stanza: ReceivedStanza) -> Bool { stanza.number != nil && stanza.number == failingStanza }

    /// - Returns: Why the stanza is not handled; `nil` if it is.
    private func attempt(_ stanza: ReceivedStanza) async -> HandlingAttemptFailure? {
        let work: StanzaWork
        switch await runHandler(of: stanza, isBatched: false) {
        case .success(let collected): work = collected
        case .failure(let failure): return failure
        }
        do {
            let entry = BatchEntry(stanza: stanza, effects: work.database, outgoing: work.takeStanzas())
            try await stream.commit(entry, in: storage)
            await work.database.end(isCommitted: true)
            didEnd(work)
            work.didCommit()
            return nil
        } catch {
            await work.database.end(isCommitted: false)
            didEnd(work)
            return HandlingAttemptFailure(settling: error, logger)
        }
    }

    /// Runs the routes of a stanza, or the handler of the request that it answers.
    ///
    /// - Parameter isBatched: Whether other stanzas may commit in the same transaction.
    /// - Returns: The work, which the caller commits or discards.
    func runHandler(
        of stanza: ReceivedStanza, isBatched: Bool
    ) async -> Result<StanzaWork, HandlingAttemptFailure> {
        let work = StanzaWork(database.beginWork(), in: workContext(isBatched: isBatched))
        let isOver = Flag()
        defer { isOver.set() }
        do {
            try await HandlingScope.run(of: self) {
                // Tasks that outlive the handler wait for no batch.
                let commit: @Sendable () async throws -> Void = { [weak self] in
                    if !isOver.isSet { try await self?.commitEarlierStanzas() }
                }
                try await UncommittedBatch.$commit.withValue(commit) { try await dispatch(stanza.element, work) }
            }
            return .success(work)
        } catch {
            await work.database.end(isCommitted: false)
            didEnd(work)
            var failure = HandlingFailure(handler: error)
            if let error = work.database.failedLookUp { failure = HandlingFailure(settling: error) }
            // No answer can come to a handler then: for as long as there is no connection, or until somebody makes
            // room.
            if case RequestError.timedOut = error {
                if await !stream.isOnline {
                    failure = .isTemporary
                } else if await stream.isInputHeldUp {
                    failure = .isInterrupted
                }
            }
            return .failure(HandlingAttemptFailure(failure, error, logger))
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
