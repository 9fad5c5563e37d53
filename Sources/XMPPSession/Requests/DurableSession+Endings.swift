// Requests that end without an answer: their time is over, their session is lost, or nobody could handle the answer.

import Foundation
import Handlers
import Persistence
import StreamManagement
import Synchronization
import XMLTree

extension DurableSession {
    /// There is no stream: what was sent on the last one, and cannot be resumed, will not be answered.
    func streamIsGone() async throws {
        if isSuspended { throw CancellationError() }
        if await !stream.canResume {
            awaited.failSent()
            try await loseUnresumable()
        }
        try await loseForgotten()
        try await withdrawKept()
        try await withdrawTimedOut()
        observer.tellOfEndings()
    }

    /// What has timed out is not sent any more, however long handlers take.
    func withdrawTimedOut() async throws {
        let account = account
        let ended = Set(try await endedRequests().ended.map(\.serial))
        if ended.isEmpty { return }
        try await settle(withdrawing: true) { work in
            // An `id` may be used again, a serial is not.
            try work.database.add { [withdrawals = work.withdrawals] in
                let present = try $0.requests.lostOrTimed(of: account)
                withdrawals.add(present.filter { ended.contains($0.serial) })
            }
        }
    }

    /// Gives up the requests of streams without a resumable session, if this is still the session's owner.
    func loseUnresumable() async throws {
        let account = account
        try await settle { work in try work.database.add { try $0.requests.loseUnresumable(of: account) } }
    }

    /// Gives up the requests of sessions that are not stored any more.
    private func loseForgotten() async throws {
        let account = account
        if try await !database.read({ try $0.requests.hasForgotten(of: account) }) { return }
        try await settle { work in try work.database.add { try $0.requests.loseForgotten(of: account) } }
    }

    /// Invalidates the handlers of requests that have ended without an answer, until the task is cancelled or the
    /// session suspended.
    func endRequests(when endings: AsyncStream<Void>) async {
        while !Task.isCancelled, !isSuspended {
            var deadline: Duration?
            do {
                // What the stream tells of it stores behind that, before it does anything else.
                _ = await stream.state
                let (outcomes, next) = try await endRequestsNow()
                deadline = next
                // Those that could not be ended are tried again.
                if !failedEndings.isEmpty || outcomes.contains(where: \.isMet) { deadline = soon }
            } catch is CancellationError where Task.isCancelled {
                break
            } catch {
                logger.error("requests were not ended", metadata: ["error": "\(type(of: error))"])
                deadline = soon
            }
            await wait(for: endings, until: deadline)
        }
        // Whoever has closed the session did not wait for ever for what was done here.
        if isClosed { await endThoseLeft() }
    }

    private var soon: Duration { clock.now.uptime + Self.pauseBetweenRounds }

    private static let pauseBetweenRounds = Duration.seconds(1)

    private func wait(for endings: AsyncStream<Void>, until deadline: Duration?) async {
        let alarm = Task { [clock, observer] in
            guard let deadline else { return }
            // No longer than a timer may run: a deadline that is centuries away is looked at again before.
            let end = min(deadline, clock.now.uptime + Self.longestSleep)
            do { try await clock.sleep(until: end) } catch { return }
            observer.tellOfEndings()
        }
        for await _ in endings { break }
        alarm.cancel()
    }

    private static let longestSleep = Duration.seconds(86_400)

    /// The requests that will not be answered any more, because they are lost or their time is over, and when the next
    /// one's time is, by the clock's uptime.
    func endedRequests() async throws -> (ended: [StoredRequest], next: Duration?) {
        let account = account
        let (requests, read) = try await database.read { transaction in
            let read = self.endingReads.withLock { count in
                count += 1
                return count
            }
            return (try transaction.requests.lostOrTimed(of: account), read)
        }
        return requestTimes.ends(of: requests, read: read, at: clock.now)
    }

