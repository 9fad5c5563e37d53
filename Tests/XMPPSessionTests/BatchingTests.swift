// Stanzas that come while a transaction commits share the next one. A handler sends and reads after the changes of
// earlier stanzas.

import GRDB
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct BatchingTests {
    private let server = FakeServer()
    private let statements = Statements()

    /// A process with a table of notes, whose transactions are counted.
    private func household(
        _ folder: TemporaryFolder? = nil, clock: any MachineClock = SystemClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> Household {
        var options = StanzaDatabase.Options()
        options.statementObserver = { [statements] in statements.pass($0) }
        let home = try await Household(folder, takingOver: folder != nil, options: options, clock: clock, change)
        try await home.database.write {
            try $0.db.execute(sql: "CREATE TABLE IF NOT EXISTS note (text TEXT NOT NULL UNIQUE)")
        }
        return home
    }

    private static func insert(_ text: String?, _ work: StanzaWork) throws {
        try work.changes.add {
            try $0.db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
        }
    }

    private func notes(_ home: Household) async throws -> [String] {
        try await home.database.read { try String.fetchAll($0.db, sql: "SELECT text FROM note ORDER BY rowid") }
    }

    private static func lines(_ ids: ClosedRange<Int>) -> [String] { ids.map(String.init) }

    // MARK: The number of commits

    @Test func waitingStanzasShareCommits() async throws {
        let home = try await household(clock: SlowClock()) { $0.acknowledgements = .off }
        try await home.onMessage { id, work in
            try Self.insert(id, work)
            if id != "0" { try work.send(xml("<message to='romeo@example.org' id='re-\(id)'/>")) }
        }
        try await home.run(server) {
            statements.reset()
            server.say(0...0)
            try await home.handles(1)
            // A single stanza does not wait for others.
            #expect(statements.commits == 1)
            try await home.duringHandler(server, 100) { server.say(1...100) }
            try await server.receives(100)
        }
        #expect(statements.commitsOfEffects <= 6)
        #expect(try await notes(home) == Self.lines(0...100))
        #expect(server.ids == (1...100).map { "re-\($0)" })
    }

    /// Nor do handlers run again that have returned before. In one case the failing change rolls back the whole
    /// transaction.
    @Test(arguments: ["", "OR ROLLBACK"]) func aStanzaThatFailsHarmsNoOther(conflict: String) async throws {
        let home = try await household { $0.maximumHandlingAttempts = 3 }
        try await home.onMessage { id, work in
            try Self.insert(id, work)
            if id != "5" { return }
            try work.changes.add { try $0.db.execute(sql: "INSERT \(conflict) INTO note VALUES ('5')") }
        }
        try await home.run(server) {
            try await home.duringHandler(server, 10) { server.say(1...10) }
            try await home.acknowledges(server)
        }
        let others = (1...10).filter { $0 != 5 }.map(String.init)
        #expect(try await notes(home) == others)
        let handled = home.journal.all.dropFirst(2)
        #expect(handled.filter { $0 == "5" }.count == 3)
        #expect(handled.filter { $0 != "5" } == others)
        #expect(server.binds == 1)
    }

    /// It may have ended the first process, and the next process has to count it.
    @Test func theFirstRedeliveredStanzaIsCommittedAlone() async throws {
        let first = try await household()
        try await first.onMessage { [journal = first.journal] _, _ in await journal.waitDeafly(for: "end") }
        let running = await first.online(server)
        server.say(1...3)
        try await first.notes("1")
        let second = try await household(first.folder, clock: SlowClock())
        try await second.onMessage { [journal = second.journal] id, work in
            if id == "1" { await journal.waitDeafly(for: "go on") }
            try Self.insert(id, work)
        }
        statements.reset()
        try await second.run(server) {
            try await eventually("the others wait") { await second.session.waitingCount == 2 }
            second.journal.note("go on")
            try await second.acknowledges(server)
        }
        #expect(statements.sizes == [1, 2])
        first.journal.note("end")
        // The first process cannot commit.
        #expect(try await running.value == .takenOver)
    }

    // MARK: Handlers that read and send

    @Test func aHandlerSeesTheChangesOfThoseBeforeIt() async throws {
        let home = try await household()
        try await home.session.on("/{jabber:client}message") { [database = home.database, journal = home.journal] in
            let count = try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM note") }
            journal.note("\(count ?? -1)")
            try Self.insert($0["id"], $1)
        }
        try await home.run(server) {
            try await home.duringHandler(server, 5) { server.say(1...5) }
            try await home.handles(6)
        }
        #expect(home.journal.all.dropFirst(2) == Self.lines(0...4)[...])
    }

    @Test func aRepetitionInTheSameBatchIsFound() async throws {
        let home = try await household(clock: SlowClock())
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, work in
            if try await work.isRepetition(stanza) { return journal.note("again") }
            try Self.insert(stanza.child("origin-id", namespace: .uri("urn:xmpp:sid:0"))?["id"], work)
        }
        try await home.run(server) {
            try await home.duringHandler(server, 4) {
                for id in [1, 2, 1, 2] {
                    server.say(
                        "<message from='romeo@example.org'><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>")
                }
            }
            try await home.handles(5)
        }
        #expect(home.journal.all.dropFirst(2) == ["again", "again"])
        #expect(try await notes(home) == Self.lines(1...2))
        #expect(statements.commitsOfEffects == 1)
    }

    /// The session sends the replies of earlier stanzas first, and has handled those stanzas by then.
    @Test(arguments: [false, true]) func aDirectStanzaOvertakesNoReply(isRequest: Bool) async throws {
        let home = try await Household(clock: SlowClock())
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { [weak session] stanza, work in
            guard let session, stanza["id"] == "2" else {
                return try work.send(xml("<message to='romeo@example.org' id='re-1'/>"))
            }
            if isRequest {
                _ = try await session.request(query)
            } else {
                try await session.send(xml("<message to='romeo@example.org' id='q1'/>"))
            }
            journal.note("unhandled \(await session.stream.unhandledCount)")
        }
        // Only this stanza and, for a request, its answer are unhandled.
        let line = "unhandled \(isRequest ? 2 : 1)"
        try await home.run(server) {
            try await home.duringHandler(server, 2) { server.say(1...2) }
            try await server.receives(2)
            if isRequest { server.say(answer) }
            try await home.notes(line)
        }
        #expect(server.ids == ["re-1", "q1"])
        #expect(journal.all == ["waiting", "go on", line])
    }

    /// Without stream management, the server counts no stanza, and only the session limits their bytes.
    @Test func aSessionReadsNoMoreThanTwoBatchesOfBytes() async throws {
        let server = FakeServer(.none)
        let home = try await Household()
        let session = home.session
        try await home.onMessage()
        await session.setLimits { $0.batchSize = 20_000 }
        let text = String(repeating: "a", count: 2000)
        try await home.run(server) {
            try await home.duringHandler(server, 0) {
                for id in 1...64 { server.say("<message id='\(id)'><body>\(text)</body></message>") }
                try await eventually("all have arrived") { await session.waitingCount == 64 }
                // A session without the limit takes them by then, as a rule.
                try await Task.sleep(for: .milliseconds(20))
                #expect(await session.update(\.deliveries.weight) < 80_000)
            }
            try await home.notes("64")
        }
        #expect(home.journal.all.dropFirst(2) == (1...64).map(String.init)[...])
    }
}
