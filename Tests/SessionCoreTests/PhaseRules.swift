// Running, suspending and closing, at any time.

import Foundation
import SessionCore
import Testing

@Suite struct PhaseRules {
    @Test func aSessionIsRunOnce() {
        let core = TestCore.running()
        #expect(core.handle(.run(2)) == [.answer(2, .alreadyRunning)])
    }

    @Test func theCallerDoesWhatActionsSay() {
        let call: Core.Call = 1
        let now = Core.Moment(uptime: .zero, date: Date(timeIntervalSince1970: 1_000_000))
        var performed: [Core.Action] = []
        func perform(_ action: Core.Action) { performed.append(action) }
        var core = DurableSessionCore()
        var actions: [DurableSessionCore.Action] = []
        core.handle(.run(call), at: now, into: &actions)
        for action in actions { perform(action) }
        #expect(performed == [.claim(for: call)])
        #expect(core.phase == .claiming(run: call))
    }

    @Test func aSuspensionDuringACommitWaitsForIt() {
        let core = TestCore.running()
        core.handled(1)
        #expect(core.handle(.suspend(2, deadline: .seconds(1), isWithin: false)) == [])
        #expect(core.committed().last == .suspendStream)
        #expect(core.handle(.streamSuspended) == [.answer(1, .suspended), .answer(2, .suspended)])
        #expect(core.phase == "suspended")
        #expect(core.collect(3) == [.finish(3, .refused(.suspended))])
    }

