// The reports of the stream, and their meaning for the core and for waiting tasks.

import Locking
import SessionCore
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite struct StreamReportsTests {
    private let awaited = AwaitedAnswers(account: "juliet@example.org")
    private let reports: StreamReports
    private let events = Lock<[DurableSessionCore.Event]>([])
    private let stream: StreamSession

    init() async throws {
        reports = StreamReports(awaited: awaited) { _ in true }
        stream = try await StreamSession(account: "juliet@example.org", storage: MemoryStorage())
        reports.setReceiver { [events] new in events.withLock { $0 += new } }
    }

    private func takeEvents() -> [DurableSessionCore.Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    private func events(after event: SessionEvent) -> [DurableSessionCore.Event] {
        reports.session(stream, didReceive: event)
        return takeEvents()
    }

    /// A stream is online before its session has begun: the app may enable stream management later.
    @Test func streamsAndSessionsBegin() throws {
        #expect(events(after: .bound(address: nil)) == [.streamBegan])
        #expect(events(after: .notOffered) == [.streamBegan, .sessionBegan(isNew: true)])
        #expect(events(after: .notEnabled(xml("<failed/>"))) == [.streamBegan, .sessionBegan(isNew: true)])
        #expect(
            events(after: .enabled(xml("<enabled/>"), nil)) == [
                .streamBegan, .requestsChanged, .sessionBegan(isNew: true),
            ])
        #expect(
            events(after: .resumed(ResumptionResult(acknowledged: [], answer: xml("<resumed/>")))) == [
                .streamBegan, .sessionBegan(isNew: false),
            ])
        #expect(events(after: .disconnected(.closed)) == [.streamLost])
    }

    /// It may have been a request, which is not sent again. Its session may continue.
    @Test(arguments: [StanzaState.unknown, .failed, .acknowledged]) func aStanzaIsGivenUp(state: StanzaState) {
        let number = OutgoingNumber(rawValue: 1)
        reports.session(stream, didReport: StanzaReport(number: number, id: nil, state: state, prospect: .undecided))
        #expect(takeEvents() == [])
        reports.session(stream, didReport: StanzaReport(number: number, id: nil, state: state, prospect: .final))
        #expect(takeEvents() == (state == .acknowledged ? [] : [.requestsChanged]))
    }

    /// The database could not note the loss when the stream reported it.
    @Test func aLostAnswerIsNotedLater() {
        let attempts = Counter()
        let reports = StreamReports(awaited: awaited) { _ in attempts.next() > 1 }
        reports.setReceiver { [events] new in events.withLock { $0 += new } }
        reports.session(stream, didReceive: .incomingDeadLetter(xml(answer), attempts: 1, error: nil))
        #expect(takeEvents() == [.requestsChanged])
        for _ in 1...2 { #expect(reports.noteLostAnswers()) }
        #expect(attempts.value == 2)
    }

    /// The stream reports nothing more about an acknowledged stanza.
    @Test(arguments: [SessionEvent.notResumed(xml("<failed/>")), .sessionLost(.notResumed)])
    func aLostSessionEndsARequestThatTheServerHas(event: SessionEvent) async {
        let sent = SentStanza(number: OutgoingNumber(rawValue: 1), element: query)
        sent.update(.acknowledged, isFinal: true)
        await #expect(throws: RequestError.disconnected) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(!reports.sessionAwaitsAnswer(stream))
                #expect(awaited.add("q1", to: nil, continuation))
                // The stream reads more stanzas than usual, because the answer comes after them.
                #expect(reports.sessionAwaitsAnswer(stream))
                awaited.note(sent, for: "q1")
                reports.session(stream, didReceive: event)
                awaited.fail("q1", Unanswered())
            }
        }
    }

    private struct Unanswered: Error {}
}