    /// Invalidates the handlers of requests that have ended by now. One that cannot be ended does not hold up the
    /// others.
    ///
    /// - Returns: What came of them, and when the next one ends.
    @discardableResult
    func endRequestsNow() async throws -> (outcomes: Set<EndingOutcome>, next: Duration?) {
        let (failing, ofThose) = try await endThoseLost()
        var outcomes = ofThose
        let (all, next) = try await endedRequests()
        let ended = all.filter(isToBeEnded)
        let left = failing.union(ended.map(\.serial))
        failedEndings = failedEndings.filter { left.contains($0.key) }
        var failure: (any Error)?
        for request in ended where !isSuspended {
            do {
                outcomes.insert(try await invalidateInTime(request, because: InvalidationReason(endOf: request)))
            } catch  where !Task.isCancelled {
                failure = error
            }
        }
        if let failure { throw failure }
        return (outcomes, next)
    }

    /// Whether a request is this session's to be ended: what others have stored since it was closed is not.
    func isToBeEnded(_ request: StoredRequest) -> Bool {
        !isClosed || requestsAtClosing?.contains(request.serial) == true
    }

    /// Ends the requests whose answers are lost, where the database does not know that.
    ///
    /// - Returns: Those that have not ended, and are tried again; and what came of all.
    private func endThoseLost() async throws -> (failing: Set<Int64>, outcomes: Set<EndingOutcome>) {
        var outcomes: Set<EndingOutcome> = []
        var left = observer.takeLost()
        var failing: Set<Int64> = []
        var failed: [LostAnswer] = []
        defer { observer.putBack(failed + left) }
        let account = account
        while !isSuspended, let answer = left.first {
            do {
                let found = try await request(answer.id) { answer.answers(requestTo: $0, account: account) }
                if let request = found, isToBeEnded(request) {
                    let outcome = try await invalidateInTime(request, because: InvalidationReason(answer.end))
                    outcomes.insert(outcome)
                    if outcome != .ended {
                        failing.insert(request.serial)
                        failed.append(answer)
                    }
                }
            } catch StanzaDatabaseError.invalidRecord {
                // Nobody can read which handler waits for it.
            }
            left.removeFirst()
        }
        return (failing, outcomes)
    }

    /// When the session is closed, no invalidation is waited for for ever.
    private func invalidateInTime(
        _ request: StoredRequest, because reason: InvalidationReason
    ) async throws -> EndingOutcome {
        guard isClosed else {
            // What wakes the session is nothing that would help it.
            let last = failedEndings[request.serial]?.uptime
            if let last, clock.now.uptime < last + Self.pauseBetweenRounds { return .notEnded }
            return try await invalidate(request, because: reason)
        }
        let invalidation = Task { try await invalidate(request, because: reason) }
        if await hasEnded(invalidation, by: clock.now.uptime + handlersGrace, isLast: true) {
            return try await invalidation.value
        }
        invalidationsLeft += 1
        Task {
            _ = await invalidation.result
            invalidationsLeft -= 1
            // It may have failed.
            await endThoseLeft()
        }
        return .notEnded
    }

    private func invalidate(
        _ request: StoredRequest, because reason: InvalidationReason
    ) async throws -> EndingOutcome {
        try Task.checkCancellation()
        // The batch may have read this request for its answer.
        batch.forgetRequests()
        defer { batch.forgetRequests() }
        let started = StartedWork()
        defer { started.work.withLock { $0 }.map(didEnd) }
        do {
            try await commit { work in
                started.work.withLock { $0 = work }
                // Nobody waits for the answer any more.
                work.withdrawals.add([request])
                try await self.end(request, .invalidation(reason), work) { work.arguments(for: nil) }
                started.isDone.withLock { $0 = true }
            }
            failedEndings[request.serial] = nil
            return .ended
        } catch is RequestHasEnded {
            // Since the list was read.
            failedEndings[request.serial] = nil
            return .ended
        } catch is RequestIsEnding {
            // Its answer is handled now. That may fail, and then nobody else ends it.
            return .metEnding
        } catch let error as EffectsError {
            switch error.underlying {
            case is RequestHasEnded:
                // Its answer came first.
                failedEndings[request.serial] = nil
                return .ended
            // The next attempt finds how it came out.
            case is HandlerIsEnding, is HandlerIsShared: return .metClaim
            default: return try await invalidationFailed(request, reason, error)
            }
        } catch StreamManagementError.ended where started.isDone.withLock({ $0 }) {
            // The session was closed meanwhile, and ends what is left.
            return .metEnding
        } catch is CancellationError where Task.isCancelled {
            throw CancellationError()
        } catch let error
            where started.isDone.withLock({ $0 }) && (error is StorageError || error is StanzaDatabaseError)
        {
            // The database could not do it; what the handler throws says nothing of the session.
            throw error
        } catch {
            // Nor could it look up what is to be called.
            if let failure = started.work.withLock({ $0 })?.database.failedLookUp { throw failure }
            return try await invalidationFailed(request, reason, error)
        }
    }

