// A full queue of outgoing stanzas: replies wait for room, and hold up nothing else.

import GRDB
import Persistence
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
        let session = home.session
        try await home.run(server) {
            server.setAcknowledging(false)
            for id in ["a", "b"] { try await session.send(xml("<message id='\(id)'/>")) }
            try await body(session)
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
            try await eventually("the reply waits") { await session.stream.waitingSenderCount == 1 }
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

    @Test("D23 Transactions that wait for room at the same time all get it") func transactionsTakeTurns() async throws {
        let home = try await Household { $0.maximumUnacknowledged = 2 }
        try await whileTheQueueIsFull(home) { session in
            try await withThrowingTaskGroup { group in
                for number in 1...5 {
                    group.addTask { try await session.transaction { try $0.send(xml("<message id='\(number)'/>")) } }
                }
                try await eventually("all wait") { await session.stream.waitingSenderCount == 5 }
                makeRoom()
                try await group.waitForAll()
            }
            try await server.receives(7)
        }
        #expect(Set(server.ids) == ["a", "b", "1", "2", "3", "4", "5"])
    }
}
