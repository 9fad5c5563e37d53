// Transactions of the application whose task is canceled while they wait for room.

import GRDB
import Persistence
import SessionCore
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct CanceledTransactionTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// A transaction that waits in the core: the queue is full when it has collected its changes.
    private func store(
        _ ids: String..., in session: DurableSession, making statement: String? = nil
    ) throws -> Task<Bool, any Error> {
        let work = StanzaWork(session.database.beginWork(), in: session.workContext)
        if let statement { try work.changes.add { try $0.db.execute(sql: statement) } }
        for id in ids { try work.send(xml("<message id='\(id)'/>")) }
        return Task {
            let isStored = try await session.store(work)
            await work.changes.end(isCommitted: isStored)
            return isStored
        }
    }

    /// Waits until one commit waits for room, before the other senders, and the core has this many transactions.
    private func waits(_ session: DurableSession, transactions: Int) async throws {
        try await eventually("\(transactions) transactions wait for room") {
            let waits = await session.stream.waitingSenderCount == 1
            return await session.update { waits && $0.commits.count == 1 && $0.transactions.count == transactions }
        }
    }

    /// A session with room for two stanzas.
    private func household() async throws -> Household {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 2
        return try await Household(folder, configuration: configuration)
    }

    /// Sends stanzas that the server does not acknowledge.
    private func fill(_ session: DurableSession, _ ids: String...) async throws {
        try await eventually("the session runs") { await session.stream.state == .enabled }
        server.setAcknowledging(false)
        for id in ids { try await session.send(xml("<message id='\(id)'/>")) }
    }

    /// Fills the queue. Two transactions wait for room in one commit, after the first of three was canceled. Then a
    /// stanza of another sender waits.
    private func waiting(
        in session: DurableSession, then id: String, _ second: () throws -> Task<Bool, any Error>,
        _ third: () throws -> Task<Bool, any Error>
    ) async throws -> (Task<Bool, any Error>, Task<Bool, any Error>, Task<SentStanza, any Error>) {
        try await fill(session, "a", "b")
        let first = try store("c", in: session)
        try await waits(session, transactions: 1)
        let waiting = try second()
        try await waits(session, transactions: 2)
        let last = try third()
        try await waits(session, transactions: 3)
        first.cancel()
        #expect(try await first.value == false)
        try await waits(session, transactions: 2)
        let sending = Task { try await session.send(xml("<message id='\(id)'/>")) }
        try await eventually("it waits for room") { await session.stream.waitingSenderCount == 2 }
        return (waiting, last, sending)
    }

    @Test("D23 The transactions of one commit keep their place when one of them is canceled") func place() async throws
    {
        let home = try await household()
        let session = home.session
        try await home.run(server) {
            let (large, second, sending) = try await waiting(in: session, then: "g") {
                try store("d", "e", in: session)
            } _: {
                try store("f", in: session)
            }
            large.cancel()
            #expect(try await large.value == false)
            server.setAcknowledging(true)
            server.cut()
            #expect(try await second.value)
            _ = try await sending.value
            try await eventually("all are sent") { await session.stream.unacknowledged.isEmpty }
        }
        #expect(server.ids == ["a", "b", "f", "g"])
    }

    @Test("D23 The transactions of one commit keep its room when one of them rolls back everything")
    func rollback() async throws {
        let home = try await household()
        try await home.database.write {
            try $0.db.execute(sql: "CREATE TABLE note (text UNIQUE); INSERT INTO note VALUES ('a')")
        }
        let session = home.session
        try await home.run(server) {
            let (failing, other, sending) = try await waiting(in: session, then: "f") {
                try store("d", in: session, making: "INSERT OR ROLLBACK INTO note VALUES ('a')")
            } _: {
                try store("e", in: session)
            }
            // There is room for one.
            server.say("<a xmlns='urn:xmpp:sm:3' h='1'/>")
            await #expect(throws: StanzaDatabaseError.failed(code: 2067)) { try await failing.value }
            try await server.receives("e")
            // It is too late.
            other.cancel()
            #expect(try await other.value)
            server.say("<a xmlns='urn:xmpp:sm:3' h='3'/>")
            _ = try await sending.value
            try await server.receives("f")
        }
        #expect(server.ids == ["a", "b", "e", "f"])
    }

    @Test("No entry leaves a commit that has begun") func begun() {
        let transaction = DurableSessionCore.Entry.Work.transaction(.init(rawValue: 7))
        let batch = EntryBatch([EntryBatch.Item(DurableSessionCore.Entry(work: transaction), work: nil, stanza: nil)])
        batch.begin()
        #expect(!batch.withdraw(transaction))
        #expect(batch.items.count == 1)
    }

    @Test("D23 A canceled transaction that waits for room ends at once, and changes nothing")
    func canceled() async throws {
        let home = try await household()
        let session = home.session
        try await home.run(server) {
            try await fill(session, "a")
            let storing = try store("b", "c", in: session)
            try await waits(session, transactions: 1)
            storing.cancel()
            #expect(try await storing.value == false)
            try await eventually("it waits no longer") { await session.stream.waitingSenderCount == 0 }
            #expect(await session.stream.unacknowledged.map(\.id) == ["a"])
            // The same for the caller.
            try await session.send(xml("<message id='d'/>"))
            let sending = Task { try await session.transaction { try $0.send(xml("<message id='e'/>")) } }
            try await eventually("it waits for room") { await session.stream.waitingSenderCount == 1 }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
            server.setAcknowledging(true)
            server.cut()
            try await eventually("the others are sent") { await session.stream.unacknowledged.isEmpty }
            #expect(Set(server.stanzas.compactMap { $0["id"] }) == ["a", "d"])
        }
    }
}
