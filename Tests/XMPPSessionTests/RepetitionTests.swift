// Stanzas that come again in a session that was not resumed.

import Foundation
import GRDB
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct RepetitionTests {
    private let server = FakeServer()

    private static func message(
        _ id: String, from sender: String = "romeo@example.org/orchard", type: String = "chat", _ children: String
    ) -> String {
        "<message id='\(id)' from='\(sender)' type='\(type)'><body>hi</body>\(children)</message>"
    }

    private static func stanzaID(_ id: String, by source: String = Household.account.description) -> String {
        "<stanza-id xmlns='urn:xmpp:sid:0' id='\(id)' by='\(source)'/>"
    }

    private static func originID(_ id: String) -> String { "<origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/>" }

    private func identifier(of message: String) -> UniqueIdentifier? {
        UniqueIdentifier(of: xml(message), account: Household.account)
    }

    /// Other senders may forge them (XEP-0359 §6).
    @Test func identifiersThatTheServerDidNotGiveAreNone() {
        for source in ["mallory@example.org/orchard", "JULIET@example.org"] {
            #expect(identifier(of: Self.message("1", Self.stanzaID("a", by: source))) == nil)
        }
        #expect(identifier(of: Self.message("1", "")) == nil)
        #expect(identifier(of: Self.message("1", Self.originID(String(repeating: "x", count: 2000)))) == nil)
    }

    @Test func anIdentifierIsThatOfItsSender() throws {
        let first = try #require(identifier(of: Self.message("1", Self.stanzaID("a"))))
        let other = identifier(of: Self.message("1", from: "mallory@example.org/orchard", Self.stanzaID("a")))
        #expect(other != first && other?.id == first.id)
        #expect(identifier(of: Self.message("1", Self.originID("a"))) != first)
        // The last identifier counts, because servers append their own one.
        #expect(identifier(of: Self.message("2", Self.stanzaID("b") + Self.stanzaID("a"))) == first)
    }

    /// RFC 7622 refuses the second name.
    @Test(arguments: ["coven@chat.example.org", "i\u{2665}u@chat.example.org"])
    func aRoomGivesIdentifiersToItsMessages(room: String) {
        for (type, isTrusted) in [("groupchat", true), ("chat", false)] {
            let sender = room + "/\u{845B}\u{E0100}"
            let message = Self.message("1", from: sender, type: type, Self.stanzaID("a", by: room))
            #expect((identifier(of: message) != nil) == isTrusted)
        }
    }

    @Test func repetitionsAreDroppedAlsoInTheNextSession() async throws {
        let folder = try TemporaryFolder()
        let sessions = [
            [Self.message("1", Self.stanzaID("a")), Self.message("2", Self.originID("a")), Self.message("3", "")],
            [Self.message("4", Self.stanzaID("a")), Self.message("5", Self.originID("a")), Self.message("6", "")],
        ]
        for stanzas in sessions {
            let home = try await Household(folder)
            let session = home.session
            try await home.database.write {
                try $0.db.execute(sql: "CREATE TABLE IF NOT EXISTS inbox (id TEXT)")
            }
            try await session.on("/{jabber:client}message/body") { stanza, work in
                if stanza["type"] == "error" { return }
                if try await work.isRepetition(stanza) { return }
                try work.changes.add { transaction in
                    try transaction.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
                }
            }
            try await home.run(server) {
                for stanza in stanzas { server.say(stanza) }
                try await home.handles(stanzas.count)
            }
            await session.close()
            home.database.close()
        }
        let database = try await StanzaDatabase.open(at: folder.database)
        let inbox = try await database.read { try String.fetchAll($0.db, sql: "SELECT id FROM inbox") }
        #expect(inbox == ["1", "2", "3", "6"])
    }

    /// The second route gets the same answer as the first one, and a failed attempt notes nothing.
    @Test func anAttemptThatFailsNotesNothing() async throws {
        let home = try await Household()
        let (session, journal) = (home.session, home.journal)
        for route in ["first", "second"] {
            try await session.on("/{jabber:client}message") { stanza, work in
                journal.note("\(route) \(try await work.isRepetition(stanza))")
                if journal.all.count == 2 { throw Household.Failure() }
            }
        }
        try await home.run(server) {
            server.say(Self.message("1", Self.stanzaID("a")))
            try await home.handles(1)
        }
        #expect(journal.all == ["first false", "second false", "first false", "second false"])
    }

    @Test func identifiersBeyondTheLimitsAreForgotten() async throws {
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let (first, later) = (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 1_000_001))
        func count() async throws -> Int {
            try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM stanza_handled") ?? 0 }
        }
        func found(_ ids: String...) async throws -> [Bool] {
            try await database.read { transaction in
                try ids.map { try transaction.sessions.hasHandled($0, from: "a", of: "b") }
            }
        }
        try await database.write { transaction in
            try transaction.sessions.noteHandled("1", from: "a", of: "quiet", at: first)
            for number in 0...PersistenceLimits.handledStanzas {
                let date = number == 5 ? first : later
                try transaction.sessions.noteHandled("\(number)", from: "a", of: "b", at: date)
            }
        }
        // An account does not push out the identifiers of another.
        #expect(try await count() == PersistenceLimits.handledStanzas + 1)
        #expect(try await found("0", "1", "5") == [false, true, true])
        try await database.write {
            let date = first.addingTimeInterval(PersistenceLimits.handledStanzaAge + 0.5)
            try $0.sessions.noteHandled("new", from: "a", of: "b", at: date)
        }
        #expect(try await found("new", "5", "6") == [true, false, true])
    }
}
