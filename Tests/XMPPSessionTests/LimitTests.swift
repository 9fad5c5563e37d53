// Limits of bytes and of time that the session sets itself.

import Foundation
import Persistence
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct LimitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Without stream management, the server counts no stanza, and only the session limits their bytes.
    @Test func aSessionReadsNoMoreThanTwoBatchesOfBytes() async throws {
        let server = FakeServer(.none)
        let home = try await Household(folder, configuration: .patient)
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}presence") { _, _ in
            journal.note("waiting")
            await journal.waitDeafly(for: "go on")
        }
        try await session.on("/{jabber:client}message") { stanza, _ in journal.note(stanza["id"] ?? "") }
        let text = String(repeating: "a", count: 100_000)
        try await home.run(server) {
            try await eventually("the session runs") { server.binds == 1 }
            server.say("<presence/>")
            try await eventually("the first handler runs") { journal.all.contains("waiting") }
            for id in 1...64 { server.say("<message id='\(id)'><body>\(text)</body></message>") }
            try await eventually("the rest waits in the stream") { await session.stream.received.count > 0 }
            #expect(await session.update(\.deliveries.weight) < 4 << 20)
            journal.note("go on")
            try await eventually("all are handled") { journal.all.contains("64") }
        }
        #expect(journal.all.dropFirst(2) == (1...64).map(String.init)[...])
    }

    /// The time of the suspension is over, and the database is busy for a moment.
    @Test func closingDoesNotInheritTheTimeOfASuspension() async throws {
        let server = FakeServer()
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(), timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
        }
        try await home.session.suspend(deadline: .zero, storingTime: .milliseconds(1))
        let other = try await StanzaDatabase.open(at: folder.database)
        let isLocked = Mutex(false)
        let lock = Task {
            try await other.write { _ in
                isLocked.withLock { $0 = true }
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
        try await eventually("the database is busy") { isLocked.withLock(\.self) }
        await home.session.close()
        try await lock.value
        #expect(try await home.requests() == [])
        #expect(home.journal.all == ["ended disconnected"])
    }
}
