// A stanza whose handler or changes fail harms no other stanza of its batch.

import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

extension BatchingTests {
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
        #expect(journal.all.filter { $0 == "bad" }.count == 3)
        await session.close()
        let deadLettered = await events.reduce(into: 0) { count, event in
            if case .setAside = event { count += 1 }
        }
        #expect(deadLettered == 1)
        #expect(server.binds == 1)
    }
}
