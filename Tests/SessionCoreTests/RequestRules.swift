// The ends of requests: by an answer, a timeout, the end of the session, or another process.

import SessionCore
import Testing

@Suite struct RequestRules {
    /// A core that has received an answer, and found its request.
    private func answered(_ stanzas: [Core.StanzaNumber], _ matches: [Core.Match?]) -> TestCore {
        let core = TestCore.running()
        for stanza in stanzas { core.receive(stanza, isAnswer: true) }
        core.handle(.found(core.lookUp, [matches[0]]))
        if stanzas.count > 1 { core.handle(.found(core.lookUp, Array(matches.dropFirst()))) }
        return core
    }

    @Test func oneReadFindsTheRequestsOfAllAnswersThatWait() {
        let core = TestCore.running()
        #expect(core.receive(1, isAnswer: true) == [.lookUp(core.lookUp, [1])])
        for stanza in [2, 3, 4] as [Core.StanzaNumber] { #expect(core.receive(stanza, isAnswer: true) == []) }
        #expect(core.handle(.found(core.lookUp, [match(5)])).last == .lookUp(core.lookUp, [2, 3, 4]))
    }

    @Test func anAnswerEndsItsRequest() {
        let core = answered([1], [match(5)])
        core.returned()
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .answered)])
        #expect(core.committed().first == .acknowledge([1]))
    }

    /// No handler could have handled the answer, so it has not failed.
    @Test func aLookUpThatFailsIsTheDatabasesFault() {
        let core = TestCore.running { $0.attempts = 1 }
        core.receive(1, isAnswer: true)
        #expect(core.handle(.notFound(core.lookUp, .busy)) == [])
        #expect(core.wait(.seconds(1)) == [.lookUp(core.lookUp, [1])])
        let actions = core.handle(.notFound(core.lookUp, .broken))
        #expect(actions == [.failStream, .putBack([1]), .suspendStream])
    }

    @Test func anAnswerThatAnswersNothingIsDropped() {
        let core = answered([1], [nil])
        #expect(core.entries == [Core.Entry(work: nil, stanza: 1)])
        #expect(core.committed() == [.acknowledge([1])])
    }

    /// The row count of the write is the verdict. The database undoes the handler's changes; the core sends nothing.
    @Test func anAnswerInAnotherProcessCameFirst() {
        let core = answered([1], [match(5)])
        core.returned()
        #expect(core.committed([.ended]) == [.acknowledge([1])])
        #expect(core.jobCount == 0)
    }

    @Test func anAnswerAfterTheTimeoutIsDropped() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .timedOut)])
        // The answer comes during the invalidation of the handler.
        core.receive(1, isAnswer: true)
        core.handle(.found(core.lookUp, [match(5)]))
        core.returned()
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .timedOut)])
        let actions = core.committed()
        #expect(actions.last == .commit(core.commit, [Core.Entry(work: nil, stanza: 1)]))
    }

    @Test func theSecondAnswerWaitsForTheFirst() {
        let core = answered([1, 2], [match(5), match(5)])
        #expect(core.returned() == [.commit(core.commit, core.entries)])
        #expect(core.committed().last == .commit(core.commit, [Core.Entry(work: nil, stanza: 2)]))
    }

    @Test func aRequestTimesOutOnce() {
        let core = TestCore.running()
        core.readRequests([request(5, after: 10)])
        #expect(core.alarm == .seconds(10))
        core.wait(.seconds(10))
        let timedOut = Core.Ending(serial: 5, outcome: .timedOut)
        #expect(core.handle(.requestsRead(core.read, [request(5, after: 10)])) == [.invalidate(core.attempt, timedOut)])
        #expect(core.readRequests([request(5, after: 10)]) == [])
        core.returned()
        // A read that began before the commit does not see its changes.
        core.handle(.requestsChanged)
        core.committed()
        #expect(core.handle(.requestsRead(core.read, [request(5, after: 10)])) == [])
        #expect(core.jobCount == 0)
    }

    /// The time of a read does not grow with the number of open requests.
    @Test func aReadGetsOnlyNewRequests() {
        let core = TestCore.running { $0.handlerTime = .seconds(60) }
        core.readRequests([request(5, after: 10), request(6, after: 30)])
        #expect(core.handle(.requestsChanged) == [.readRequests(core.read, after: 6)])
        core.handle(.requestsRead(core.read, [request(7, after: 20), request(8, cause: .lost)]))
        #expect(core.alarm == .seconds(10))
        let lost = Core.Ending(serial: 8, outcome: .lost)
        core.returned()
        #expect(core.entries.map(\.ends) == [lost])
        core.committed()
        // It times out without another read of it, and so do the others, in the order of their deadlines.
        for (serial, time) in [(5, 10), (7, 20), (6, 30)] as [(Core.Serial, Int)] {
            #expect(core.alarm == .seconds(time))
            #expect(core.wait(.seconds(10)) == [.readRequests(core.read, after: 8)])
            let actions = core.handle(.requestsRead(core.read, []))
            #expect(actions == [.invalidate(core.attempt, Core.Ending(serial: serial, outcome: .timedOut))])
            core.returned()
            core.committed()
        }
        // Another process may have ended requests before this run.
        core.handle(.streamEnded)
        core.handle(.streamSuspended)
        core.handle(.run(2))
        #expect(core.handle(.claimed(for: 2)) == [.runStream, .readRequests(core.read, after: 0)])
    }

    /// A clock that was set back before prolongs no request beyond its timeout.
    @Test func aClockThatIsSetChangesNothing() {
        let core = TestCore.running()
        core.readRequests([request(5, after: 10)])
        core.offset = 100
        #expect(core.readRequests([request(5, after: 10)]) == [])
        #expect(core.alarm == .seconds(10))
        core.offset = -100
        core.readRequests([request(6, after: 5)])
        #expect(core.alarm == .seconds(5))
    }

    @Test func anAnswerThatIsHereCountsMoreThanItsTime() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2, isAnswer: true)
        core.handle(.found(core.lookUp, [match(5)]))
        core.readRequests([request(5, after: 0)])
        #expect(core.returned() == [.handle(core.attempt, 2, match(5))])
        core.returned()
        #expect(core.entries.map(\.ends) == [nil, Core.Ending(serial: 5, outcome: .answered)])
    }

    @Test func aRequestWhoseAnswerIsBeingHandledDoesNotTimeOut() {
        let core = answered([1], [match(5)])
        #expect(core.readRequests([request(5, after: 0)]) == [])
        core.returned()
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .answered)])
    }

    /// The core does not know the deadline of the new request.
    @Test func aCommitWithARequestReadsTheDeadlines() {
        let core = TestCore.running()
        core.receive(1)
        core.returned(Core.Collected(hasRequests: true))
        #expect(core.committed().contains(.readRequests(core.read, after: 0)))
        core.receive(2)
        core.returned()
        #expect(core.committed() == [.acknowledge([2]), .send([.attempt(core.attempt)])])
    }

    @Test func anInvalidationThatFailsHoldsUpNoOther() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .lost)])
        core.threw(.failed)
        let actions = core.readRequests([request(5, cause: .lost), request(6, cause: .lost)])
        #expect(actions == [.invalidate(core.attempt, Core.Ending(serial: 6, outcome: .lost))])
    }

    /// Reads during the attempt and during the pause do not shorten the pause.
    @Test func anInvalidationRestsBetweenItsAttempts() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .lost)])
        for isRunning in [true, false] {
            #expect(core.readRequests([request(5, cause: .lost)]) == [])
            if isRunning { #expect(core.threw(.failed) == []) }
        }
        #expect(core.wait(.milliseconds(999)) == [])
        #expect(core.wait(.milliseconds(1)) == [.invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost))])
    }

    /// It throws, or its changes cannot be stored.
    @Test(arguments: [false, true]) func anInvalidationIsGivenUpInTheEnd(returns: Bool) {
        let core = TestCore.running { $0.attempts = 2 }
        func fail() -> [Core.Action] {
            if !returns { return core.threw(.failed) }
            core.returned()
            return core.committed([.failed])
        }
        core.readRequests([request(5, cause: .lost)])
        #expect(fail() == [])
        #expect(core.wait(.seconds(1)).first == .invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost)))
        _ = fail()
        #expect(core.entries == [Core.Entry(work: nil, ends: Core.Ending(serial: 5, outcome: .lost, isGivenUp: true))])
    }

    /// The handler is not at fault: no answer could come.
    @Test func anInvalidationThatAsksWithoutAStreamIsNotGivenUp() {
        let core = TestCore.running { $0.attempts = 1 }
        core.handle(.streamIsGone(canResume: true))
        core.handle(.requestsRead(core.read, [request(5, cause: .lost)]))
        for _ in 1...5 {
            #expect(core.threw(.unanswered(isInputHeldUp: false)) == [])
            #expect(core.wait(.seconds(1)).contains(.invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost))))
        }
    }

    /// The core waits for no handler: a handler may wait for an answer.
    @Test func theNextStreamDoesNotSendTimedOutRequests() {
        let core = TestCore.running()
        core.receive(1)
        core.handle(.streamIsGone(canResume: false))
        let actions = core.handle(.requestsRead(core.read, [request(5, after: 0), request(6, after: 10)]))
        #expect(actions == [.sweep(core.sweep, losesUnresumable: true, timedOut: [5])])
        #expect(core.handle(.swept(core.sweep, true)).first == .connect(true))
    }

    /// The first clean-up did not lose the requests of the second stream.
    @Test func theResultOfAnEarlierSweepIsIgnored() {
        let core = TestCore.running()
        core.handle(.streamIsGone(canResume: true))
        core.handle(.requestsRead(core.read, []))
        let first = core.sweep
        core.handle(.streamIsGone(canResume: false))
        core.handle(.requestsRead(core.read, []))
        #expect(core.handle(.swept(first, true)) == [])
        #expect(core.handle(.swept(core.sweep, false)).first == .connect(false))
    }

    /// A file can hold any number.
    @Test(arguments: [1e300, -1e300]) func aDeadlineBeyondAllTimeIsBounded(seconds: Double) {
        let core = TestCore.running()
        let actions = core.readRequests([request(5, after: seconds)])
        let timedOut = Core.Ending(serial: 5, outcome: .timedOut)
        #expect(actions == (seconds < 0 ? [.invalidate(core.attempt, timedOut)] : []))
        // Half of the handler's time.
        #expect(core.alarm == (seconds < 0 ? core.uptime + .seconds(5) : .seconds(10_000_000_000)))
    }

    /// The database has another deadline for the request by now.
    @Test func aRequestWithAnotherDeadlineIsTimedAnew() {
        let core = TestCore.running()
        core.readRequests([request(5, after: 10)])
        core.readRequests([request(5, after: 30), request(6, after: 20)])
        #expect(core.alarm == .seconds(20))
        core.wait(.seconds(20))
        let actions = core.handle(.requestsRead(core.read, [request(5, after: 30), request(6, after: 20)]))
        #expect(actions == [.invalidate(core.attempt, Core.Ending(serial: 6, outcome: .timedOut))])
        core.returned()
        core.committed()
        core.wait(.seconds(10))
        core.handle(.requestsRead(core.read, [request(5, after: 30)]))
        core.returned()
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .timedOut)])
    }

    /// The second request has the `id` of the first.
    @Test func anIdentifierThatIsUsedAgainDuringAnEndingNamesAnotherRequest() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .lost)])
        #expect(core.readRequests([request(6, after: 10)]) == [])
        core.receive(1, isAnswer: true)
        #expect(core.handle(.found(core.lookUp, [match(6)])) == [])
        core.returned()
        #expect(core.returned().contains(.commit(core.commit, core.entries)))
        #expect(
            core.entries.map(\.ends) == [
                Core.Ending(serial: 5, outcome: .lost), Core.Ending(serial: 6, outcome: .answered),
            ])
    }
}
