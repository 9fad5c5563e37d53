// Limits of bytes and of time that the session sets itself.

import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct LimitTests {
    /// Without stream management, the server counts no stanza, and only the session limits their bytes.
    @Test func aSessionReadsNoMoreThanTwoBatchesOfBytes() async throws {
        let server = FakeServer(.none)
        let home = try await Household()
        let session = home.session
        try await home.onMessage()
        await session.setLimits { $0.batchSize = 20_000 }
        let text = String(repeating: "a", count: 2000)
        try await home.run(server) {
            try await home.duringHandler(server, 0) {
                for id in 1...64 { server.say("<message id='\(id)'><body>\(text)</body></message>") }
                try await eventually("the rest waits in the stream") { await session.stream.untakenCount > 0 }
                #expect(await session.update(\.deliveries.weight) < 80_000)
            }
            try await home.notes("64")
        }
        #expect(home.journal.all.dropFirst(2) == (1...64).map(String.init)[...])
    }

    /// The time of the suspension is over, and the database is busy for a moment.
    @Test func closingDoesNotInheritTheTimeOfASuspension() async throws {
        let server = FakeServer()
        let home = try await Household()
        try await home.run(server) {
            try await home.request()
            try await server.receives(1)
        }
        try await home.session.suspend(gracePeriod: .zero, storingTime: .milliseconds(1))
        let other = try await StanzaDatabase.open(at: home.folder.database)
        try await holding { holder in
            try await other.write { _ in holder.hold() }
        } during: { holder in
            let closing = Task { await home.session.close() }
            // The closing waits for the database by then, as a rule.
            try await Task.sleep(for: .milliseconds(100))
            holder.letGo()
            await closing.value
        }
        #expect(try await home.requests() == [])
        #expect(home.journal.all == ["ended disconnected"])
    }
}
