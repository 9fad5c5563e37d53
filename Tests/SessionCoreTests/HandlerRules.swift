// Handlers that throw, never return, or return too late.

import SessionCore
import Testing

@Suite struct HandlerRules {
    @Test func oneHandlerRunsAtATime() {
        let core = TestCore.running()
        #expect(core.receive(1) == [.handle(core.attempt, 1, nil)])
        #expect(core.receive(2) == [])
        #expect(core.returned() == [.handle(core.attempt, 2, nil)])
    }

    @Test func aHandlerThatNeverReturnsHoldsUpNoStanza() {
        let core = TestCore.running { $0.handlerTime = .seconds(10) }
        core.receive(1)
        core.receive(2)
        let attempt = core.attempt
        #expect(core.wait(.seconds(10)) == [.cancel(attempt), .countFailure(1)])
        #expect(core.handle(.failureCounted(1, .deadLettered)).contains(.handle(core.attempt, 2, nil)))
        // The canceled handler returns after all.
        #expect(core.handle(.returned(attempt, Core.Collected())) == [])
        #expect(core.jobCount == 1)
    }

    @Test func aSlowHandlerIsNoticedAtHalfOfItsTime() {
        let core = TestCore.running { $0.handlerTime = .seconds(10) }
        core.receive(1)
        let attempt = core.attempt
        #expect(core.wait(.seconds(4)) == [])
        #expect(core.wait(.seconds(1)) == [.noteSlowness(attempt)])
        #expect(core.wait(.seconds(4)) == [])
        #expect(core.wait(.seconds(1)) == [.cancel(attempt), .countFailure(1)])
    }

    /// The application may have changed it since the last run.
    @Test func aRunBringsTheTimeOfHandlers() {
        let core = TestCore()
        core.handle(.run(1))
        core.handle(.claimed(for: 1, handlerTime: .seconds(60)))
        core.handle(.streamBegan)
        core.handle(.requestsRead(core.read, []))
        core.receive(1)
        #expect(core.wait(.seconds(59)) == [.noteSlowness(core.attempt)])
        #expect(core.wait(.seconds(1)) == [.cancel(core.attempt), .countFailure(1)])
    }

    @Test func anUncountedStanzaIsDeadLetteredHere() {
        let core = TestCore.running { $0.attempts = 2 }
        core.receive(1, isCounted: false)
        #expect(core.threw(.failed) == [])
        core.wait(.milliseconds(50))
        #expect(core.threw(.failed) == [.deadLetter(1)])
        #expect(core.jobCount == 0)
    }

    @Test func theRequestOfAnAnswerThatIsDeadLetteredEnds() {
        let core = TestCore.running { $0.attempts = 1 }
        core.receive(1, isAnswer: true, isCounted: false)
        core.handle(.found(core.lookUp, [match(5)]))
        let ending = Core.Ending(serial: 5, outcome: .notHandled)
        let actions = core.threw(.failed)
        #expect(actions == [.deadLetter(1), .invalidate(core.attempt, ending)])
    }

    /// The core retries an interrupted handler, but not forever. So does it one whose answer cannot arrive, because
    /// unhandled stanzas hold up the stream.
    @Test(arguments: [Core.Failure.interrupted, .unanswered(isInputHeldUp: true)])
    func aRepeatedlyInterruptedHandlerHasFailed(failure: Core.Failure) {
        let core = TestCore.running { $0.attempts = 2 }
        core.receive(1)
        for _ in 1...2 {
            #expect(core.threw(failure) == [])
            #expect(core.wait(.seconds(1)) == [.handle(core.attempt, 1, nil)])
        }
        #expect(core.threw(failure) == [.countFailure(1)])
    }

    @Test func aHandlerThatAsksWithoutAStreamHasNotFailed() {
        let core = TestCore.running { $0.attempts = 1 }
        core.receive(1)
        core.handle(.streamIsGone(canResume: true))
        for _ in 1...5 {
            #expect(core.threw(.unanswered(isInputHeldUp: false)) == [])
            #expect(core.wait(.seconds(1)).contains(.handle(core.attempt, 1, nil)))
        }
        core.handle(.streamBegan)
        #expect(core.threw(.unanswered(isInputHeldUp: false)) == [.countFailure(1)])
    }
}
