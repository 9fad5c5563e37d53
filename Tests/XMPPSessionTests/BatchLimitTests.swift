// The bounds of the batches of `DurableSession`, and their failures. The other tests of batches also run with the
// session around the core.

import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

extension BatchingTests {
    @Test func aBatchHasALimit() async throws {
        let home = try await household(clock: SlowClock()) { $0.maximumUnhandled = 10_000 }
        try await home.session.on("/{jabber:client}message") { try Self.insert($0["id"], $1) }
        try await holdPresence(home.session, home.journal)
        let count = 2 * HandledBatch.maximumCount + 10
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await sayDuringHandler(1...count, home.session, home.journal)
            try await eventually("all are handled") { await home.session.stream.isAllHandled(count + 1) }
        }
        // The first stanza of the first batch has no note.
        #expect(statements.sizes == [HandledBatch.maximumCount - 1, HandledBatch.maximumCount, 11])
        #expect(try await notes(home).count == count)
    }

    @Test func batchesBeginSmallAfterAProcessThatGaveNothingUp() async throws {
        let first = try await household()
        try await first.run(server) {
            try await eventually("the session runs") { await first.session.stream.state == .enabled }
        }
        // It claims the session again, and dies.
        try await first.session.stream.claim()
        let home = try await household(takingOver: true, clock: SlowClock())
        let journal = home.journal
        try await home.session.on("/{jabber:client}message") { try Self.insert($0["id"], $1) }
        try await holdPresence(home.session, journal)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            statements.reset()
            try await sayDuringHandler(1...15, home.session, journal)
            try await eventually("all are handled") { await home.session.stream.isAllHandled(16) }
        }
        #expect(statements.sizes == [2, 4, 8, 1])
    }

    /// Where a stanza fails.
    enum Fault: CaseIterable {
        case handler, change, undoneTransaction
    }

    @Test(arguments: Fault.allCases) func aStanzaThatFailsHarmsNoOther(fault: Fault) async throws {
        let home = try await household { $0.maximumHandlingAttempts = 3 }
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, work in
            let isBad = stanza["id"] == "10"
            if isBad { journal.note("bad") }
            if isBad, fault == .handler { throw Household.Failure() }
            try Self.insert(stanza["id"], work)
            try work.database.add { transaction in
                guard isBad else { return }
                let conflict = fault == .undoneTransaction ? "OR ROLLBACK" : ""
                try transaction.database.execute(sql: "INSERT \(conflict) INTO note VALUES ('10')")
            }
        }
        try await holdPresence(session, journal)
        let events = await session.stream.events()
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            try await sayDuringHandler(1...40, session, journal)
            try await expectAcknowledged(home)
        }
        #expect(try await notes(home) == (1...40).filter { $0 != 10 }.map(String.init))
        // The first attempt of a transaction that is undone as a whole says of no stanza that it is at fault.
        let attempts = journal.all.filter { $0 == "bad" }.count
        #expect(fault == .undoneTransaction ? attempts >= 3 : attempts == 3)
        await session.close()
        let deadLettered = await events.reduce(into: 0) { count, event in
            if case .setAside = event { count += 1 }
        }
        #expect(deadLettered == 1)
        #expect(server.binds == 1)
    }
}