    @Test func aHandlerMayFinishUntilTheDeadline() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        #expect(core.handle(.suspend(2, deadline: .seconds(1), isWithin: false)) == [.putBack([2])])
        #expect(core.wait(.seconds(1)) == [.cancel(core.attempt), .putBack([1]), .suspendStream])
        #expect(core.returned() == [])
    }

    @Test func aSuspensionCommitsWhatIsHandled() {
        let core = TestCore.running()
        for stanza in [1, 2, 3] as [Core.StanzaNumber] { core.receive(stanza) }
        core.returned()
        let actions = core.handle(.suspend(2, deadline: .seconds(1), isWithin: false))
        #expect(actions == [.putBack([3]), .commit(core.commit, core.entries)])
        #expect(core.entries.map(\.stanza) == [1])
        core.committed()
        #expect(core.wait(.seconds(1)) == [.cancel(core.attempt), .putBack([2]), .suspendStream])
    }

    @Test func aSuspensionStoresAnInvalidationThatReturns() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .lost), request(6, cause: .lost)])
        core.handle(.suspend(2, deadline: .seconds(1), isWithin: false))
        #expect(core.returned() == [.commit(core.commit, core.entries)])
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .lost)])
        #expect(core.committed().last == .suspendStream)
    }

    /// The server delivers its stanza again.
    @Test func aHandlerThatClosesTheSessionAndFailsIsNotRepeated() {
        let core = TestCore.running()
        core.receive(1)
        #expect(core.handle(.close(2, isWithin: true)) == [.answer(2, .closed)])
        #expect(core.threw(.failed) == [.putBack([1]), .closeStream])
    }

    @Test func closingWaitsForARunningHandler() {
        let core = TestCore.running()
        core.receive(1)
        #expect(core.handle(.close(2, isWithin: false)) == [])
        core.returned()
        #expect(core.committed().last == .closeStream)
    }

    /// The core counts no failure: the next run repeats the invalidation.
    @Test(arguments: [false, true]) func aSuspensionEndsARunningInvalidation(isOverdue: Bool) {
        let core = TestCore.running { $0.attempts = 1 }
        core.readRequests([request(5, cause: .lost)])
        #expect(core.handle(.suspend(2, deadline: .seconds(1), isWithin: false)) == [])
        let actions = isOverdue ? core.wait(.seconds(1)) : core.threw(.failed)
        #expect(actions == (isOverdue ? [.cancel(core.attempt)] : []) + [.suspendStream])
    }

    /// A later run waits as quietly as the first.
    @Test func eachRunReadsTheRequestsOnce() {
        let core = TestCore.running()
        core.handle(.streamEnded)
        core.handle(.streamSuspended)
        core.handle(.run(2))
        #expect(core.handle(.claimed(for: 2)) == [.runStream, .readRequests(core.read, after: 0)])
        core.handle(.streamBegan)
        #expect(core.handle(.requestsRead(core.read, [])) == [])
        #expect(core.alarm == nil)
    }

    @Test func aBusyDatabaseIsNotWaitedForBeyondTheDeadline() {
        let core = TestCore.running()
        core.handled(1)
        core.handle(.suspend(2, deadline: .milliseconds(10), isWithin: false))
        core.wait(.milliseconds(10))
        #expect(core.handle(.notCommitted(core.commit, .busy)) == [.putBack([1]), .suspendStream])
    }

    /// A handler would wait for itself.
    @Test func aHandlerThatSuspendsTheSessionIsNotWaitedFor() {
        let core = TestCore.running()
        core.receive(1)
        let actions = core.handle(.suspend(2, deadline: .seconds(1), isWithin: true))
        #expect(actions == [.cancel(core.attempt), .putBack([1]), .suspendStream])
    }

    /// Stanzas come again in their order.
    @Test func stanzasAfterAFailureArePutBackWithIt() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        core.returned()
        core.wait(.milliseconds(50))
        core.handle(.suspend(2, deadline: .seconds(1), isWithin: false))
        let actions = core.committed([.failed])
        #expect(actions == [.putBack([1]), .cancel(core.attempt), .putBack([2]), .suspendStream])
    }

    @Test func aRunWaitsForASuspension() {
        let core = TestCore.running()
        core.handle(.suspend(2, deadline: .seconds(1), isWithin: false))
        #expect(core.handle(.run(3)) == [])
        #expect(core.handle(.streamSuspended) == [.answer(1, .suspended), .answer(2, .suspended), .claim(for: 3)])
    }

    @Test func aLostSessionWithOpenRequestsIsClosedWithTheirEnds() {
        let core = TestCore.running()
        #expect(core.handle(.close(2, isWithin: false)) == [.closeStream])
        #expect(core.handle(.streamClosed) == [.forgetSession])
        let actions = core.handle(.sessionForgotten([request(5), request(6, cause: .notHandled)]))
        #expect(actions == [.invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost))])
        core.returned()
        core.returned()
        let outcomes = core.entries.map(\.ends?.outcome)
        core.committed()
        #expect(core.committed() == [.send([.attempt(core.attempt)]), .answer(1, .closed), .answer(2, .closed)])
        #expect(outcomes == [.lost] && core.entries.map(\.ends?.outcome) == [.notHandled])
        #expect(core.phase == "closed" && !core.hasRequestsLeft)
    }

    /// The next invalidation begins. The core stores the changes of the slow one when it returns.
    @Test func anInvalidationMayOutliveClosing() {
        let core = TestCore.running()
        core.close(2, leaving: [request(5), request(6)])
        let slow = core.attempt
        #expect(core.wait(.seconds(5)) == [.invalidate(core.attempt, Core.Ending(serial: 6, outcome: .lost))])
        core.returned()
        #expect(core.committed().last == .answer(2, .closed))
        #expect(core.hasRequestsLeft)
        core.handle(.returned(slow, Core.Collected()))
        #expect(core.entries.map(\.ends?.serial) == [5])
        #expect(core.committed() == [.send([.attempt(slow)])])
        #expect(core.jobCount == 0)
    }

    @Test func anInvalidationOfAClosedSessionIsGivenUpInTheEnd() {
        let core = TestCore.running { $0.attempts = 2 }
        core.close(2, leaving: [request(5)])
        #expect(core.threw(.failed) == [])
        #expect(core.wait(.milliseconds(50)) == [.invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost))])
        core.threw(.failed)
        #expect(core.entries.map(\.ends?.isGivenUp) == [true])
        #expect(core.committed() == [.answer(1, .closed), .answer(2, .closed)])
        #expect(!core.hasRequestsLeft)
    }

    /// It has requested something, which a closed session never sends.
    @Test func anInvalidationThatIsHopelessIsGivenUpAtOnce() {
        let core = TestCore()
        core.close(1, leaving: [request(5)])
        core.threw(.hopeless)
        #expect(core.entries.map(\.ends?.isGivenUp) == [true])
        #expect(core.committed() == [.answer(1, .closed)])
    }

    @Test func anInvalidationThatRestsWhenTheTimeIsOverIsLeft() {
        let core = TestCore()
        core.close(1, leaving: [request(5)])
        core.threw(.database(.busy))
        #expect(core.wait(.seconds(10)) == [.answer(1, .closed)])
        #expect(core.hasRequestsLeft)
    }

    @Test func closingAgainDoesTheRest() {
        let core = TestCore { $0.attempts = 1 }
        core.handle(.close(1, isWithin: false))
        core.handle(.streamClosed)
        #expect(core.handle(.sessionNotForgotten) == [.answer(1, .closed)])
        #expect(core.handle(.close(2, isWithin: false)) == [.forgetSession])
        #expect(core.handle(.sessionForgotten([])) == [.answer(2, .closed)])
        #expect(!core.hasRequestsLeft)
    }

    @Test func suspendingAClosingSessionClosesItSoon() {
        let core = TestCore.running()
        core.handle(.close(2, isWithin: false))
        #expect(core.handle(.suspend(3, deadline: .seconds(1), isWithin: false)) == [])
        #expect(core.wait(.seconds(1)) == [.hurry])
        core.handle(.streamClosed)
        #expect(core.handle(.sessionForgotten([])) == [.answer(1, .closed), .answer(2, .closed), .answer(3, .closed)])
    }

    /// The requests of a closed session have more time than its handlers.
    @Test func theEndOfASuspensionLimitsTheRequestsOfAClosedSession() {
        let core = TestCore.running()
        let now = core.uptime
        core.handle(.close(2, isWithin: false))
        core.handle(.suspend(3, deadline: now + .seconds(1), end: now + .seconds(3), isWithin: false))
        #expect(core.wait(.seconds(1)) == [.hurry])
        core.handle(.streamClosed)
        core.handle(.sessionForgotten([request(5)]))
        let slow = core.attempt
        #expect(core.wait(.seconds(1)) == [])
        #expect(
            core.wait(.seconds(1)) == [.cancel(slow), .answer(1, .closed), .answer(2, .closed), .answer(3, .closed)])
        #expect(core.hasRequestsLeft)
    }

    @Test func aFailedClaimLeavesASuspendedSessionSuspended() {
        let core = TestCore()
        core.handle(.suspend(1, deadline: .seconds(1), isWithin: false))
        core.handle(.streamSuspended)
        core.handle(.run(2))
        #expect(core.collect(9) == [.finish(9, .refused(.suspended))])
        #expect(core.handle(.notClaimed(for: 2)) == [.answer(2, .notClaimed)])
        #expect(core.handle(.suspend(3, deadline: .seconds(1), isWithin: false)) == [.answer(3, .suspended)])
    }

    /// The first run has been suspended while its claim was out.
    @Test func theClaimOfAnEarlierRunIsIgnored() {
        let core = TestCore()
        core.handle(.run(1))
        #expect(core.handle(.suspend(2, deadline: .seconds(1), isWithin: false)) == [.suspendStream])
        core.handle(.run(3))
        let actions = core.handle(.streamSuspended)
        #expect(actions == [.answer(1, .suspended), .answer(2, .suspended), .claim(for: 3)])
        #expect(core.handle(.notClaimed(for: 1)) == [])
        #expect(core.handle(.claimed(for: 1)) == [])
        #expect(core.handle(.notClaimed(for: 3)) == [.answer(3, .notClaimed)])
    }

    /// The stream has not offered the stanza again, and the server does so only after a resumption.
    @Test func aStanzaWhoseFailureIsCountedIsPutBack() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        #expect(core.threw(.failed) == [.countFailure(1)])
        #expect(core.handle(.suspend(2, deadline: .seconds(1), isWithin: false)) == [.putBack([2])])
        #expect(core.handle(.failureCounted(1, .again)) == [.putBack([1]), .suspendStream])
        #expect(core.handle(.failureCounted(1, .again)) == [])
    }

    @Test(arguments: [Core.Verdict.deadLettered, .comesAgain])
    func aStanzaThatTheStreamGivesUpIsNotPutBack(verdict: Core.Verdict) {
        let core = TestCore.running()
        core.receive(1)
        core.threw(.failed)
        core.handle(.streamEnded)
        #expect(core.handle(.failureCounted(1, verdict)) == [.suspendStream])
    }

    // MARK: Transactions

    @Test func aTransactionWaitsForTheEndOfARun() {
        let core = TestCore.running()
        #expect(core.handle(.streamEnded) == [.suspendStream])
        #expect(core.collect(7) == [])
        let actions = core.handle(.streamSuspended)
        #expect(actions == [.answer(1, .streamEnded), .commit(core.commit, [Core.Entry(work: .transaction(7))])])
        #expect(core.committed() == [.send([.transaction(7)]), .finish(7, .done)])
    }

    @Test func aTransactionThatWaitsIsRefusedByASuspension() {
        let core = TestCore.running()
        core.handle(.streamEnded)
        core.collect(7)
        core.handle(.suspend(2, deadline: .seconds(1), isWithin: false))
        #expect(core.handle(.streamSuspended).first == .finish(7, .refused(.suspended)))
    }

    /// The application may have closed its database.
    @Test func aClosedSessionRetriesItsLastCommitAFewTimes() {
        let core = TestCore.running { $0.attempts = 3 }
        core.close(2, leaving: [request(5)])
        let slow = core.attempt
        for _ in 1...2 { core.wait(.seconds(5)) }
        #expect(core.phase == "closed")
        core.handle(.returned(slow, Core.Collected()))
        for failure in [Core.DatabaseFailure.broken, .busy] {
            #expect(core.handle(.notCommitted(core.commit, failure)) == [])
            core.wait(.seconds(1))
        }
        #expect(core.handle(.notCommitted(core.commit, .broken)) == [.cancel(slow)])
        #expect(core.wait(.seconds(3600)) == [])
        #expect(core.jobCount == 0 && core.hasRequestsLeft)
        #expect(core.handle(.close(3, isWithin: false)) == [.forgetSession])
    }

    /// `maximumHandlingAttempts` may have changed since the session was made.
    @Test func eachRunHasItsBoundOfAttempts() {
        let core = TestCore { $0.attempts = 5 }
        core.handle(.run(1))
        core.handle(.claimed(for: 1, attempts: 1))
        core.receive(1, isCounted: false)
        #expect(core.threw(.failed) == [.deadLetter(1)])
    }

    @Test func aSessionIsClosedOnceForAllCalls() {
        let core = TestCore.running()
        #expect(core.handle(.close(2, isWithin: false)) == [.closeStream])
        #expect(core.handle(.close(3, isWithin: false)) == [])
        #expect(core.handle(.streamClosed) == [.forgetSession])
        #expect(core.handle(.close(4, isWithin: false)) == [])
        let actions = core.handle(.sessionForgotten([]))
        #expect(actions == [1, 2, 3, 4].map { .answer($0, .closed) })
        #expect(core.handle(.close(5, isWithin: false)) == [.answer(5, .closed)])
    }
}
