// Takes the reports of the stream on the thread that it shares with the session: answers that a task waits for, ends of
// sessions, lost answers. The core learns of them at once.

import Locking
import SessionCore
import StreamManagement
import XMLTree

/// The stream's delegate.
final class StreamReports: StreamSessionDelegate {
    private struct State {
        /// Passes events to the core.
        var pass: (@Sendable ([DurableSessionCore.Event]) -> Void)?
        /// Lost answers that the database does not know of.
        var lost: [LostAnswer] = []
        var reporter: (@Sendable (StanzaReport) -> Void)?
        /// The stanza that the stream delivers now was handed to a task.
        var isTaken = false
    }

    private let awaited: AwaitedAnswers
    private let state = Lock(State())
    /// Notes in the database that an answer is lost, and returns whether it has.
    private let note: @Sendable (LostAnswer) -> Bool

    init(awaited: AwaitedAnswers, noting note: @escaping @Sendable (LostAnswer) -> Bool) {
        self.awaited = awaited
        self.note = note
    }

    /// Sets what gets the events of the core, on the stream's thread.
    func setReceiver(_ pass: @escaping @Sendable ([DurableSessionCore.Event]) -> Void) {
        state.withLock { $0.pass = pass }
    }

    func setReporter(_ reporter: (@Sendable (StanzaReport) -> Void)?) { state.withLock { $0.reporter = reporter } }

    private func pass(_ events: DurableSessionCore.Event...) { state.withLock(\.pass)?(events) }

    // MARK: Lost answers

    /// No handler is called with an answer. The database knows it before the server counts the answer as handled: a
    /// process that is killed then does not receive it again.
    func lose(_ answer: LostAnswer) {
        if awaited.fail(answer) { return }
        if !note(answer) { state.withLock { $0.lost.append(answer) } }
        pass(.requestsChanged)
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
            pass(.requestsChanged)
        case .queued, .sent, .acknowledged, .bounced: break
        }
    }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        switch event {
        case .notResumed, .sessionLost:
            awaited.failSent()
            pass(.requestsChanged)
        case .incomingDeadLetter(let stanza, _, _): if let answer = LostAnswer(notHandled: stanza) { lose(answer) }
        case .rejected(let stanza): if let answer = LostAnswer(rejected: stanza) { lose(answer) }
        case .enabled: pass(.streamBegan, .requestsChanged, .sessionBegan(isNew: true))
        case .notOffered, .notEnabled: pass(.streamBegan, .sessionBegan(isNew: true))
        case .resumed: pass(.streamBegan, .sessionBegan(isNew: false))
        case .bound: pass(.streamBegan)
        case .disconnected: pass(.streamLost)
        case .acknowledgementRequested, .acknowledged, .acknowledgementWithheld, .undecided, .deadLettered, .other,
            .notRouted, .notConnected:
            break
        }
    }
}
