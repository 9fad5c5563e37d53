// The statements that a session runs, as SQLite plans them: none of the hot ones reads a whole table.

import Foundation
import GRDB
import Locking
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import Handlers
@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct QueryPlanTests {
    /// The statements of databases after they are opened.
    private final class Trace: Sendable {
        private let state = Lock<(statements: [String], isOn: Bool)>(([], false))

        var all: [String] { state.withLock(\.statements) }

        func turn(on: Bool) { state.withLock { $0.isOn = on } }

        func pass(_ moment: StanzaDatabase.StatementMoment) {
            guard case .before(let sql) = moment else { return }
            state.withLock { state in if state.isOn { state.statements.append(sql) } }
        }

        func count(_ words: String) -> Int { all.count { $0.contains(words) } }
    }

    private static func options(_ trace: Trace) -> StanzaDatabase.Options {
        var options = StanzaDatabase.Options()
        options.statementObserver = trace.pass
        return options
    }

    private let server = FakeServer()
    private let trace = Trace()

    private func home(_ folder: TemporaryFolder? = nil, without name: HandlerName? = nil) async throws -> Household {
        trace.turn(on: false)
        defer { trace.turn(on: true) }
        let home = try await Household(
            folder, options: Self.options(trace), handlers: Household.handlers.filter { $0.name != name })
        try await home.session.on("/{jabber:client}message") { stanza, work in
            if try await !work.isRepetition(stanza) { try work.send(xml("<message/>")) }
        }
        await home.session.onNewSession { try $0.send(xml("<presence/>")) }
        return home
    }

    /// Requests with every outcome, in sessions that begin, continue and are lost.
    private func runScenario() async throws {
        let app = try await home()
        let promise = try await app.promises.create(String.self, key: "answer", timeout: .seconds(3600))
        let handler = try app.handler("Test|answered", ["promise": promise])
        try await app.session.request(query, handler: handler, timeout: .seconds(3600))
        try await app.run(server) {
            server.say("<message from='romeo@example.org'><origin-id xmlns='urn:xmpp:sid:0' id='1'/></message>")
            server.say(answer)
            try await app.endsRequests()
            #expect(try await promise.value == "result")
            // It times out before it is sent.
            try await app.disconnect(server)
            try await app.session.request(query, handler: try app.handler(), timeout: .milliseconds(1))
            try await app.request(otherQuery)
            server.setDown(false)
            try await app.notes("ended timed-out")
            // The other one is lost with its session.
            try await server.receives("q2")
            server.forget()
            server.cut()
            try await app.notes("ended disconnected")
            try await app.request(query, try app.handler("Test|once"))
            try await server.receives("q1")
        }
        try await app.suspend()
        // This program defers the answer, because it does not know the handler.
        let old = try await home(app.folder, without: "Test|once")
        try await old.run(server) {
            server.say(answer)
            try await old.endsRequests()
        }
        try await old.suspend()
        let last = try await home(app.folder)
        await last.session.otherwise(.hold)
        try await last.run(server) {
            try await last.notes("once result")
            server.say("<presence/>")
            try await last.acknowledges(server)
        }
        let now = Date()
        try await last.database.write { transaction in
            _ = try transaction.promises.duePromises(at: now, limit: 1)
            _ = try transaction.promises.expiredPromises(at: now, limit: 1)
            _ = try transaction.promises.lastMoment()
        }
        await last.session.close()
    }

    @Test func noStatementOfASessionReadsAWholeTable() async throws {
        try await runScenario()
        let statements = Set(trace.all).filter { sql in
            // GRDB reads the schema table to begin a transaction that reads.
            ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) } && !sql.contains("PRAGMA")
                && !sql.contains("sqlite_master")
        }
        for words in [
            "deferralReason IS NULL", "endReason IS NOT NULL", "serial > ?", "id NOT IN", "INTO stanza_handled",
            "deferralReason,", "deferralReason IS NOT NULL", "INSERT INTO stanza_held",
            "FROM stanza_held", "UPDATE stanza_promise", "created > ?1", "DELETE FROM stanza_outgoing",
        ] {
            #expect(statements.contains { $0.contains(words) }, "the scenario runs no statement with '\(words)'")
        }
        let database = try await Household().database
        let steps = try await database.read { transaction in
            try statements.sorted().flatMap { sql in
                let statement = try transaction.db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                statement.setUncheckedArguments(StatementArguments())
                return try Row.fetchAll(statement).map { row in (sql: sql, text: row["detail"] as String) }
            }
        }
        #expect(steps.filter { $0.text.hasPrefix("SCAN") && $0.text != "SCAN CONSTANT ROW" }.map(\.sql) == [])
        // A search for the account alone would read all of its requests.
        for (words, search) in [
            ("endReason IS NOT NULL AND deferralReason", "stanza_requestEnded (account=?)"),
            ("serial > ?", "stanza_requestTimed (account=? AND rowid>?)"),
            ("id = ? AND deferralReason", "stanza_requestID (account=? AND id=?)"),
            ("created > ?1", "stanza_promiseCreated (created>?)"),
        ] {
            #expect(steps.contains { $0.sql.contains(words) && $0.text.hasSuffix(search) }, "no search of \(search)")
        }
    }

    /// The stanzas are stored when the app passes them, and are marked as sent when the session begins.
    @Test(arguments: [false, true]) func aNewSessionDoesNotWriteItsQueueAgain(isLost: Bool) async throws {
        let home = try await Household(options: Self.options(trace))
        if isLost {
            try await home.run(server) { try await home.disconnect(server) }
            server.forget()
            server.setDown(false)
        }
        trace.turn(on: true)
        for number in 1...5 { try await home.session.send(xml("<message id='\(number)'/>")) }
        try await home.run(server) { try await server.receives(5) }
        // The loss of a session stores which stanzas continue to wait.
        #expect(trace.count("INSERT INTO stanza_outgoing") == (isLost ? 10 : 5))
        #expect(trace.count("SET isSent = 1") == 1)
    }
}
