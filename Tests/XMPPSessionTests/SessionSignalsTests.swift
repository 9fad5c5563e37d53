// The reports of the stream, and their meaning for the core and for waiting tasks.

import SessionCore
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite struct SessionSignalsTests {
    private let awaited = AwaitedAnswers(account: "juliet@example.org")
    private let signals: SessionSignals
    private let stream: StreamSession

    init() async throws {
        signals = SessionSignals(awaited: awaited) { _ in true }
        stream = try await StreamSession(account: "juliet@example.org", storage: MemoryStorage())
    }

    private func pending(_ event: SessionEvent) -> [Bool?] {
        signals.session(stream, didReceive: event)
        let pending = signals.takePending()
        return [pending.isOnline, pending.isNewSession]
    }

    /// A stream is online before its session has begun: the app may enable stream management later.
    @Test func streamsAndSessionsBegin() throws {
        #expect(pending(.bound(address: nil)) == [true, nil])
        #expect(pending(.notOffered) == [true, true])
        #expect(pending(.notEnabled(xml("<failed/>"))) == [true, true])
        #expect(pending(.enabled(xml("<enabled/>"), nil)) == [true, true])
        #expect(pending(.resumed(ResumptionResult(acknowledged: [], answer: xml("<resumed/>")))) == [true, false])
        #expect(pending(.disconnected(.closed)) == [false, nil])
    }

    /// It may have been a request, which is not sent again. Its session may continue.
    @Test(arguments: [StanzaState.unknown, .failed, .acknowledged]) func aStanzaIsGivenUp(state: StanzaState) {
        let number = OutgoingNumber(rawValue: 1)
        signals.session(stream, didReport: StanzaReport(number: number, id: nil, state: state, prospect: .undecided))
        #expect(!signals.takePending().requestsChanged)
        signals.session(stream, didReport: StanzaReport(number: number, id: nil, state: state, prospect: .final))
        #expect(signals.takePending().requestsChanged == (state != .acknowledged))
    }

    /// The database could not note the loss when the stream reported it.
    @Test func aLostAnswerIsNotedLater() {
        let attempts = Counter()
        let signals = SessionSignals(awaited: awaited) { _ in attempts.next() > 1 }
        signals.session(stream, didReceive: .incomingDeadLetter(xml(answer), attempts: 1, error: nil))
        #expect(signals.takePending().requestsChanged)
        for _ in 1...2 { #expect(signals.noteLostAnswers()) }
        #expect(attempts.value == 2)
    }

    /// The stream reports nothing more about an acknowledged stanza.
    @Test(arguments: [SessionEvent.notResumed(xml("<failed/>")), .sessionLost(.notResumed)])
    func aLostSessionEndsARequestThatTheServerHas(event: SessionEvent) async {
        let sent = SentStanza(number: OutgoingNumber(rawValue: 1), element: query)
        sent.update(.acknowledged, isFinal: true)
        await #expect(throws: RequestError.disconnected) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(!signals.sessionAwaitsAnswer(stream))
                #expect(awaited.add("q1", to: nil, continuation))
                // The stream reads more stanzas than usual, because the answer comes after them.
                #expect(signals.sessionAwaitsAnswer(stream))
                awaited.note(sent, for: "q1")
                signals.session(stream, didReceive: event)
                awaited.fail("q1", Unanswered())
            }
        }
    }

    private struct Unanswered: Error {}
}
