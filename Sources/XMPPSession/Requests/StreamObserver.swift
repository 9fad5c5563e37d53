// What the session hears on the stream's own thread: answers that a task waits for, and ends of sessions.

import StreamManagement
import Synchronization
import XMLTree

/// Knows nothing of the durable session but where to tell it what has happened.
final class StreamObserver: StreamSessionDelegate {
    private struct State {
        /// Who ends requests, while the session runs.
        var endings: AsyncStream<Void>.Continuation?
        /// Lost answers that the database does not know of.
        var lost: [LostAnswer] = []
        /// Who is told what becomes of stanzas.
        var reporter: (@Sendable (StanzaReport) -> Void)?
        /// Greets sessions, while the session runs.
        var greetings: AsyncStream<Void>.Continuation?
        /// A session began in this process, and the app has not greeted it yet.
        var isNewSession = false
        /// The stanza that is delivered now was handed to a task.
        var isTaken = false
    }

    private let awaited: AwaitedAnswers
    private let state = Mutex(State())
    /// Notes in the database that an answer is lost, and returns whether it has.
    private let note: @Sendable (LostAnswer) -> Bool

    init(awaited: AwaitedAnswers, noting note: @escaping @Sendable (LostAnswer) -> Bool) {
        self.awaited = awaited
        self.note = note
    }

    func tellOfEndings(by continuation: AsyncStream<Void>.Continuation) {
        state.withLock { $0.endings = continuation }
    }

    func tellOfSessions(by continuation: AsyncStream<Void>.Continuation) {
        state.withLock { $0.greetings = continuation }
    }

    /// Whether a session began since the last call, or since it was put back.
    func takeNewSession() -> Bool {
        state.withLock { state in
            defer { state.isNewSession = false }
            return state.isNewSession
        }
    }

    func putBackNewSession() { state.withLock { $0.isNewSession = true } }

    /// A session began, or continues.
    private func noteSession(isNew: Bool) {
        let greetings = state.withLock { state in
            if isNew { state.isNewSession = true }
            return state.greetings
        }
        greetings?.yield()
    }

    /// Requests may have ended.
    func tellOfEndings() { state.withLock(\.endings)?.yield() }

    /// Nobody could handle a stanza (rule R40), of which the server was told nothing: it is lost with this process.
    func setAside(_ stanza: Element) {
        if let answer = LostAnswer(notHandled: stanza) { add(answer) }
    }

    private func add(_ answer: LostAnswer) {
        state.withLock { $0.lost.append(answer) }
        tellOfEndings()
    }

    /// An answer is lost. The database knows it before the server is told that it was handled: a process that is killed
    /// then does not see it again.
    private func lose(_ answer: LostAnswer) {
        if awaited.fail(answer) { return }
        if note(answer) { tellOfEndings() } else { add(answer) }
    }

    /// Their requests are still to be ended.
    func putBack(_ answers: [LostAnswer]) { state.withLock { $0.lost = answers + $0.lost } }

    /// The lost answers since the last call that the database does not know of.
    func takeLost() -> [LostAnswer] {
        state.withLock { state in
            defer { state.lost = [] }
            return state.lost
        }
    }

    /// Has somebody told what becomes of stanzas that were sent.
    func setReporter(_ reporter: (@Sendable (StanzaReport) -> Void)?) { state.withLock { $0.reporter = reporter } }

    /// An answer that a task waits for does not wait for its turn: a handler may be who waits.
    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? {
        let isTaken = awaited.take(stanza)
        state.withLock { $0.isTaken = isTaken }
        return isTaken ? .handled : nil
    }

    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { awaited.isWaiting }

    /// Comes right behind the question how the stanza is handled.
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
            awaited.fail(report.number)
            // Perhaps it was a request, and will not be sent again.
            tellOfEndings()
        case .queued, .sent, .acknowledged: break
        }
    }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        switch event {
        case .notResumed, .sessionLost:
            awaited.failSent()
            tellOfEndings()
        case .setAside(let stanza, _, _): if let answer = LostAnswer(notHandled: stanza) { lose(answer) }
        case .rejected(let stanza): if let answer = LostAnswer(rejected: stanza) { lose(answer) }
        case .enabled:
            tellOfEndings()
            noteSession(isNew: true)
        case .notOffered, .notEnabled: noteSession(isNew: true)
        case .resumed: noteSession(isNew: false)
        case .bound, .acknowledgementRequested, .acknowledged, .acknowledgementWithheld, .undecided, .deadLettered,
            .other, .disconnected, .notConnected:
            break
        }
    }
}
