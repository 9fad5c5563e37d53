// A database that cannot store anything for a while, because it is full or another process holds it.

import Foundation
import GRDB
import Persistence
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct FullDatabaseTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// A session that notes the id of each message, and sends a long reply.
    private func household(_ options: StanzaDatabase.Options = .init()) async throws -> Household {
        let home = try await Household(folder, options: options)
        try await home.database.write { try $0.database.execute(sql: "CREATE TABLE note (text)") }
        try await home.session.on("/{jabber:client}message") { stanza, work in
            let id = stanza["id"] ?? ""
            try work.database.add { try $0.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id]) }
            try work.send(Self.message("reply-\(id)"))
        }
        return home
    }

    /// A message that needs new pages of the database.
    private static func message(_ id: String) -> Element {
        xml("<message id='\(id)'><body>\(String(repeating: "x", count: 100_000))</body></message>")
    }

    /// Expects that the session has handled and answered three messages, each once and in order, in one session.
    private func expectEverythingOnce(_ home: Household) async throws {
        try await eventually("all are answered") {
            server.stanzas.compactMap { $0["id"] } == (1...3).map { "reply-\($0)" }
        }
        try await eventually("the server has all acknowledgements") {
            try? await home.session.stream.sendAcknowledgement()
            return server.unacknowledgedCount == 0
        }
        let notes = try await home.database.read { try String.fetchAll($0.database, sql: "SELECT text FROM note") }
        #expect(notes == ["1", "2", "3"])
        #expect(server.binds == 1)
        let stored = try await home.database.read { try $0.sessions.session(of: Household.account) }
        #expect(stored?.handledByClient.rawValue == 3)
        try await eventually("nothing is left") { await home.session.stream.unacknowledged.isEmpty }
    }

    @Test("A full database ends no run: senders get the error, and handlers' replies wait for room")
    func full() async throws {
        let attempts = Mutex(0)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.hasPrefix("INSERT INTO note") { attempts.withLock { $0 += 1 } }
        }
        let home = try await household(options)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("it is answered") { server.stanzas.count == 1 }
            try await home.database.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1") }
            await #expect(throws: StanzaDatabaseError.full) { try await home.session.send(Self.message("never")) }
            await #expect(throws: StanzaDatabaseError.full) {
                try await home.session.together { try $0.send(Self.message("never")) }
            }
            let before = attempts.withLock(\.self)
            for id in 2...3 { server.say("<message id='\(id)'/>") }
            try await eventually("the commit is tried again") { attempts.withLock(\.self) >= before + 4 }
            server.cut()
            try await eventually("the session is resumed") { server.resumptions == 1 }
            try await home.database.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1000000") }
            try await expectEverythingOnce(home)
        }
    }

    @Test("A lock that outlasts every attempt ends no run: the session resumes when it is released")
    func locked() async throws {
        let begins = Mutex(0)
        var options = StanzaDatabase.Options()
        options.busyTimeout = 0.01
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.contains("BEGIN IMMEDIATE") { begins.withLock { $0 += 1 } }
        }
        let home = try await household(options)
        let other = try await StanzaDatabase.open(at: folder.database)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            server.say("<message id='1'/>")
            try await eventually("it is answered") { server.stanzas.count == 1 }
            try await holding { holder in
                try await other.write { _ in holder.hold() }
            } during: { _ in
                await #expect(throws: StanzaDatabaseError.busy) { try await home.session.send(Self.message("never")) }
                server.cut()
                // The server delivers these when the session resumes.
                for id in 2...3 { server.say("<message id='\(id)'/>") }
                let before = begins.withLock(\.self)
                let most = PersistenceLimits.busyAttempts * (ConnectingLoop.maximumUncheckedAttempts + 2)
                try await eventually("more attempts fail than the run allows for other errors") {
                    begins.withLock(\.self) >= before + most
                }
                #expect(server.resumptions == 0)
            }
            try await expectEverythingOnce(home)
            #expect(server.resumptions == 1)
        }
    }
}
