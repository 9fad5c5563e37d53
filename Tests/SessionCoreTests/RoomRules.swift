// Entries whose stanzas have no room in the stream's queue.

import SessionCore
import Testing

@Suite struct RoomRules {
    /// A core in which the first stanza's reply waits for room, and the number of the commit that waits.
    private func waiting() -> (TestCore, Core.AccessNumber) {
        let core = TestCore.running()
        core.handled(1)
        return (core, waitingCommit(core.committed([.noRoom])))
    }

    /// The number of the commit that waits for room.
    private func waitingCommit(_ actions: [Core.Action]) -> Core.AccessNumber {
        for case .commitWithRoom(let number, _) in actions { return number }
        Issue.record("no commit waits")
        return 0
    }

    /// The work of the entries that wait for room.
    private func waitingWork(_ actions: [Core.Action]) -> [Core.Entry.Work?] {
        for case .commitWithRoom(_, let entries) in actions { return entries.map(\.work) }
        return []
    }

    private func found(_ number: Core.AccessNumber, in core: TestCore) -> [Core.Action] {
        core.handle(.committed(number, [.done]))
    }

    @Test func entriesThatNeedNoRoomCommitDuringTheWait() {
        let (core, number) = waiting()
        // The application's transaction.
        core.collect(7)
        #expect(core.entries.map(\.work) == [.transaction(7)])
        #expect(core.committed().contains(.finish(7, .done)))
        // The end of a request.
        core.readRequests([request(5, cause: .lost)])
        core.returned()
        #expect(core.entries.map(\.ends?.serial) == [5])
        #expect(core.committed() == [.send([.attempt(core.attempt)])])
        #expect(found(number, in: core).first == .acknowledge([1]))
        #expect(core.jobCount == 0)
    }

    /// The server counts the stanzas in their order.
    @Test func laterStanzasWaitAndKeepTheirOrder() {
        let (core, number) = waiting()
        #expect(core.receive(2) == [])
        #expect(core.receive(3) == [])
        #expect(found(number, in: core).contains(.handle(core.attempt, 2, nil)))
        core.returned()
        core.returned()
        core.committed()
        #expect(core.jobCount == 0)
    }

    /// Their handlers are not called again.
    @Test func laterStanzasKeepTheirHandlersChanges() {
        let core = TestCore.running()
        core.handled(1)
        for stanza in [2, 3] as [Core.StanzaNumber] { core.receive(stanza) }
        let second = core.attempt
        core.returned()
        let third = core.attempt
        core.returned()
        let number = waitingCommit(core.committed([.noRoom]))
        _ = found(number, in: core)
        #expect(core.entries.map(\.stanza) == [2, 3])
        #expect(core.entries.map(\.work) == [.attempt(second), .attempt(third)])
    }

    @Test func aHandlerReadsTheChangesOfAStanzaThatHasWaited() {
        let core = TestCore.running()
        core.handled(1)
        core.receive(2)
        let reader = core.attempt
        #expect(core.handle(.readWanted(reader)) == [])
        let actions = core.committed([.noRoom])
        #expect(!actions.contains(.allowRead(reader)))
        let number = waitingCommit(actions)
        #expect(found(number, in: core).contains(.allowRead(reader)))
    }

    /// A stanza between the waiting one and the handler that reads commits first, too.
    @Test func aHandlerReadsTheChangesOfAHeldStanza() {
        let core = TestCore.running()
        core.handled(1)
        for stanza in [2, 3] as [Core.StanzaNumber] { core.receive(stanza) }
        for _ in 1...2 { core.returned() }
        core.committed()
        core.receive(4)
        let reader = core.attempt
        core.handle(.readWanted(reader))
        let number = waitingCommit(core.committed([.noRoom, .held]))
        #expect(!found(number, in: core).contains(.allowRead(reader)))
        #expect(core.entries.map(\.stanza) == [3])
        #expect(core.committed().contains(.allowRead(reader)))
    }

