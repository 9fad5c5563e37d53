// Answers, and what is done when none comes.

import Foundation
import Handlers
import Persistence
import XMLTree

extension DurableSession {
    /// Calls the handler of the request that a stanza answers. What answers nothing is dropped.
    func answer(with stanza: Element, _ work: StanzaWork) async throws {
        guard let request = try await request(answeredBy: stanza) else { return }
        try await end(request, work) { handlers in
            try await handlers.call(stored: request.handler, self.arguments(of: request, for: stanza, work))
        }
    }

    private func request(answeredBy stanza: Element) async throws -> StoredRequest? {
        guard let id = stanza["id"] else { return nil }
        let account = account
        guard let request = try await database.read({ try $0.requests.request(id, of: account) }),
            Requests.accepts(from: stanza["from"], to: request.recipient, account: account)
        else { return nil }
        return request
    }

    private nonisolated func arguments(
        of request: StoredRequest, for stanza: Element, _ work: StanzaWork
    ) -> HandlerArguments {
        var arguments = work.arguments(for: stanza)
        switch RequestKind(rawValue: request.kind) {
        case .pubsubItems: PubSubAnswer(stanza).give(to: &arguments)
        // A kind of a later version: the handler gets the answer, and may make of it what it can.
        case .iq, nil: break
        }
        return arguments
    }

    /// Ends a request together with what its handler does.
    private func end(
        _ request: StoredRequest, _ work: StanzaWork,
        _ deliver: @Sendable (HandlerCentre) async throws -> HandlerDelivery
    ) async throws {
        let account = account
        // Of several processes, one ends it; the others' work fails as a whole.
        try work.database.add { transaction in
            if try !transaction.requests.remove(request.id, of: account) { throw RequestHasEnded() }
        }
        do {
            let delivery = try await deliver(handlers.using(work.database))
            // What is parked waits for a program that knows it.
            if delivery == .called { try work.database.add { try $0.handlers.remove(request.handler) } }
        } catch let error as HandlerError where error.isOfAnEndedHandler {
            // It was invalidated by the application, or removed: nobody wants the answer any more.
            try work.database.add { try $0.handlers.remove(request.handler) }
        }
    }

    // MARK: Ends without an answer

    /// There is no stream: what was sent on the last one, and cannot be resumed, will not be answered.
    func streamIsGone() async throws {
        if await !stream.canResume {
            awaited.failSent()
            let account = account
            try await database.write { try $0.requests.loseUnresumable(of: account) }
        }
        endingsContinuation.yield()
    }

    /// Invalidates the handlers of requests that have ended without an answer, until the task is cancelled.
    func endRequests() async {
        while !Task.isCancelled {
            var deadline: Date?
            do {
                try await endRequestsNow()
                let account = account
                deadline = try await database.read { try $0.requests.nextDeadline(of: account) }
            } catch is CancellationError {
                return
            } catch {
                logger.error("requests were not ended", metadata: ["error": "\(type(of: error))"])
                deadline = clock.now.date.addingTimeInterval(Self.pauseAfterFailure)
            }
            await waitForEndings(until: deadline)
        }
    }

    private static let pauseAfterFailure: TimeInterval = 1

    private func waitForEndings(until deadline: Date?) async {
        let alarm = Task { [clock, endingsContinuation] in
            guard let deadline else { return }
            let now = clock.now
            // No longer than a timer may run: a deadline that is centuries away is looked at again before.
            let wait = min(max(0, deadline.timeIntervalSince(now.date)), Self.longestSleep)
            try await clock.sleep(until: now.uptime + .seconds(wait))
            endingsContinuation.yield()
        }
        for await _ in endings { break }
        alarm.cancel()
    }

    private static let longestSleep: TimeInterval = 86_400

    /// Invalidates the handlers of requests that have ended by now.
    func endRequestsNow() async throws {
        for stanza in observer.takeSetAside() {
            guard let request = try await request(answeredBy: stanza) else { continue }
            await invalidate(request, because: .answerNotHandled)
        }
        let (account, now) = (account, clock.now.date)
        for request in try await database.read({ try $0.requests.ended(of: account, at: now) }) {
            try Task.checkCancellation()
            await invalidate(request, because: request.isLost ? .disconnected : .timedOut)
        }
    }

    /// Removes a request whose handler fails even to be invalidated: it would fail for ever.
    private func forget(_ request: StoredRequest) async {
        let account = account
        try? await database.write { transaction in
            _ = try transaction.requests.remove(request.id, of: account)
            try transaction.handlers.remove(request.handler)
        }
    }

    private func invalidate(_ request: StoredRequest, because reason: InvalidationReason) async {
        do {
            try await settle { work in
                try await self.end(request, work) { handlers in
                    try await handlers.invalidate(
                        stored: request.handler, because: reason, work.arguments(for: nil))
                }
            }
        } catch is RequestHasEnded {
            // Its answer came first.
        } catch  where HandlingFailure(error) == .failed {
            logger.warning(
                "a request has ended, and the invalidation of its handler failed",
                metadata: ["error": "\(HandlingFailure.loggable(error))", "reason": "\(reason)"])
            await forget(request)
        } catch {
            // It stays, and is ended when the database can be written again.
            logger.debug("a request could not be ended yet", metadata: ["error": "\(type(of: error))"])
        }
    }
}

extension DurableSession {
    /// As `together`; when the session is closed, nothing is sent any more.
    private func settle(_ body: @Sendable (StanzaWork) async throws -> Void) async throws {
        if isClosed {
            try await database.collect { try await body(StanzaWork($0, of: self)) }
        } else {
            try await together(body)
        }
    }
}

extension InvalidationReason {
    /// Handling the answer has failed so often that it was set aside (rule R40).
    public static let answerNotHandled = InvalidationReason.other("answer-not-handled")
}

/// Somebody else has ended the request; what was done because of it is undone.
private struct RequestHasEnded: Error {}

extension HandlerError {
    fileprivate var isOfAnEndedHandler: Bool {
        switch kind {
        case .alreadyCalled, .alreadyInvalidated, .notStored: true
        default: false
        }
    }
}
