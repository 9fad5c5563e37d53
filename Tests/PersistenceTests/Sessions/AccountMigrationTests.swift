// Rows from before accounts were addresses: an account was any text, as the app wrote it.

import Foundation
import GRDB
import StreamManagement
import TestSupport
import Testing
import XMPPCore

@testable import Persistence

@Suite(.fewAtOnce) struct AccountMigrationTests {
    private let place: TemporaryDatabase

    /// A database of the last version that stored texts. The session of juliet has a stanza to send; the one of romeo
    /// has three open requests, a stanza that was not handled twice, and the owner of a process that has ended.
    init() throws {
        place = try TemporaryDatabase()
        try Fixtures.copy("greetings", to: place)
    }

    /// Changes the rows as the older version may have written them.
    private func change(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        let queue = try DatabaseQueue(path: place.path)
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }

    private func rename(_ account: String, to spelling: String) throws {
        for table in ["streamOwner", "streamSession", "outgoingStanza", "request"] {
            try change("UPDATE \(table) SET account = ? WHERE account = ?", [spelling, account])
        }
    }

    private func texts(_ table: String, of database: StanzaDatabase) async throws -> [String] {
        try await database.read {
            try String.fetchAll($0.db, sql: "SELECT account FROM \(table) ORDER BY account")
        }
    }

    @Test(arguments: ["Juliet@Example.ORG", "juliet@example.org/balcony", "\u{FF2A}uliet@example.org."])
    func aSessionIsFoundByItsAddress(spelling: String) async throws {
        try rename("juliet@example.org", to: spelling)
        let id = "INSERT INTO handledStanza (account, sender, id, handled) VALUES (?1, ?2, ?3, 1e12)"
        try change(id, [spelling, spelling, "own"])
        try change(id, [spelling, "romeo@example.org", "other"])
        let database = try await place.open()
        let account: JID = "juliet@example.org"
        #expect(try await database.read { try $0.sessions.accounts() } == [account, "romeo@example.org"])
        for (id, sender) in [("own", account.description), ("other", "romeo@example.org")] {
            #expect(try await database.read { try $0.sessions.hasHandled(id, from: sender, of: account) })
        }
        let session = try #require(try database.openSession(account).load())
        #expect(session.resumption?.id.rawValue == "s1" && session.pending.map { $0.element["id"] } == ["m1"])
    }

    @Test func anOwnedSessionWithRequestsKeepsThem() async throws {
        try rename("romeo@example.org", to: "Romeo@example.org")
        let owners = SessionOwners(path: place.path + ".owners")
        let token = try owners.add()
        try change("UPDATE streamOwner SET token = ? WHERE account = 'Romeo@example.org'", [token])
        let database = try await place.open()
        let account: JID = "romeo@example.org"
        #expect(throws: StorageError.inUse(account: account)) { try database.openSession(account) }
        owners.remove(token)
        let session = try database.openSession(account)
        #expect(try session.load()?.handlingAttempts == 2)
        func requests() async throws -> [StoredRequest] {
            try await database.read { try $0.requests.requests(of: account) }
        }
        #expect(try await requests().map(\.id) == ["open", "late", "lost"])
        #expect(try await requests().map(\.end) == [nil, nil, .notHandled])
        // They belong to the session, and end with it.
        try session.write([.remove], .immediate)
        #expect(try await requests().map(\.end) == [.lost, .lost, .notHandled])
    }

    @Test func rowsOfTheAddressItselfAreKept() async throws {
        try change(
            """
            INSERT INTO streamSession (account, resumptionID) VALUES ('Romeo@example.org', 'other');
            INSERT INTO request (account, id, kind, handler) VALUES ('Romeo@example.org', 'open', 'iq', zeroblob(16));
            """)
        let database = try await place.open()
        #expect(
            try await texts("streamSession", of: database)
                == ["Romeo@example.org", "juliet@example.org", "romeo@example.org"])
        let session = try await database.read { try $0.sessions.session(of: "romeo@example.org") }
        #expect(session?.resumption?.id.rawValue == "s2")
        #expect(try await database.read { try $0.sessions.accounts() } == ["juliet@example.org", "romeo@example.org"])
        // The handlers of the other session's requests are invalidated.
        let requests = try await database.read { try $0.requests.requests(of: "romeo@example.org") }
        #expect(requests.filter { $0.id.hasPrefix("open") }.map(\.end) == [nil, .lost])
        #expect(requests.count == 4)
    }

    /// A closed session leaves its last owner.
    @Test func aSessionGetsTheKeyOfAClosedOne() async throws {
        try rename("romeo@example.org", to: "Romeo@example.org")
        try change("INSERT INTO streamOwner (account, token) VALUES ('romeo@example.org', -1)")
        try change(
            """
            INSERT INTO request (account, id, kind, handler, isLost) VALUES ('romeo@example.org', 'open', 'iq', zeroblob(16), 1);
            INSERT INTO handledStanza (account, sender, id, handled) VALUES ('romeo@example.org', 'x', 'y', 1e12);
            """)
        let database = try await place.open()
        let account: JID = "romeo@example.org"
        #expect(try database.openSession(account).load()?.resumption?.id.rawValue == "s2")
        #expect(try await database.read { try $0.requests.requests(of: account).count } == 4)
        #expect(try await texts("streamOwner", of: database) == ["juliet@example.org", "romeo@example.org"])
        #expect(try await texts("request", of: database).allSatisfy { $0 == "romeo@example.org" })
    }

    @Test func ofSeveralSpellingsOneWithASessionCounts() async throws {
        try rename("juliet@example.org", to: "juliet@Example.org")
        try change("INSERT INTO streamOwner (account, token) VALUES ('JULIET@example.org', -1)")
        let database = try await place.open()
        #expect(try await texts("streamSession", of: database) == ["juliet@example.org", "romeo@example.org"])
        #expect(
            try await texts("streamOwner", of: database)
                == ["JULIET@example.org", "juliet@example.org", "romeo@example.org"])
    }

    /// Older versions refused no text. A damaged one must end no process.
    @Test(arguments: [
        "", "i\u{2665}u@example.org", "juliet@", "a\u{7}b", "\u{E000}", String(repeating: "x", count: 5000),
    ])
    func textsThatAreNotAddressesStay(text: String) async throws {
        try rename("juliet@example.org", to: text)
        let database = try await place.open()
        #expect(try await texts("streamSession", of: database).contains { $0.utf8.elementsEqual(text.utf8) })
        #expect(try await database.read { try $0.sessions.accounts() } == ["romeo@example.org"])
    }

    @Test func mechanismsAreFoundByTheAddress() async throws {
        try change(
            "INSERT INTO mechanism (account, strongest) VALUES ('juliet@xn--bcher-kva.example', 'SCRAM-SHA-256')")
        let database = try await place.open()
        #expect(try await database.strongestMechanism(of: "juliet@b\u{FC}cher.example") == "SCRAM-SHA-256")
    }
}