    /// Between them is an answer to no open request, which needs no handler.
    @Test func aHandlerReadsTheChangesOfAllHeldStanzas() {
        let core = TestCore.running()
        core.handled(1)
        core.receive(2)
        core.receive(3, isAnswer: true)
        core.handle(.found(core.lookUp, [nil]))
        core.receive(4)
        core.receive(5)
        core.returned()
        core.returned()
        let reader = core.attempt
        core.handle(.readWanted(reader))
        let number = waitingCommit(core.committed([.noRoom]))
        #expect(!found(number, in: core).contains(.allowRead(reader)))
        #expect(core.entries.map(\.stanza) == [2, 3, 4])
        #expect(core.committed().contains(.allowRead(reader)))
    }

    @Test func aRequestWhoseAnswerIsHeldDoesNotTimeOut() {
        let core = TestCore.running()
        core.handled(1)
        core.receive(2, isAnswer: true)
        core.handle(.found(core.lookUp, [match(5)]))
        let number = waitingCommit(core.committed([.noRoom]))
        core.returned()
        #expect(core.readRequests([request(5, cause: .timedOut)]) == [])
        core.handle(.committed(number, [.done]))
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .answered)])
        core.committed()
        #expect(core.wait(.seconds(60)) == [])
        #expect(core.jobCount == 0)
    }

    /// Its handler has failed, and is called again after a pause.
    @Test func aRequestWhoseAnswerRestsDoesNotTimeOut() {
        let core = TestCore.running()
        core.receive(1, isAnswer: true, isCounted: false)
        core.handle(.found(core.lookUp, [match(5)]))
        core.threw(.failed)
        #expect(core.readRequests([request(5, cause: .timedOut)]) == [])
        core.wait(.seconds(60))
        core.handle(.found(core.lookUp, [match(5)]))
        core.returned()
        #expect(core.entries.map(\.ends) == [Core.Ending(serial: 5, outcome: .answered)])
        core.committed()
        #expect(core.wait(.seconds(60)) == [])
        #expect(core.jobCount == 0)
    }

    @Test func aRunThatEndsPutsBackAStanzaThatFindsNoRoom() {
        let core = TestCore.running()
        core.handled(1)
        core.handle(.suspend(2, deadline: .seconds(5), isWithin: false))
        #expect(core.handle(.committed(core.commit, [.noRoom])) == [.putBack([1]), .suspendStream])
    }

    /// At the deadline, the session stops the wait.
    @Test func aSuspensionWaitsForRoomUntilItsDeadline() {
        let (core, number) = waiting()
        #expect(core.handle(.suspend(2, deadline: .seconds(5), isWithin: false)) == [])
        core.wait(.seconds(5))
        #expect(core.handle(.committed(number, [.noRoom])) == [.putBack([1]), .suspendStream])
    }

    @Test func anInvalidationThatSendsKeepsItsChanges() {
        let core = TestCore.running()
        core.readRequests([request(5, cause: .lost)])
        core.returned()
        let attempt = core.attempt
        let number = waitingCommit(core.committed([.noRoom]))
        // It holds up no stanza, and no handler that reads.
        core.receive(1)
        #expect(core.handle(.readWanted(core.attempt)) == [.allowRead(core.attempt)])
        core.returned()
        #expect(core.committed().first == .acknowledge([1]))
        #expect(found(number, in: core) == [.send([.attempt(attempt)])])
    }

    @Test(arguments: [false, true]) func aTransactionWaitsForRoom(isRunning: Bool) {
        let core = isRunning ? TestCore.running() : TestCore()
        core.collect(7)
        let number = waitingCommit(core.committed([.noRoom]))
        core.collect(8)
        #expect(core.committed().contains(.finish(8, .done)))
        #expect(found(number, in: core).contains(.finish(7, .done)))
    }

    // MARK: Canceled transactions

    @Test func aCanceledTransactionLeavesItsCommitAtOnce() {
        let core = TestCore.running()
        core.collect(7, 8)
        let number = waitingCommit(core.committed([.noRoom]))
        core.committed([.noRoom])
        #expect(core.handle(.transactionCanceled(7)) == [.withdraw(7, number)])
        // The commit is over, and the next one waits.
        let next = core.handle(.withdrawn(7))
        #expect(next.first == .finish(7, .interrupted))
        #expect(core.handle(.committed(number, [])) == [])
        #expect(waitingWork(next) == [.transaction(8)])
        #expect(found(waitingCommit(next), in: core).contains(.finish(8, .done)))
        #expect(core.jobCount == 0)
    }

    @Test func aCommitThatHasBegunKeepsItsCanceledTransaction() {
        let core = TestCore.running()
        core.collect(7)
        let number = waitingCommit(core.committed([.noRoom]))
        #expect(core.handle(.transactionCanceled(7)) == [.withdraw(7, number)])
        #expect(found(number, in: core).contains(.finish(7, .done)))
        #expect(core.handle(.withdrawn(7)) == [])
        #expect(core.jobCount == 0)
    }

    /// No other sender of the stream overtakes them.
    @Test func theOtherEntriesKeepTheirPlace() {
        let core = TestCore.running()
        core.collect(6)
        core.receive(1)
        let attempt = core.attempt
        core.collect(7)
        core.returned()
        core.committed()
        let number = waitingCommit(core.committed(core.entries.map { _ in .noRoom }))
        #expect(core.entries.map(\.work) == [.transaction(7), .attempt(attempt)])
        #expect(core.handle(.transactionCanceled(7)) == [.withdraw(7, number)])
        #expect(core.handle(.withdrawn(7)) == [.finish(7, .interrupted)])
        #expect(found(number, in: core) == [.acknowledge([1]), .send([.attempt(attempt)])])
    }

    /// Two of three entries fit into the queue.
    @Test func anEntryThatFindsNoRoomStaysBeforeLaterOnes() {
        let core = TestCore.running()
        core.receive(1)
        let attempt = core.attempt
        core.collect(6, 7, 8)
        core.returned()
        core.committed()
        let number = waitingCommit(core.committed(core.entries.map { _ in .noRoom }))
        #expect(core.entries.map(\.work) == [.transaction(7), .transaction(8), .attempt(attempt)])
        core.collect(9)
        core.committed([.noRoom])
        let actions = core.handle(.committed(number, [.done, .noRoom, .done]))
        #expect(waitingWork(actions) == [.transaction(8), .transaction(9)])
    }

    @Test func aCanceledTransactionThatIsNotInACommitEndsAtOnce() {
        let (core, number) = waiting()
        core.collect(6, 7)
        #expect(core.handle(.transactionCanceled(7)) == [.finish(7, .interrupted)])
        // The next one has no room, and waits for the commit that waits.
        core.committed([.noRoom])
        #expect(core.handle(.transactionCanceled(6)) == [.finish(6, .interrupted)])
        #expect(found(number, in: core).first == .acknowledge([1]))
        #expect(core.jobCount == 0)
    }

    @Test func aTransactionThatIsCanceledDuringItsCommitWaitsForNoRoom() {
        let core = TestCore.running()
        core.collect(7)
        #expect(core.handle(.transactionCanceled(7)) == [])
        #expect(core.committed([.noRoom]) == [.finish(7, .interrupted)])
        // It may have been too late.
        core.collect(8)
        #expect(core.handle(.transactionCanceled(8)) == [])
        #expect(core.committed().contains(.finish(8, .done)))
        #expect(core.handle(.transactionCanceled(8)) == [])
    }

    // MARK: Suspects

    @Test func aSuspectThatWaitsForRoomDelaysNoEndOfARequest() {
        let core = TestCore.running()
        core.handled(1, isSuspect: true)
        let number = waitingCommit(core.committed([.noRoom]))
        let actions = core.readRequests([request(5, cause: .lost)])
        #expect(actions.contains(.invalidate(core.attempt, Core.Ending(serial: 5, outcome: .lost))))
        core.returned()
        #expect(core.committed() == [.send([.attempt(core.attempt)])])
        #expect(found(number, in: core).first == .acknowledge([1]))
    }

    /// It would wait as long as the disk is full.
    @Test func aTransactionDoesNotWaitForASuspectThatCannotBeCommitted() {
        let core = TestCore.running()
        core.handled(1, isSuspect: true)
        core.handle(.notCommitted(core.commit, .busy))
        core.collect(7)
        core.wait(.seconds(1))
        #expect(core.entries.map(\.stanza) == [1])
        #expect(core.handle(.notCommitted(core.commit, .busy)) == [.finish(7, .refused(.failed(.busy)))])
        core.wait(.seconds(1))
        #expect(core.committed().first == .acknowledge([1]))
        #expect(core.jobCount == 0)
    }

    @Test func entriesAfterASuspectHoldUpNoOtherRequest() {
        let core = TestCore.running()
        core.receive(1, isAnswer: true, isSuspect: true)
        core.handle(.found(core.lookUp, [match(5)]))
        core.collect(6, 7)
        core.returned()
        core.committed()
        #expect(core.entries.map(\.stanza) == [1])
        core.committed()
        #expect(core.entries.map(\.work) == [.transaction(7)])
        let actions = core.readRequests([request(8, cause: .lost)])
        #expect(actions.contains(.invalidate(core.attempt, Core.Ending(serial: 8, outcome: .lost))))
    }

    /// Only its own connection could end its wait.
    @Test func aLargeEntryThatWaitsForRoomStopsNoHandler() {
        let core = TestCore.running()
        core.handle(.transactionCollected(7, Core.Collected(size: 3 << 20)))
        _ = waitingCommit(core.committed([.noRoom]))
        #expect(core.receive(1).contains(.handle(core.attempt, 1, nil)))
    }

    @Test func aSuspectCommitsAlone() {
        let core = TestCore.running()
        core.receive(1, isSuspect: true)
        core.collect(6, 7)
        #expect(core.entries.map(\.work) == [.transaction(6)])
        core.returned()
        // There is room for none of them.
        let first = waitingCommit(core.committed([.noRoom]))
        #expect(core.entries.map(\.stanza) == [1])
        core.committed([.noRoom])
        #expect(core.entries.map(\.work) == [.transaction(7)])
        core.committed([.noRoom])
        let second = found(first, in: core)
        #expect(second.first == .send([.transaction(6)]))
        let third = found(waitingCommit(second), in: core)
        #expect(third.prefix(2) == [.acknowledge([1]), .send([.attempt(core.attempt)])])
        #expect(found(waitingCommit(third), in: core).contains(.finish(7, .done)))
    }

    /// The application tries again.
    @Test func aRunThatEndsInterruptsATransactionThatFindsNoRoom() {
        let core = TestCore.running()
        core.collect(7)
        core.handle(.streamEnded)
        #expect(core.committed([.noRoom]) == [.finish(7, .interrupted), .suspendStream])
    }

    @Test func whatWaitsForRoomIsBounded() {
        let core = TestCore.running { $0.batchCount = 2 }
        core.readRequests((1...9).map { request(Core.Serial(rawValue: $0), cause: .lost) })
        for _ in 1...9 {
            core.returned()
            core.handle(.committed(core.commit, core.entries.map { _ in .noRoom }))
        }
        #expect(core.collectedCount <= 6)
        #expect(core.jobCount == 9)
    }

    /// The transaction's caller waits with it, so its bytes do not count.
    @Test func theBytesOfHandlersThatWaitForRoomAreBounded() {
        let core = TestCore.running { $0.batchSize = 1000 }
        core.handle(.transactionCollected(7, Core.Collected(size: 5000)))
        let number = waitingCommit(core.committed([.noRoom]))
        core.readRequests((1...9).map { request(Core.Serial(rawValue: $0), cause: .lost) })
        for _ in 1...9 {
            core.returned(Core.Collected(size: 600))
            core.handle(.committed(core.commit, core.entries.map { _ in .noRoom }))
        }
        #expect(core.collectedCount == 6)
        // A stanza is handled all the same.
        #expect(core.receive(1).contains(.handle(core.attempt, 1, nil)))
        // The next commit has the entries of the invalidations.
        let next = waitingCommit(found(number, in: core))
        core.returned()
        core.committed()
        let actions = core.handle(.committed(next, Array(repeating: .done, count: 5)))
        #expect(actions.contains { if case .invalidate = $0 { true } else { false } })
    }
}
