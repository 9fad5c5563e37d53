// Collects the reports of the stream on the stream's own thread: answers that a task waits for, and ends of sessions.

import Locking
import StreamManagement
import XMLTree

/// Collects the reports of the stream until the session takes them.
final class SessionSignals: StreamSessionDelegate {
    /// The reports since they were taken last.
    struct Pending {
        var requestsChanged = false
        /// Whether there is a stream, if that has changed.
        var isOnline: Bool?
        /// Whether a session has begun, or continues; `nil` for neither.
        var isNewSession: Bool?
    }

    private struct State {
        var pending = Pending()
        /// Lost answers that the database does not know of.
        var lost: [LostAnswer] = []
        var reporter: (@Sendable (StanzaReport) -> Void)?
        /// The stanza that the stream delivers now was handed to a task.
        var isTaken = false
    }

    /// Yields after reports.
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let awaited: AwaitedAnswers
    private let state = Lock(State())
    /// Notes in the database that an answer is lost, and returns whether it has.
    private let note: @Sendable (LostAnswer) -> Bool

    init(awaited: AwaitedAnswers, noting note: @escaping @Sendable (LostAnswer) -> Bool) {
        self.awaited = awaited
        self.note = note
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    private func signal(_ change: (inout Pending) -> Void) {
        state.withLock { change(&$0.pending) }
        continuation.yield()
    }

    /// Takes the reports.
    func takePending() -> Pending {
        state.withLock { state in
            defer { state.pending = Pending() }
            return state.pending
        }
    }

    /// The requests in the database may have ended, or have other deadlines.
    private func noteRequests() { signal { $0.requestsChanged = true } }

    func setReporter(_ reporter: (@Sendable (StanzaReport) -> Void)?) { state.withLock { $0.reporter = reporter } }

    private func noteSession(isNew: Bool) {
        signal { pending in
            pending.isOnline = true
            pending.isNewSession = isNew || pending.isNewSession == true
        }
    }

    // MARK: Lost answers

    /// No handler is called with an answer. The database knows it before the server counts the answer as handled: a
    /// process that is killed then does not receive it again.
    func lose(_ answer: LostAnswer) {
        if awaited.fail(answer) { return }
        if !note(answer) { state.withLock { $0.lost.append(answer) } }
        noteRequests()
    }

    /// Tries again to note the lost answers that the database does not know of.
    ///
    /// - Returns: Whether the database knows all of them.
    func noteLostAnswers() -> Bool {
        let lost = state.withLock { state in
            defer { state.lost = [] }
            return state.lost
        }
        let left = lost.filter { !note($0) }
        state.withLock { $0.lost = left + $0.lost }
        return left.isEmpty
    }

    // MARK: Reports of the stream

    /// Hands an answer to the waiting task at once. The task may belong to a handler, so the answer cannot be queued.
    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? {
        let isTaken = awaited.take(stanza)
        state.withLock { $0.isTaken = isTaken }
        return isTaken ? .handled : nil
    }

    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { awaited.isWaiting }

    /// The stream calls this after it has asked how to handle the stanza.
    func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool {
        state.withLock { state in
            defer { state.isTaken = false }
            return state.isTaken
        }
    }

    func session(_ session: StreamSession, didReport report: StanzaReport) {
        state.withLock(\.reporter)?(report)
        guard report.prospect == .final else { return }
        switch report.state {
        case .unknown, .failed:
            awaited.fail(report)
            // It may have been a request, which is not sent again.
            noteRequests()
        case .queued, .sent, .acknowledged, .bounced: break
        }
    }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        switch event {
        case .notResumed, .sessionLost:
            awaited.failSent()
            noteRequests()
        case .incomingDeadLetter(let stanza, _, _): if let answer = LostAnswer(notHandled: stanza) { lose(answer) }
        case .rejected(let stanza): if let answer = LostAnswer(rejected: stanza) { lose(answer) }
        case .enabled:
            noteRequests()
            noteSession(isNew: true)
        case .notOffered, .notEnabled: noteSession(isNew: true)
        case .resumed: noteSession(isNew: false)
        case .bound: signal { $0.isOnline = true }
        case .disconnected: signal { $0.isOnline = false }
        case .acknowledgementRequested, .acknowledged, .acknowledgementWithheld, .undecided, .deadLettered, .other,
            .notRouted, .notConnected:
            break
        }
    }
}
