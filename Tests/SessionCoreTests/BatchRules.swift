// The entries that commit together, and the results of each.

import SessionCore
import Testing

@Suite struct BatchRules {
    private func numbers(_ core: TestCore) -> [Core.StanzaNumber] { core.entries.compactMap(\.stanza) }

    /// Handles a stanza whose commit waits for the disk, and then these.
    private func collected(_ stanzas: [Core.StanzaNumber], in core: TestCore) {
        core.handled(1)
        for stanza in stanzas { core.receive(stanza) }
        for _ in stanzas { core.returned() }
    }

    @Test func aSingleStanzaIsCommittedAtOnce() {
        let core = TestCore.running()
        #expect(core.receive(1) == [.handle(core.attempt, 1, nil)])
        let attempt = core.attempt
        let actions = core.returned()
        #expect(actions == [.commit(core.commit, core.entries)])
        #expect(core.entries.map(\.work) == [.attempt(attempt)])
        #expect(core.committed() == [.acknowledge([1]), .send([.attempt(attempt)])])
        #expect(core.alarm == nil && core.jobCount == 0)
    }

    @Test func stanzasHandledDuringACommitShareATransaction() {
        let core = TestCore.running()
        collected([2, 3, 4], in: core)
        #expect(numbers(core) == [1])
        core.committed()
        #expect(numbers(core) == [2, 3, 4])
        #expect(core.committed().first == .acknowledge([2, 3, 4]))
    }

    /// A long transaction delays other processes.
    @Test func aBatchIsShort() {
        let limits = Core.Limits()
        #expect(limits.batchCount == 256 && limits.batchSize == 1 << 20 && limits.batchAge == .milliseconds(50))
    }

    @Test func aBatchEndsAtItsNumber() {
        let core = TestCore.running { $0.batchCount = 2 }
        for stanza in 1...6 { core.receive(Core.StanzaNumber(rawValue: Int64(stanza))) }
        core.returned()
        #expect(core.returned() == [.commit(core.commit, core.entries), .handle(core.attempt, 3, nil)])
        #expect(numbers(core) == [1, 2])
        core.returned()
        // During a commit the core collects at most one more batch.
        #expect(core.returned() == [])
        core.committed()
        #expect(numbers(core) == [3, 4])
    }

    @Test func aBatchEndsAtItsSize() {
        let core = TestCore.running { $0.batchSize = 100 }
        core.receive(1)
        core.receive(2)
        core.returned(Core.Collected(size: 100))
        #expect(numbers(core) == [1])
    }

