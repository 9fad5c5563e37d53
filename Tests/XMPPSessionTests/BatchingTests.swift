// Stanzas that come while a transaction commits share the next one.

import Foundation
import GRDB
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct BatchingTests {
    let folder: TemporaryFolder
    let server = FakeServer()
    let statements = Statements()

    init() throws { folder = try TemporaryFolder() }

    /// A process with a table of notes, whose transactions are counted.
    func household(
        takingOver: Bool = false, clock: any SessionClock = SystemClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> Household {
        var options = StanzaDatabase.Options()
        options.statementObserver = { [statements] in statements.pass($0) }
        var configuration = StreamManagementConfiguration.patient
        change(&configuration)
        let home = try await Household(
            folder, takingOver: takingOver, configuration: configuration, options: options, clock: clock)
        try await home.database.write {
            try $0.database.execute(sql: "CREATE TABLE IF NOT EXISTS note (text TEXT NOT NULL UNIQUE)")
        }
        return home
    }

    static func insert(_ text: String?, _ work: StanzaWork) throws {
        try work.database.add {
            try $0.database.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
        }
    }

    func notes(_ home: Household) async throws -> [String] {
        try await home.database.read { try String.fetchAll($0.database, sql: "SELECT text FROM note ORDER BY rowid") }
    }

    func say(_ ids: ClosedRange<Int>, _ type: String = "message") {
        for id in ids { server.say("<\(type) id='\(id)'/>") }
    }

    func expectAcknowledged(_ home: Household) async throws {
        try await eventually("the server has all acknowledgements") {
            try? await home.session.stream.sendAcknowledgement()
            return server.unacknowledgedCount == 0
        }
    }

    /// Stanzas with these ids wait until the handler of an earlier stanza returns.
    func sayDuringHandler(
        _ ids: ClosedRange<Int>, _ session: DurableSession, _ journal: Journal
    ) async throws {
        server.say("<presence id='first'/>")
        try await eventually("the first handler runs") { journal.all.contains("waiting") }
        say(ids)
        // The session receives no more than it may leave unhandled.
        try await eventually("they have arrived") {
            await session.waitingCount >= min(ids.count, 900)
        }
        journal.note("go on")
    }

    func holdPresence(_ session: DurableSession, _ journal: Journal) async throws {
        try await session.on("/{jabber:client}presence") { _, _ in
            journal.note("waiting")
            await journal.waitDeafly(for: "go on")
        }
    }

    // MARK: The number of commits

    @Test(arguments: [500, 2000]) func waitingStanzasShareCommits(count: Int) async throws {
        let home = try await household(clock: SlowClock())
        try await home.session.on("/{jabber:client}message") { stanza, work in
            try Self.insert(stanza["id"], work)
            try work.send(xml("<message to='romeo@example.org' id='re-\(stanza["id"] ?? "")'/>"))
        }
        try await holdPresence(home.session, home.journal)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            statements.reset()
            try await sayDuringHandler(1...count, home.session, home.journal)
            try await eventually("all are handled") { server.stanzas.count == count }
        }
        #expect(statements.commitsOfEffects * 20 <= count)
        #expect(try await notes(home) == (1...count).map(String.init))
        #expect(server.stanzas.map { $0["id"] } == (1...count).map { "re-\($0)" })
    }

    @Test func aSingleStanzaIsOneCommit() async throws {
        let home = try await household { $0.acknowledgements = .off }
        try await home.session.on("/{jabber:client}message") { try Self.insert($0["id"], $1) }
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            for id in 1...10 {
                statements.reset()
                say(id...id)
                try await eventually("it is handled") { await home.session.stream.isAllHandled(id) }
                #expect(statements.commits == 1)
            }
        }
    }

    // MARK: Failures

    /// Handlers that have returned do not run again because a later handler fails.
    @Test func aHandlerThatFailsRepeatsNoHandlerBeforeIt() async throws {
        let home = try await household { $0.maximumHandlingAttempts = 3 }
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, _ in
            journal.note(stanza["id"] ?? "")
            if stanza["id"] == "5" { throw Household.Failure() }
        }
        try await holdPresence(session, journal)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            try await sayDuringHandler(1...8, session, journal)
            try await expectAcknowledged(home)
        }
        #expect(journal.all.dropFirst(2) == ["1", "2", "3", "4", "5", "5", "5", "6", "7", "8"])
    }

    // MARK: Slow handlers, suspensions, ends of the process

    /// The stanzas before it commit, also when the process dies then.
    @Test func aSlowHandlerHoldsUpNoCommit() async throws {
        let home = try await household { $0.acknowledgements = .off }
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, work in
            if stanza["id"] == "11" { await journal.waitDeafly(for: "end") }
            try Self.insert(stanza["id"], work)
        }
        try await holdPresence(session, journal)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            try await sayDuringHandler(1...20, session, journal)
            try await eventually("ten have committed") { try await notes(home).count == 10 }
            // Another process takes over, as if this one had died.
            let second = try await household(takingOver: true)
            try await second.session.on("/{jabber:client}message") { try Self.insert($0["id"], $1) }
            try await second.run(server) {
                try await eventually("the rest is handled") { try await notes(second).count == 20 }
                try await expectAcknowledged(second)
            }
            journal.note("end")
        }
        #expect(try await notes(home) == (1...20).map(String.init))
    }

    @Test(arguments: [false, true]) func aSuspensionCommitsWhatWasHandled(isInTime: Bool) async throws {
        let home = try await household()
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, work in
            if stanza["id"] == "11", !journal.all.contains("again") {
                journal.note("eleven")
                while !journal.all.contains("return") { try await Task.sleep(for: .milliseconds(2)) }
            }
            try Self.insert(stanza["id"], work)
        }
        try await holdPresence(session, journal)
        let running = home.start(server)
        try await eventually("the session runs") { await session.stream.state == .enabled }
        try await sayDuringHandler(1...20, session, journal)
        try await eventually("the handler runs") { journal.all.contains("eleven") }
        if isInTime { journal.note("return") }
        try await session.suspend(deadline: isInTime ? .seconds(600) : .zero)
        _ = try await running.value
        let other = try await StanzaDatabase.open(at: folder.database)
        let committed = try await other.read { try String.fetchAll($0.database, sql: "SELECT text FROM note") }
        other.close()
        #expect(committed.prefix(10) == (1...10).map(String.init)[...])
        if !isInTime { #expect(committed.count == 10) }
        journal.note("again")
        try await home.run(server) { try await expectAcknowledged(home) }
        #expect(try await notes(home) == (1...20).map(String.init))
    }

    // MARK: Reads of handlers

    @Test func aHandlerSeesTheChangesOfThoseBeforeIt() async throws {
        let home = try await household()
        let (session, journal, database) = (home.session, home.journal, home.database)
        try await session.on("/{jabber:client}message") { stanza, work in
            let count = try await database.read { try Int.fetchOne($0.database, sql: "SELECT count(*) FROM note") }
            journal.note("\(count ?? -1)")
            try Self.insert(stanza["id"], work)
        }
        try await holdPresence(session, journal)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            try await sayDuringHandler(1...20, session, journal)
            try await eventually("all are handled") { await session.stream.isAllHandled(21) }
        }
        #expect(journal.all.dropFirst(2) == (0..<20).map(String.init)[...])
    }

    @Test func aRepetitionInTheSameBatchIsFound() async throws {
        let home = try await household(clock: SlowClock())
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, work in
            if try await work.isRepetition(stanza) { return journal.note("again") }
            try Self.insert(stanza.child("origin-id", namespace: .uri("urn:xmpp:sid:0"))?["id"], work)
        }
        try await holdPresence(session, journal)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.say("<presence/>")
            try await eventually("the first handler runs") { journal.all == ["waiting"] }
            for id in Array(1...20) + Array(1...20) {
                server.say(
                    "<message from='romeo@example.org'><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>")
            }
            statements.reset()
            journal.note("go on")
            try await eventually("all are handled") { await session.stream.isAllHandled(41) }
        }
        #expect(journal.all.filter { $0 == "again" }.count == 20)
        #expect(try await notes(home) == (1...20).map(String.init))
        #expect(statements.commitsOfEffects < 10)
    }

    // MARK: Answers

    @Test func answersShareReadsAndCommits() async throws {
        let count = 100
        let home = try await household(clock: SlowClock())
        try await holdPresence(home.session, home.journal)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            for id in 1...count {
                let iq = xml("<iq type='get' to='room@chat.example.org' id='\(id)'><query xmlns='u'/></iq>")
                try await home.session.request(iq, handler: home.handler(), timeout: nil)
            }
            server.say("<presence/>")
            try await eventually("the first handler runs") { home.journal.all.contains("waiting") }
            for id in 1...count { server.say("<iq type='result' from='room@chat.example.org' id='\(id)'/>") }
            statements.reset()
            home.journal.note("go on")
            try await eventually("all are handled") { await home.session.stream.isAllHandled(count + 1) }
            #expect(statements.commits <= 5)
        }
        #expect(home.journal.all.filter { $0 == "answered result" }.count == count)
        #expect(try await home.requests() == [])
        #expect(try await home.database.handlers() == [])
    }

    /// The last answer ends the handler, so the batch has to know which answer is the last.
    @Test func answersOfOneHandlerEndItWithTheLast() async throws {
        let home = try await household()
        let handler = try home.handler("Test|once")
        try await holdPresence(home.session, home.journal)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            for id in 1...3 {
                let iq = xml("<iq type='get' to='room@chat.example.org' id='\(id)'><query xmlns='u'/></iq>")
                try await home.session.request(iq, handler: handler, timeout: nil)
            }
            server.say("<presence/>")
            try await eventually("the first handler runs") { home.journal.all.contains("waiting") }
            for id in 1...3 { server.say("<iq type='result' from='room@chat.example.org' id='\(id)'/>") }
            home.journal.note("go on")
            try await eventually("all are handled") { await home.session.stream.isAllHandled(4) }
        }
        #expect(home.journal.all.filter { $0 == "once result" }.count == 3)
        #expect(handler.mark == .called)
        #expect(try await home.database.handlers() == [])
    }
}
