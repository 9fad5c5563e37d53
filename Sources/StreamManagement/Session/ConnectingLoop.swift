// The state of StreamSession+Connecting.swift between connections.

/// A call of ``StreamSession/run(connecting:tag:policy:)``. Belongs to the session.
final class ConnectingLoop {
    let id: UInt64
    let tag: String?
    let policy: ReconnectionPolicy
    /// The place to which the server has redirected the session.
    var redirection: ServerLocation?
    /// The connection, or the attempt, is to a place that the server has named, not to the ordinary one.
    var isElsewhere = false
    /// The last stream failed at the server's location: the ordinary place is next (rule R13).
    var avoidsLocation = false
    /// The session's own error while an authentication asked it for the inline elements.
    var inlineFailure: (any Error)?
    /// The storage could not name the session's owner: this attempt has failed.
    var ownerIsUnknown = false
    /// How many attempts in a row failed because the owner is unknown.
    var uncheckedAttempts = 0
    /// How many such attempts in a row end the loop. By the default policy they take minutes: enough for another
    /// process to release a storage that it uses for a short time.
    static let maximumUncheckedAttempts = 10
    /// When the last attempt began.
    private var lastAttempt: Duration = .zero
    /// The end of the current wait; `nil` if the loop does not wait.
    private(set) var pauseEnd: Duration?
    /// Why the loop is over; `nil` if it continues.
    private(set) var end: StreamEnd?
    private var redirectionCount = 0
    private var failures = 0
    private var cancelCurrent: (() -> Void)?

    init(id: UInt64, tag: String?, policy: ReconnectionPolicy) {
        self.id = id
        self.tag = tag
        self.policy = policy
    }

    /// Runs `body` until the loop is stopped or the task is canceled.
    ///
    /// - Parameters:
    ///   - grace: limits the wait for a canceled `body`: the wait ends when this returns.
    ///   - discard: takes a result that comes after that.
    ///   - body: the work.
    func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, grace: @escaping @Sendable () async throws -> Void,
        discard: @escaping @Sendable (Value) async -> Void,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        let task = Task {
            do {
                let value = try await body()
                if !race.end(.success(value)) { await discard(value) }
            } catch {
                race.end(.failure(error))
            }
        }
        let cancel: @Sendable () -> Void = {
            task.cancel()
            race.giveUp(after: grace)
        }
        cancelCurrent = cancel
        defer { cancelCurrent = nil }
        return try await withTaskCancellationHandler {
            try await race.value()
        } onCancel: {
            cancel()
        }
    }

    /// Ends the loop. The first reason counts.
    func stop(because reason: StreamEnd) {
        if end == nil { end = reason }
        cancelCurrent?()
    }

    /// Begins an attempt, and clears the reasons for which the previous one failed.
    func begin(at now: Duration) {
        lastAttempt = now
        ownerIsUnknown = false
        inlineFailure = nil
    }

    /// Begins the wait for the next attempt, and returns its length.
    func beginPause(at now: Duration) -> Duration {
        defer { failures += 1 }
        let delay = policy.delay(afterFailures: failures, random: Double.random(in: 0...1))
        pauseEnd = now + delay
        return delay
    }

    func endPause() { pauseEnd = nil }

    /// Brings the next attempt forward, if the loop waits for it. Attempts stay at least
    /// ``ReconnectionPolicy/shortest`` apart.
    func hurry(at now: Duration) {
        guard let pauseEnd else { return }
        let earliest = max(now, lastAttempt + policy.shortest)
        guard earliest < pauseEnd else { return }
        self.pauseEnd = earliest
        cancelCurrent?()
    }

    /// Resets the counts after a stream that lived long enough.
    func streamLived(_ time: Duration) {
        guard time >= policy.stableTime else { return }
        failures = 0
        redirectionCount = 0
    }

    /// Notes a server's redirection, up to the policy's maximum in a row.
    func redirect(to other: ServerLocation?) {
        guard let other, redirectionCount < policy.maximumRedirections else { return }
        redirectionCount += 1
        redirection = other
    }
}
