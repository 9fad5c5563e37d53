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

    private static let room = "coven@chat.example.org"
    private static let mallory = "mallory@example.org/orchard"

    /// The stanzas of each session, and the `id` of each message in the inbox.
    private static let cases: [String: (sessions: [[String]], inbox: [String])] = [
        "a stanza of this or the last session": (
            [
                [message("1", stanzaID("a")), message("2", originID("a")), message("3", originID("a"))],
                [message("4", stanzaID("a")), message("5", originID("a")), message("6", stanzaID("b"))],
            ], ["1", "2", "6"]
        ),
        "no identifier, and one that is too long": (
            [
                [message("1", ""), message("2", originID(String(repeating: "x", count: 2000)))],
                [message("1", ""), message("2", originID(String(repeating: "x", count: 2000)))],
            ], ["1", "2", "1", "2"]
        ),
        "the identifier of another sender": (
            [[message("1", stanzaID("a")), message("2", from: mallory, stanzaID("a"))]], ["1", "2"]
        ),
        "an identifier that the account's server did not give": (
            [[message("1", stanzaID("c", by: mallory)), message("2", stanzaID("c", by: mallory))]], ["1", "2"]
        ),
        "other spellings of the account, which its server may not remove": (
            [
                [
                    message("1", stanzaID("d", by: "JULIET@example.org")),
                    message("2", stanzaID("d", by: "Juliet@EXAMPLE.org")),
                ]
            ], ["1", "2"]
        ),
        "the last identifier counts": (
            [[message("1", stanzaID("e") + stanzaID("f")), message("2", stanzaID("f")), message("3", stanzaID("e"))]],
            ["1", "3"]
        ),
        "a room and a name that RFC 7622 refuses": (
            ["1", "2"].map {
                [
                    message(
                        $0, from: "i\u{2665}u@chat.example.org/\u{845B}\u{E0100}", type: "groupchat",
                        stanzaID("a", by: "i\u{2665}u@chat.example.org"))
                ]
            }, ["1"]
        ),
        "an identifier of a room": (
            ["1", "2"].map {
                [message($0, from: room + "/hecate", type: "groupchat", stanzaID("a", by: room))]
            }, ["1"]
        ),
    ]

    @Test(arguments: cases.keys.sorted()) func repetitionsAreDropped(name: String) async throws {
        let folder = try TemporaryFolder()
        let example = try #require(Self.cases[name])
        for stanzas in example.sessions {
            let home = try await Household(folder)
            let session = home.session
            try await home.database.write {
                try $0.database.execute(sql: "CREATE TABLE IF NOT EXISTS inbox (id TEXT)")
            }
            try await session.on("/{jabber:client}message/body") { stanza, work in
                if try await work.isRepetition(stanza) { return }
                try work.database.add { transaction in
                    try transaction.database.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
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
        let inbox = try await database.read { try String.fetchAll($0.database, sql: "SELECT id FROM inbox") }
        #expect(inbox == example.inbox)
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
            try await database.read { try Int.fetchOne($0.database, sql: "SELECT count(*) FROM handledStanza") ?? 0 }
        }
        func found(_ ids: String...) async throws -> [Bool] {
            try await database.read { transaction in
                try ids.map { try transaction.sessions.hasHandled($0, from: "a", of: "b") }
            }
        }
        try await database.write { transaction in
            for number in 0...PersistenceLimits.handledStanzas {
                let date = number == 5 ? first : later
                try transaction.sessions.noteHandled("\(number)", from: "a", of: "b", at: date)
            }
        }
        #expect(try await count() == PersistenceLimits.handledStanzas)
        #expect(try await found("0", "1", "5") == [false, true, true])
        try await database.write {
            let date = first.addingTimeInterval(PersistenceLimits.handledStanzaAge + 0.5)
            try $0.sessions.noteHandled("new", from: "a", of: "b", at: date)
        }
        #expect(try await found("new", "5", "6") == [true, false, true])
    }
}