    @Test func aBatchEndsAtItsAge() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        core.returned()
        #expect(core.alarm == .milliseconds(50))
        #expect(core.wait(.milliseconds(49)) == [])
        #expect(core.wait(.milliseconds(1)) == [.commit(core.commit, core.entries)])
        #expect(numbers(core) == [1])
    }

    /// Later stanzas keep their handlers' changes: the core does not call these handlers again.
    @Test func aFailingStanzaHoldsLaterStanzas() {
        let core = TestCore.running()
        collected([2, 3], in: core)
        core.committed()
        let kept = core.attempt
        #expect(core.committed([.failed, .held]) == [.countFailure(2)])
        core.handle(.failureCounted(2, .again))
        #expect(core.wait(.milliseconds(50)) == [.handle(core.attempt, 2, nil)])
        core.returned()
        #expect(numbers(core) == [2, 3])
        #expect(core.entries.map(\.work) == [.attempt(core.attempt), .attempt(kept)])
        #expect(core.committed().first == .acknowledge([2, 3]))
    }

    @Test func aDeadLetteredStanzaHoldsUpNoOther() {
        let core = TestCore.running()
        collected([2, 3], in: core)
        core.committed()
        core.committed([.failed, .held])
        core.handle(.failureCounted(2, .deadLettered))
        #expect(numbers(core) == [3])
    }

    /// The stream counts for the first unhandled stanza.
    @Test func aFailureIsCountedWhenEverythingInFrontIsCommitted() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        core.returned()
        #expect(core.threw(.failed) == [.commit(core.commit, core.entries)])
        #expect(core.committed().last == .countFailure(2))
    }

    @Test func nothingIsAcknowledgedBeforeTheDatabaseCouldStoreIt() {
        let core = TestCore.running()
        core.handled(1)
        #expect(core.handle(.notCommitted(core.commit, .busy)) == [])
        #expect(core.wait(.milliseconds(999)) == [])
        #expect(core.wait(.milliseconds(1)) == [.commit(core.commit, core.entries)])
        #expect(core.committed().first == .acknowledge([1]))
    }

    @Test func aDatabaseThatIsBrokenEndsTheRun() {
        let core = TestCore.running { $0.attempts = 2 }
        core.handled(1)
        core.handle(.notCommitted(core.commit, .broken))
        core.wait(.seconds(1))
        let actions = core.handle(.notCommitted(core.commit, .broken))
        #expect(actions == [.failStream, .putBack([1]), .suspendStream])
        #expect(core.handle(.streamSuspended) == [.answer(1, .failed(.broken))])
        #expect(core.phase == "idle")
    }

    /// It stores and sends nothing, and the other process gets the stanzas.
    @Test func aRunEndsWhenAnotherProcessHasTheSession() {
        let core = TestCore.running()
        collected([2], in: core)
        core.receive(3)
        let actions = core.handle(.notCommitted(core.commit, .notOwner))
        #expect(actions == [.cancel(core.attempt), .putBack([3]), .putBack([1, 2]), .suspendStream])
        #expect(core.handle(.streamSuspended) == [.answer(1, .failed(.notOwner))])
        #expect(core.jobCount == 0)
    }

    @Test func whatMayHaveEndedAProcessIsCommittedAlone() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2, isSuspect: true)
        core.receive(3)
        #expect(core.returned() == [.commit(core.commit, core.entries)])
        #expect(core.committed().last == .handle(core.attempt, 2, nil))
        core.returned()
        #expect(numbers(core) == [2])
        #expect(core.committed().last == .handle(core.attempt, 3, nil))
    }

    @Test func theApplicationWaitsForNoHandler() {
        let core = TestCore.running()
        core.receive(1)
        #expect(core.collect(7) == [.commit(core.commit, core.entries)])
        #expect(core.committed() == [.send([.transaction(7)]), .finish(7, .done)])
    }

    @Test func theApplicationReceivesTheReasonOfAFailedCommit() {
        let core = TestCore.running()
        core.collect(7)
        #expect(core.handle(.notCommitted(core.commit, .busy)) == [.finish(7, .refused(.failed(.busy)))])
        core.collect(8)
        #expect(core.committed([.failed]) == [.finish(8, .failed)])
        #expect(core.jobCount == 0)
    }

    @Test func aHandlerReadsWhatEarlierStanzasHaveChanged() {
        let core = TestCore.running()
        core.receive(1)
        core.receive(2)
        core.returned()
        let reader = core.attempt
        #expect(core.handle(.readWanted(reader)) == [.commit(core.commit, core.entries)])
        #expect(core.committed().last == .allowRead(reader))
        #expect(core.handle(.readWanted(reader)) == [.allowRead(reader)])
    }

    /// The stanza belongs to a session that is over, which says nothing about the transaction.
    @Test func aTransactionCommitsWithoutAStaleStanza() {
        let core = TestCore.running()
        core.handled(1)
        core.receive(2)
        core.returned()
        core.collect(7)
        core.committed()
        #expect(core.entries.map(\.work).last == .transaction(7))
        core.receive(3)
        let actions = core.handle(.notCommitted(core.commit, .staleStanza))
        #expect(actions == [.putBack([2]), .cancel(core.attempt), .putBack([3]), .commit(core.commit, core.entries)])
        #expect(core.entries == [Core.Entry(work: .transaction(7))])
        #expect(core.committed() == [.send([.transaction(7)]), .finish(7, .done), .suspendStream])
    }
}