    /// An invalidation that fails again and again is given up, as a stanza is that nobody can handle; at once, if it
    /// wants to ask something of a session that was closed.
    private func invalidationFailed(
        _ request: StoredRequest, _ reason: InvalidationReason, _ error: any Error
    ) async throws -> EndingOutcome {
        // No answer can come to it then, or it may not even ask: it is tried again as often as need be.
        var isInVain = false
        switch error {
        case RequestError.timedOut where !isClosed: isInVain = await !stream.isOnline
        case RequestError.suspended where !isClosed: isInVain = isSuspended
        default: break
        }
        let count = (failedEndings[request.serial]?.count ?? 0) + (isInVain ? 0 : 1)
        failedEndings[request.serial] = (count, clock.now.uptime)
        logger.warning(
            "a request has ended, and the invalidation of its handler failed",
            metadata: ["error": "\(HandlingFailure.loggable(error))", "reason": "\(reason)"])
        logger.debug(
            "the error that an invalidation threw", metadata: ["error": "\(HandlingFailure.cause(of: error))"])
        var isHopeless = false
        if isClosed, case StreamManagementError.ended = error { isHopeless = true }
        let limit = await stream.configuration.maximumHandlingAttempts
        guard isHopeless || count >= limit else { return .notEnded }
        try await commit { work in
            work.withdrawals.add([request])
            try work.database.add { transaction in
                _ = try transaction.requests.remove(request.serial)
                if try !transaction.requests.uses(request.handler) {
                    try transaction.handlers.remove(request.handler)
                }
            }
        }
        failedEndings[request.serial] = nil
        return .ended
    }

    /// Does work together with the session; when that is closed, nothing is sent any more.
    ///
    /// - Throws: `EffectsError` for what a change throws.
    private func commit(_ body: @Sendable (StanzaWork) async throws -> Void) async throws {
        if isClosed {
            try await database.collect { database in
                try await body(StanzaWork(database, in: workContext, isLast: true))
            } commit: { work, _ in
                try await database.make(work)
            }
        } else {
            try await settleAsOne(withdrawing: true, body)
        }
    }
}

/// What came of ending a request.
enum EndingOutcome {
    /// It has ended, now or before.
    case ended
    /// Its invalidation has failed, or is at work still.
    case notEnded
    /// Other work of the session was about to end it, which may fail.
    case metEnding
    /// Somebody else was about to end its handler.
    case metClaim

    fileprivate var isMet: Bool { self == .metEnding || self == .metClaim }
}

/// Work that has begun.
private final class StartedWork: Sendable {
    let work = Mutex<StanzaWork?>(nil)
    /// The handler has returned; what comes is the transaction.
    let isDone = Mutex(false)
}

extension InvalidationReason {
    /// Handling the answer has failed so often that it was set aside (rule R40).
    public static let answerNotHandled = InvalidationReason.other("answer-not-handled")

    /// The answer is beyond a limit of the parser, and was passed over (rule R7).
    public static let answerRejected = InvalidationReason.other("answer-rejected")

    fileprivate init(_ end: StoredRequest.End) {
        switch end {
        case .lost: self = .disconnected
        case .notHandled: self = .answerNotHandled
        case .rejected: self = .answerRejected
        }
    }

    /// Of a request that will not be answered any more.
    fileprivate init(endOf request: StoredRequest) {
        self = request.end.map(InvalidationReason.init) ?? .timedOut
    }
}
