// A database that cannot store anything for a while, because it is full or another process holds it.

import GRDB
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct FullDatabaseTests {
    private let server = FakeServer()
    private let attempts = Counter()

    /// A session that has handled a message. It notes the id of each, and sends a long reply. Counts the statements
    /// with this beginning.
    private func whileItRuns(
        busyTimeout: Double = 5, counting statement: String, _ body: (Household) async throws -> Void
    ) async throws {
        var options = StanzaDatabase.Options()
        options.busyTimeout = busyTimeout
        options.statementObserver = { [attempts] moment in
            if case .before(let sql) = moment, sql.hasPrefix(statement) { attempts.next() }
        }
        let home = try await Household(options: options)
        try await home.database.write { try $0.db.execute(sql: "CREATE TABLE note (text)") }
        try await home.onMessage { id, work in
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [id]) }
            try work.send(Self.message("reply-\(id)"))
        }
        try await home.run(server) {
            server.say(1...1)
            try await server.receives(1)
            try await body(home)
            // The session handles and answers three messages, each once and in order, in one session.
            try await server.receives(3)
            try await home.acknowledges(server)
            try await home.session.stream.requestAcknowledgement()
            try await eventually("nothing is left") { await home.session.stream.unacknowledged.isEmpty }
        }
        #expect(server.ids == ["reply-1", "reply-2", "reply-3"])
        let notes = try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        #expect(notes == ["1", "2", "3"])
        #expect(server.binds == 1 && server.resumptions == 1)
        let stored = try await home.database.read { try $0.sessions.session(of: Household.account) }
        #expect(stored?.handledByClient.rawValue == 3)
    }

    /// A message that needs new pages of the database.
    private static func message(_ id: String) -> Element {
        xml("<message id='\(id)'><body>\(String(repeating: "x", count: 100_000))</body></message>")
    }

    @Test("A full database ends no run: senders get the error, and handlers' replies wait for room")
    func full() async throws {
        try await whileItRuns(counting: "INSERT INTO note") { home in
            try await home.database.write { try $0.db.execute(sql: "PRAGMA max_page_count = 1") }
            await #expect(throws: StanzaDatabaseError.full) { try await home.session.send(Self.message("never")) }
            await #expect(throws: StanzaDatabaseError.full) {
                try await home.session.transaction { try $0.send(Self.message("never")) }
            }
            let before = attempts.value
            server.say(2...3)
            try await eventually("the commit is tried again") { attempts.value >= before + 4 }
            server.cut()
            try await server.isResumed(1)
            try await home.database.write { try $0.db.execute(sql: "PRAGMA max_page_count = 1000000") }
        }
    }

    @Test("A lock that outlasts every attempt ends no run: the session resumes when it is released")
    func locked() async throws {
        try await whileItRuns(busyTimeout: 0.001, counting: "BEGIN IMMEDIATE") { home in
            let other = try await StanzaDatabase.open(at: home.folder.database)
            try await holding { holder in
                try await other.write { _ in holder.hold() }
            } during: { _ in
                await #expect(throws: StanzaDatabaseError.busy) { try await home.session.send(Self.message("never")) }
                server.cut()
                // The server delivers these when the session resumes.
                server.say(2...3)
                let most = PersistenceLimits.busyAttempts * (ConnectingLoop.maximumUncheckedAttempts + 2)
                let before = attempts.value
                try await eventually("more attempts fail than the run allows for other errors") {
                    attempts.value >= before + most
                }
                #expect(server.resumptions == 0)
            }
        }
    }
}
