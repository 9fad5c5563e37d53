// A full queue of outgoing stanzas: replies wait for room, and hold up nothing else.

import Foundation
import GRDB
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct RoomTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    @Test("D23 A reply that waits for room holds up neither ends of requests nor transactions that send nothing")
    func replyWaits() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 3
        let home = try await Household(folder, configuration: configuration)
        let (session, journal) = (home.session, home.journal)
        try await home.database.write { try $0.database.execute(sql: "CREATE TABLE note (text)") }
        try await session.on("/{jabber:client}message") { stanza, work in
            let id = stanza["id"] ?? ""
            journal.note("handles \(id)")
            try work.database.add { try $0.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id]) }
            if id == "1" { try work.send(xml("<message id='reply'/>")) }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.setAcknowledging(false)
            try await session.request(query, handler: home.handler(), timeout: nil)
            for id in ["a", "b"] { try await session.send(xml("<message id='\(id)'/>")) }
            for id in 1...2 { server.say("<message id='\(id)'/>") }
            try await eventually("the reply waits") { await session.stream.waitingSenderCount == 1 }
            // An invalidation.
            try await home.end("q1")
            try await eventually("it has ended") { try await home.requests() == [] }
            #expect(journal.all.contains("ended timed-out"))
            // A transaction of the app.
            try await session.together { work in
                try work.database.add { try $0.database.execute(sql: "INSERT INTO note VALUES ('app')") }
            }
            #expect(await session.stream.waitingSenderCount == 1)
            #expect(try await notes(home) == ["app"])
            server.setAcknowledging(true)
            try await session.stream.requestAcknowledgement()
            server.cut()
            try await eventually("the reply is sent") { server.stanzas.last?["id"] == "reply" }
            try await eventually("both are handled") { try await notes(home) == ["app", "1", "2"] }
        }
        #expect(journal.all.filter { $0.hasPrefix("handles") } == ["handles 1", "handles 2"])
    }

    @Test("D23 Transactions that wait for room at the same time all get it") func transactionsTakeTurns() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 2
        let home = try await Household(folder, configuration: configuration)
        let session = home.session
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.setAcknowledging(false)
            for id in ["a", "b"] { try await session.send(xml("<message id='\(id)'/>")) }
            try await withThrowingTaskGroup { group in
                for number in 1...5 {
                    group.addTask { try await session.together { try $0.send(xml("<message id='\(number)'/>")) } }
                }
                try await eventually("all wait") { await session.stream.waitingSenderCount == 5 }
                server.setAcknowledging(true)
                server.cut()
                try await group.waitForAll()
            }
            try await eventually("all are sent") {
                Set(server.stanzas.compactMap { $0["id"] }) == ["a", "b", "1", "2", "3", "4", "5"]
            }
        }
    }

    private func notes(_ home: Household) async throws -> [String] {
        try await home.database.read { try String.fetchAll($0.database, sql: "SELECT text FROM note") }
    }
}
