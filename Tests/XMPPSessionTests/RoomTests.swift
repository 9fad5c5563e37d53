// A full queue of outgoing stanzas: replies wait for room, and hold up nothing else.

import GRDB
import Handlers
import Persistence
import SessionCore
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct RoomTests {
    private let server = FakeServer()

    /// A session whose queue is full, because the server acknowledges nothing.
    private func whileTheQueueIsFull(
        _ home: Household, _ body: (DurableSession) async throws -> Void
    ) async throws {
        try await home.run(server) {
            server.setAcknowledging(false)
            for id in ["a", "b"] { try await home.session.send(xml("<message id='\(id)'/>")) }
            try await body(home.session)
        }
    }

    private func makeRoom() {
        server.setAcknowledging(true)
        server.cut()
    }

    @Test("D23 A reply that waits for room holds up neither ends of requests nor transactions that send nothing")
    func replyWaits() async throws {
        let home = try await Household { $0.maximumUnacknowledged = 3 }
        try await home.database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
        func notes() async throws -> [String] {
            try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        }
        try await home.onMessage { id, work in
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id]) }
            if id == "1" { try work.send(xml("<message id='reply'/>")) }
        }
        try await whileTheQueueIsFull(home) { session in
            try await home.request()
            server.say(1...2)
            try await session.stream.until("the reply waits") { $0.waitingSenderCount == 1 }
            // An invalidation.
            try await home.end("q1")
            try await home.endsRequests()
            #expect(home.journal.all.contains("ended timed-out"))
            // A transaction of the app.
            try await session.transaction { work in
                try work.changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES ('app')") }
            }
            #expect(await session.stream.waitingSenderCount == 1)
            #expect(try await notes() == ["app"])
            makeRoom()
            try await server.receives("reply")
            try await home.handles(2)
        }
        #expect(try await notes() == ["app", "1", "2"])
        #expect(home.journal.all.filter { $0 != "ended timed-out" } == ["1", "2"])
    }

    /// It reads like any other task, before the changes of its handler commit.
    @Test func aTaskThatAHandlerLeavesBehindWaitsForNoRoom() async throws {
        let home = try await Household { $0.maximumUnacknowledged = 2 }
        let (database, journal) = (home.database, home.journal)
        try await home.onMessage { _, work in
            try work.send(xml("<message id='reply'/>"))
            Task {
                await journal.waitDeafly(for: "read now")
                let mode = try await database.read { try String.fetchOne($0.db, sql: "PRAGMA journal_mode") }
                journal.note(mode ?? "")
            }
        }
        try await whileTheQueueIsFull(home) { session in
            server.say(1...1)
            try await session.stream.until("the reply waits") { $0.waitingSenderCount == 1 }
            journal.note("read now")
            try await journal.wait(for: "wal")
            #expect(await session.stream.waitingSenderCount == 1)
            makeRoom()
            try await server.receives("reply")
        }
    }

    @Test(.timeLimit(.minutes(60))) func aPromiseThatExistsWaitsForNoRoom() async throws {
        let home = try await Household { $0.maximumUnacknowledged = 3 }
        try await whileTheQueueIsFull(home) { session in
            for _ in 1...2 {
                _ = try await session.promise(NoValue.self, key: "k") { promise, work in
                    home.journal.note("asked")
                    try work.request(query, promise: promise)
                }
            }
        }
        #expect(home.journal.all == ["asked"])
    }

    // MARK: Transactions whose task is canceled

    /// A transaction that waits in the core: the queue is full when it has collected its changes.
    private func store(
        _ ids: String..., in session: DurableSession, making statement: String? = nil
    ) throws -> Task<Bool, any Error> {
        let work = StanzaWork(DatabaseWork(database: session.database), in: session.workContext)
        if let statement { try work.changes.add { try $0.db.execute(sql: statement) } }
        for id in ids { try work.send(xml("<message id='\(id)'/>")) }
        return Task { try await session.store(work) }
    }

    /// Waits until one commit waits for room, before the other senders, and the core has this many transactions.
    private func waits(_ session: DurableSession, transactions: Int) async throws {
        try await eventually("\(transactions) transactions wait for room") {
            let waits = await session.stream.waitingSenderCount == 1
            return await session.update { waits && $0.commits.count == 1 && $0.transactions.count == transactions }
        }
    }

    /// While the queue is full: two transactions wait for room in one commit, after the first of three was canceled.
    /// Then a stanza of another sender waits.
    private func waiting(
        in session: DurableSession, then id: String, _ second: () throws -> Task<Bool, any Error>,
        _ third: () throws -> Task<Bool, any Error>
    ) async throws -> (Task<Bool, any Error>, Task<Bool, any Error>, Task<SentStanza, any Error>) {
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
        try await session.stream.until("it waits for room") { $0.waitingSenderCount == 2 }
        return (waiting, last, sending)
    }

    @Test("D23 A canceled transaction that waits for room throws, and sends nothing") func canceled() async throws {
        try await whileTheQueueIsFull(Household { $0.maximumUnacknowledged = 2 }) { session in
            let sending = Task { try await session.transaction { try $0.send(xml("<message id='never'/>")) } }
            try await session.stream.until("it waits for room") { $0.waitingSenderCount == 1 }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
            makeRoom()
            try await session.send(xml("<message id='c'/>"))
            try await server.receives("c")
        }
        #expect(server.ids == ["a", "b", "c"])
    }

    @Test("D23 The transactions of one commit keep its room when one of them rolls back everything")
    func rollback() async throws {
        let home = try await Household { $0.maximumUnacknowledged = 2 }
        try await home.database.write {
            try $0.db.execute(sql: "CREATE TABLE note (text UNIQUE); INSERT INTO note VALUES ('a')")
        }
        try await whileTheQueueIsFull(home) { session in
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
        let item = TransactionEntries.Item(DurableSessionCore.Entry(work: transaction), work: nil, stanza: nil)
        let entries = TransactionEntries([item])
        entries.begin()
        #expect(!entries.withdraw(transaction))
        #expect(entries.items.count == 1)
    }
}
