// Stanzas that come while a transaction commits share the next one.

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
        _ folder: TemporaryFolder? = nil, clock: any SessionClock = SystemSessionClock(),
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
        let count = 600
        let home = try await household(clock: SlowClock())
        try await home.onMessage { id, work in
            try Self.insert(id, work)
            try work.send(xml("<message to='romeo@example.org' id='re-\(id)'/>"))
        }
        try await home.run(server) {
            statements.reset()
            try await home.duringHandler(server, count) { server.say(1...count) }
            try await server.receives(count)
        }
        #expect(statements.commitsOfEffects * 20 <= count)
        #expect(try await notes(home) == Self.lines(1...count))
        #expect(server.ids == (1...count).map { "re-\($0)" })
    }

    @Test func aSingleStanzaIsOneCommit() async throws {
        let home = try await household { $0.acknowledgements = .off }
        try await home.onMessage { try Self.insert($0, $1) }
        try await home.run(server) {
            for id in 1...10 {
                statements.reset()
                server.say(id...id)
                try await home.handles(id)
                #expect(statements.commits == 1)
            }
        }
    }

    // MARK: Failures

    /// Where a stanza fails.
    enum Fault: CaseIterable {
        case handler, change, undoneTransaction
    }

    /// Nor do handlers run again that have returned before.
    @Test(arguments: Fault.allCases) func aStanzaThatFailsHarmsNoOther(fault: Fault) async throws {
        let home = try await household { $0.maximumHandlingAttempts = 3 }
        try await home.onMessage { id, work in
            let isBad = id == "10"
            if isBad, fault == .handler { throw Household.Failure() }
            try Self.insert(id, work)
            try work.changes.add { transaction in
                guard isBad else { return }
                let conflict = fault == .undoneTransaction ? "OR ROLLBACK" : ""
                try transaction.db.execute(sql: "INSERT \(conflict) INTO note VALUES ('10')")
            }
        }
        let events = await home.session.stream.events()
        try await home.run(server) {
            try await home.duringHandler(server, 40) { server.say(1...40) }
            try await home.acknowledges(server)
        }
        #expect(try await notes(home) == (1...40).filter { $0 != 10 }.map(String.init))
        let handled = home.journal.all.dropFirst(2)
        #expect(handled.filter { $0 == "10" }.count == 3)
        #expect(handled.filter { $0 != "10" } == (1...40).filter { $0 != 10 }.map(String.init))
        await home.session.close()
        let deadLettered = await events.reduce(into: 0) { count, event in
            if case .incomingDeadLetter = event { count += 1 }
        }
        #expect(deadLettered == 1)
        #expect(server.binds == 1)
    }

    // MARK: Slow handlers, suspensions, ends of the process

    /// The stanzas before it commit, also when the process dies then. The next process does not repeat them.
    @Test func aSlowHandlerHoldsUpNoCommit() async throws {
        let home = try await household { $0.acknowledgements = .off }
        try await home.onMessage { [journal = home.journal] id, work in
            if id == "11" { await journal.waitDeafly(for: "end") }
            try Self.insert(id, work)
        }
        try await home.run(server) {
            try await home.duringHandler(server, 20) { server.say(1...20) }
            try await eventually("ten have committed") { try await notes(home).count == 10 }
            // Another process takes over, as after the death of this one.
            let second = try await household(home.folder)
            try await second.onMessage { try Self.insert($0, $1) }
            try await second.run(server) {
                try await eventually("the rest is handled") { try await notes(second).count == 20 }
                try await second.acknowledges(server)
            }
            #expect(second.journal.all == Self.lines(11...20))
            home.journal.note("end")
        }
        #expect(try await notes(home) == Self.lines(1...20))
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
        await running.stop()
    }

    @Test(arguments: [false, true]) func aSuspensionCommitsHandledStanzas(isInTime: Bool) async throws {
        let home = try await household()
        let journal = home.journal
        try await home.onMessage { id, work in
            if id == "11" { try await journal.wait(for: "return") }
            try Self.insert(id, work)
        }
        let running = await home.online(server)
        try await home.duringHandler(server, 20) { server.say(1...20) }
        try await home.notes("11")
        if isInTime { journal.note("return") }
        try await home.session.suspend(gracePeriod: isInTime ? .seconds(600) : .zero)
        _ = try await running.value
        let other = try await StanzaDatabase.open(at: home.folder.database)
        let committed = try await other.read { try String.fetchAll($0.db, sql: "SELECT text FROM note") }
        other.close()
        #expect(committed.prefix(10) == Self.lines(1...10)[...])
        if !isInTime { #expect(committed.count == 10) }
        journal.note("return")
        try await home.run(server) { try await home.acknowledges(server) }
        #expect(try await notes(home) == Self.lines(1...20))
    }

    // MARK: Reads of handlers

    @Test func aHandlerSeesTheChangesOfThoseBeforeIt() async throws {
        let home = try await household()
        try await home.session.on("/{jabber:client}message") { [database = home.database, journal = home.journal] in
            let count = try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM note") }
            journal.note("\(count ?? -1)")
            try Self.insert($0["id"], $1)
        }
        try await home.run(server) {
            try await home.duringHandler(server, 20) { server.say(1...20) }
            try await home.handles(21)
        }
        #expect(home.journal.all.dropFirst(2) == Self.lines(0...19)[...])
    }

    @Test func aRepetitionInTheSameBatchIsFound() async throws {
        let home = try await household(clock: SlowClock())
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, work in
            if try await work.isRepetition(stanza) { return journal.note("again") }
            try Self.insert(stanza.child("origin-id", namespace: .uri("urn:xmpp:sid:0"))?["id"], work)
        }
        try await home.run(server) {
            try await home.duringHandler(server, 40) {
                for id in Array(1...20) + Array(1...20) {
                    server.say(
                        "<message from='romeo@example.org'><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>")
                }
                statements.reset()
            }
            try await home.handles(41)
        }
        #expect(home.journal.all.filter { $0 == "again" }.count == 20)
        #expect(try await notes(home) == Self.lines(1...20))
        #expect(statements.commitsOfEffects < 10)
    }

    // MARK: Answers

    @Test func answersShareReadsAndCommits() async throws {
        let count = 50
        let home = try await household(clock: SlowClock())
        try await home.run(server) {
            for id in 1...count {
                try await home.request(
                    xml("<iq type='get' to='room@chat.example.org' id='\(id)'><query xmlns='u'/></iq>"))
            }
            try await home.duringHandler(server, count) {
                for id in 1...count { server.say("<iq type='result' from='room@chat.example.org' id='\(id)'/>") }
                statements.reset()
            }
            try await home.handles(count + 1)
            #expect(statements.commits <= 5)
        }
        #expect(home.journal.all.filter { $0 == "answered result" }.count == count)
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }
}
