// The error of a handler reaches the developer: in the event of a dead letter, and in the log at debug level only. The
// texts of errors, as the system shows them to users.

import Foundation
import GRDB
import Handlers
import Persistence
import SafeText
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct HandlingErrorTests {
    private let server = FakeServer()
    private let lines = LoggedLines()

    private func household(attempts: Int) async throws -> Household {
        try await Household(logger: lines.logger) {
            $0.maximumHandlingAttempts = attempts
        }
    }

    /// An error of an app, which quotes the stanza.
    private struct Quoting: Error, Equatable { let body: String }

    /// A handler throws, or a step that it adds to its work. The server may not count the stanza.
    @Test(arguments: zip([false, true], [FakeServer.Management.none, .full]))
    func aDeadLetterCarriesItsError(inStep: Bool, management: FakeServer.Management) async throws {
        let server = FakeServer(management)
        let home = try await household(attempts: 2)
        try await home.session.on("/{jabber:client}message") { stanza, work in
            let error = Quoting(body: stanza.text ?? "")
            if !inStep { throw error }
            try work.changes.add { _ in throw error }
        }
        let events = await home.session.stream.events()
        try await home.run(server) {
            server.say("<message id='1'>secret</message>")
            for await case .incomingDeadLetter(let stanza, let attempts, let error) in events {
                #expect(stanza["id"] == "1" && attempts == 2)
                #expect(error?.error as? Quoting == Quoting(body: "secret"))
                break
            }
        }
        let quoting = lines.all.filter { $0.text.contains("secret") }
        #expect(quoting.map(\.level) == [.debug, .debug])
        #expect(lines.all.contains { $0.level == .warning && $0.text.contains("Quoting") })
    }

    /// SQLite's own message quotes the text of the statement here. The app and the debug level get that message.
    @Test func theLogNamesTheErrorOfTheDatabase() async throws {
        let home = try await household(attempts: 1)
        try await home.session.on("/{jabber:client}message") { stanza, work in
            let table = stanza.text ?? ""
            try work.changes.add { try $0.db.execute(sql: "INSERT INTO \(table) VALUES (1)") }
        }
        let events = await home.session.stream.events()
        try await home.run(server) {
            server.say("<message id='1'>secret</message>")
            for await case .incomingDeadLetter(_, _, let error) in events {
                #expect((error?.error as? DatabaseError)?.message == "no such table: secret")
                break
            }
        }
        #expect(lines.all.contains { $0.level == .debug && $0.text.contains("no such table: secret") })
        #expect(lines.all.contains { $0.level == .warning && $0.text.contains("SQLite's code 1 (SQL logic error)") })
        #expect(lines.all.filter { $0.level > .debug }.allSatisfy { !$0.text.contains("secret") })
    }

    @Test func errorsOfTheDatabaseMayBeLogged() {
        #expect(
            StanzaDatabaseError.failed(code: 778).loggable
                == "the database failed with SQLite's code 778 (disk I/O error)")
        #expect(EffectsError(StanzaDatabaseError.full).loggable.contains("full"))
        #expect(Quoting(body: "secret").loggable == "Quoting")
    }

    // MARK: Texts

    @Test func theSystemShowsTheDescriptionOfEachError() {
        let errors: [any Error] = [
            RequestError.timedOut, RequestError.deadLettered(.losses(2)), StanzaError("forbidden", type: "auth"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }

    /// Any stranger can write the text of a stanza error.
    @Test func aStrangersTextIsABoundedExcerptInOneLine() {
        let error = StanzaError("forbidden", type: "auth", text: "\u{1B}[2J\n" + String(repeating: "x", count: 5000))
        #expect(error.description.unicodeScalars.count < 300)
        #expect(!error.description.contains("\n") && !error.description.contains("\u{1B}"))
        #expect(error.description.hasSuffix("…)"))
    }
}
