// What StreamSession+Connecting.swift knows from one connection to the next.

/// A call of ``StreamSession/run(connecting:tag:policy:)``. Belongs to the session.
final class ConnectingLoop {
    let id: UInt64
    let tag: String?
    let policy: ReconnectionPolicy
    /// Where the server has sent us.
    var redirection: ServerLocation?
    /// The connection is, or is to be, to a place that the server has named, and not to the ordinary one.
    var isElsewhere = false
    /// The last stream came to nothing at the server's location: the ordinary place is next (rule R13).
    var avoidsLocation = false
    /// What the session itself threw while an authentication asked it what to resume.
    var inlineFailure: (any Error)?
    /// The storage could not say whose the session is: this attempt has failed.
    var ownerIsUnknown = false
    /// How many attempts in a row have failed so.
    var uncheckedAttempts = 0
    /// By the default policy that many take minutes: a storage that another process holds is free again by then, and
    /// one that is not will never be.
    static let maximumUncheckedAttempts = 10
    /// When the last attempt began.
    private var lastAttempt: Duration = .zero
    /// Until when the loop waits, while it does.
    private(set) var pauseEnd: Duration?
    /// Why it is over, if it is.
    private(set) var end: StreamEnd?
    private var redirectionCount = 0
    private var failures = 0
    private var cancelCurrent: (() -> Void)?

    init(id: UInt64, tag: String?, policy: ReconnectionPolicy) {
        self.id = id
        self.tag = tag
        self.policy = policy
    }

    /// Does what takes time, until the loop is stopped or the task is cancelled.
    ///
    /// - Parameters:
    ///   - grace: ends when what was cancelled and goes on is not waited for any more.
    ///   - discard: what is done with something that comes after that.
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

    /// The first reason counts.
    func stop(because reason: StreamEnd) {
        if end == nil { end = reason }
        cancelCurrent?()
    }

    /// Begins an attempt, which what made the one before fail does not concern.
    func begin(at now: Duration) {
        lastAttempt = now
        ownerIsUnknown = false
        inlineFailure = nil
    }

    /// Begins to wait for the next attempt. Returns how long that takes.
    func beginPause(at now: Duration) -> Duration {
        defer { failures += 1 }
        let delay = policy.delay(afterFailures: failures, random: Double.random(in: 0...1))
        pauseEnd = now + delay
        return delay
    }

    func endPause() { pauseEnd = nil }

    /// Brings the next attempt forward, if the loop waits for it. However often this is called, attempts stay apart.
    func hurry(at now: Duration) {
        guard let pauseEnd else { return }
        let earliest = max(now, lastAttempt + policy.shortest)
        guard earliest < pauseEnd else { return }
        self.pauseEnd = earliest
        cancelCurrent?()
    }

    /// A stream is over that lived for this long.
    func streamLived(_ time: Duration) {
        guard time >= policy.stableTime else { return }
        failures = 0
        redirectionCount = 0
    }

    /// A server says that another one is to be used.
    func redirect(to other: ServerLocation?) {
        guard let other, redirectionCount < policy.maximumRedirections else { return }
        redirectionCount += 1
        redirection = other
    }
}
