// What the session hears on the stream's own thread: answers that a task waits for, and ends of sessions.

import StreamManagement
import Synchronization
import XMLTree

/// Knows nothing of the durable session but where to tell it what has happened.
final class StreamObserver: StreamSessionDelegate {
    private let awaited: AwaitedAnswers
    private let endings: AsyncStream<Void>.Continuation
    private let setAside = Mutex<[Element]>([])
    private let reporter = Mutex<(@Sendable (StanzaReport) -> Void)?>(nil)

    init(awaited: AwaitedAnswers, endings: AsyncStream<Void>.Continuation) {
        self.awaited = awaited
        self.endings = endings
    }

    /// The stanzas that were set aside since this was asked last (rule R40).
    func takeSetAside() -> [Element] {
        setAside.withLock { stanzas in
            defer { stanzas = [] }
            return stanzas
        }
    }

    /// Has somebody told what becomes of stanzas that were sent.
    func setReporter(_ reporter: (@Sendable (StanzaReport) -> Void)?) { self.reporter.withLock { $0 = reporter } }

    func session(_ session: StreamSession, didReport report: StanzaReport) { reporter.withLock { $0 }?(report) }

    /// An answer that a task waits for does not wait for its turn: a handler may be who waits.
    func session(_ session: StreamSession, handlingOf stanza: Element) -> HandlingDecision? {
        awaited.expects(stanza) ? .handled : nil
    }

    func session(_ session: StreamSession, didReceive stanza: ReceivedStanza) -> Bool { awaited.take(stanza.element) }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        switch event {
        case .notResumed, .sessionLost:
            awaited.failSent()
            endings.yield()
        case .setAside(let stanza, _):
            setAside.withLock { $0.append(stanza) }
            endings.yield()
        case .enabled: endings.yield()
        case .notEnabled, .resumed, .acknowledgementRequested, .acknowledged, .undecided, .other: break
        }
    }
}
