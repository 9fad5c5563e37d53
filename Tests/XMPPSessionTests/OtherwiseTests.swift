// Stanzas that no route takes.

import Foundation
import GRDB
import Handlers
import Locking
import Persistence
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct OtherwiseTests {
    private let server = FakeServer()
    private static let iq = "<iq type='get' id='q' from='romeo@example.org'><q xmlns='urn:x'/></iq>"

    @Test func aSessionDoesNotRunWithoutIt() async throws {
        let folder = try TemporaryFolder()
        let database = try await StanzaDatabase.open(at: folder.database)
        let session = try await DurableSession(
            account: Household.account, database: database, registry: HandlerRegistry(handlers: []),
            configuration: .patient)
        await #expect(throws: RouteError.otherwiseIsMissing) { try await session.run(connecting: server) }
        #expect(server.binds == 0)
        await session.otherwise(.ignore)
        let running = await session.online { [server] in try await session.run(connecting: server) }
        #expect(server.binds == 1)
        await running.stop()
    }

    /// The stanzas of these events.
    private func unrouted(of home: Household, _ count: Int, _ body: () async throws -> Void) async throws -> [String?] {
        let events = await home.session.stream.events()
        try await body()
        var found: [String?] = []
        for await event in events {
            if case .notRouted(let stanza) = event { found.append(stanza["id"]) }
            if found.count == count { break }
        }
        return found
    }

    @Test func stanzasThatNoRouteTakesAreReported() async throws {
        let lines = LoggedLines()
        let home = try await Household(logger: lines.logger)
        try await home.session.on("/{jabber:client}message/body") { _, _ in }
        try await home.run(server) {
            let found = try await unrouted(of: home, 2) {
                server.say("<message id='taken'><body>hi</body></message>")
                server.say("<presence id='p'/>")
                server.say(Self.iq)
                try await server.receives(1)
            }
            #expect(found == ["p", "q"])
        }
        let texts = lines.all.map(\.text)
        #expect(texts.contains("no route takes a stanza: it is ignored stanza=presence type="))
        #expect(texts.contains("no route takes a request: it is refused stanza=iq type=get"))
        #expect(server.stanzas.map { StanzaError($0)?.condition } == ["service-unavailable"])
        #expect(try await home.database.read { try $0.sessions.heldStanzas(of: Household.account) } == [])
    }

    /// Without a commit, the session handles the stanza again.
    @Test func aStanzaThatCouldNotBeHeldIsReportedOnce() async throws {
        let lines = LoggedLines()
        let home = try await Household(logger: lines.logger)
        await home.session.otherwise(.hold)
        func allow(_ pages: Int) async throws {
            try await home.database.write { try $0.db.execute(sql: "PRAGMA max_page_count = \(pages)") }
        }
        let text = String(repeating: "x", count: 100_000)
        let found = try await unrouted(of: home, 2) {
            let first = await home.online(server)
            try await allow(1)
            server.say("<message id='large' from='romeo@example.org'><body>\(text)</body></message>")
            try await eventually("it is not stored") {
                lines.all.contains { $0.text.contains("changes are not committed") }
            }
            // The next run gets the stanza again.
            try? await home.session.suspend(gracePeriod: .zero, storingTime: .milliseconds(100), freezing: false)
            _ = try? await first.value
            try await allow(1_000_000)
            try await home.run(server) {
                server.say("<message id='last' from='romeo@example.org'/>")
                try await home.acknowledges(server)
            }
        }
        #expect(found == ["large", "last"])
    }

    /// The server does not send it again, and later stanzas do not wait.
    @Test func aHeldStanzaGoesToTheRouteOfALaterProgram() async throws {
        let old = try await Household()
        await old.session.otherwise(.hold)
        try await old.run(server) {
            for id in 1...3 { server.say("<message id='\(id)' from='romeo@example.org'><body>hi</body></message>") }
            server.say("<presence id='4'/>")
            server.say(Self.iq)
            try await old.handles(5)
            try await old.acknowledges(server)
        }
        #expect(try await held(old) == ["1", "2", "3", "4"])

        for run in 1...2 {
            let home = try await Household(old.folder)
            try await home.onMessage { id, work in
                if id == "2", run == 1 { throw Household.Failure() }
                try work.send(xml("<message id='re-\(id)'/>"))
            }
            try await home.run(server) {
                try await server.receives(run == 1 ? "re-3" : "re-2")
                try await eventually("they are not held any more") { try await held(home).count == (run == 1 ? 2 : 1) }
            }
            // The one that failed stays, and so does the one without a route.
            #expect(home.journal.all == (run == 1 ? ["1", "2", "3"] : ["2"]))
            #expect(try await held(home) == (run == 1 ? ["2", "4"] : ["4"]))
        }
        #expect(server.ids.filter { $0 != "q" } == ["re-1", "re-3", "re-2"])
    }

    /// A stranger's stanza must not end each process of the app.
    @Test(arguments: [false, true]) func aHeldStanzaThatEndsProcessesIsSetAside(isLastAttempt: Bool) async throws {
        let old = try await Household()
        await old.session.otherwise(.hold)
        try await old.run(server) {
            for id in 1...2 { server.say("<message id='\(id)' from='romeo@example.org'/>") }
            try await old.handles(2)
        }
        // As processes leave it that end while they handle the first one.
        let maximum = StreamManagementConfiguration().maximumHandlingAttempts
        try await old.database.write {
            try $0.db.execute(
                sql: "UPDATE stanza_held SET attempts = ? WHERE number = 1",
                arguments: [isLastAttempt ? maximum - 1 : maximum])
        }
        let home = try await Household(old.folder)
        let attempts = { @Sendable [database = home.database] in
            try await database.read { try Int.fetchAll($0.db, sql: "SELECT attempts FROM stanza_held ORDER BY number") }
        }
        let journal = home.journal
        try await home.session.on("/{jabber:client}message") { stanza, _ in
            journal.note("\(stanza["id"] ?? "") \(try await attempts())")
            throw Household.Failure()
        }
        try await home.run(server) {
            try await journal.wait(for: "2 [\(isLastAttempt ? 0 : maximum), 1]")
            try await eventually("the process has survived it") { try await attempts().last == 0 }
        }
        // An attempt is stored before it begins. One that fails does not end the process.
        #expect(journal.all.count == (isLastAttempt ? 2 : 1))
        if isLastAttempt { #expect(journal.all.first == "1 [\(maximum), 0]") }
        #expect(try await attempts() == [isLastAttempt ? 0 : maximum, 0])
    }

    /// Suspending ends no process, also if the handler ignores its cancellation.
    @Test func aSuspensionIsNoFailedAttempt() async throws {
        let home = try await Household()
        try await home.database.write {
            try $0.sessions.hold(xml("<message id='1'/>"), of: Household.account, at: Date())
        }
        let journal = home.journal
        try await home.onMessage { _, _ in await journal.waitDeafly(for: "go on") }
        for run in 1...2 {
            let running = await home.online(server)
            try await journal.wait(for: run)
            try await home.session.suspend(gracePeriod: .zero)
            _ = try await running.value
        }
        try await home.database.unfreeze()
        let attempts = try await home.database.read { try Int.fetchAll($0.db, sql: "SELECT attempts FROM stanza_held") }
        #expect(attempts == [0])
        journal.note("go on")
    }

    /// Each run offers it again.
    @Test func aHeldStanzaThatIsNotTakenChangesNothing() async throws {
        let home = try await Household()
        let message = "<message from='romeo@example.org'><origin-id xmlns='urn:xmpp:sid:0' id='o'/></message>"
        try await home.database.write { try $0.sessions.hold(xml(message), of: Household.account, at: Date()) }
        let journal = home.journal
        await home.session.otherwise(
            .handOver { stanza, work in
                journal.note("\(try await work.isRepetition(stanza))")
                try work.send(xml("<message id='reply'/>"))
                return false
            })
        for run in 1...2 {
            try await home.run(server) {
                try await journal.wait(for: run)
                try await eventually("the attempt is over") {
                    try await home.database.read {
                        try Int.fetchOne($0.db, sql: "SELECT attempts FROM stanza_held") == 0
                    }
                }
                try await home.session.send(xml("<message id='\(run)'/>"))
                try await server.receives("\(run)")
            }
        }
        #expect(journal.all == ["false", "false"])
        #expect(server.ids == ["1", "2"])
    }

    /// Rows that are damaged do not hide the others.
    @Test func unreadableRowsAreLeftOut() async throws {
        let home = try await Household()
        try await home.database.write { transaction in
            for _ in 1...64 {
                try transaction.db.execute(
                    sql: "INSERT INTO stanza_held (account, element, held) VALUES (?, x'FF', 0)",
                    arguments: [Household.account.description])
            }
            try transaction.sessions.hold(xml("<message id='1'/>"), of: Household.account, at: Date())
        }
        #expect(try await held(home) == ["1"])
    }

    private func held(_ home: Household) async throws -> [String?] {
        try await home.database.read { try $0.sessions.heldStanzas(of: Household.account).map { $0.element["id"] } }
    }

    /// A stranger can send any number. A stanza of 750,000 bytes takes six times as many in its row.
    @Test(arguments: [
        (PersistenceLimits.heldStanzas, 1, ""), (1, PersistenceLimits.heldStanzaBytes, ""),
        (0, 0, String(repeating: "\"", count: 750_000)),
    ])
    func aStanzaThatCannotBeHeldIsADeadLetter(count: Int, size: Int, text: String) async throws {
        let home = try await Household()
        await home.session.otherwise(.hold)
        try await home.database.write { transaction in
            for _ in 0..<count {
                try transaction.db.execute(
                    sql: "INSERT INTO stanza_held (account, element, held) VALUES (?, zeroblob(?), 0)",
                    arguments: [Household.account.description, size])
            }
        }
        try await home.run(server) {
            let events = await home.session.stream.events()
            server.say("<message id='1' a='\(text)'/>")
            for await case .incomingDeadLetter(let stanza, let attempts, let error) in events {
                #expect(stanza["id"] == "1" && attempts == 1)
                #expect(error?.error as? RouteError == .tooManyHeldStanzas)
                break
            }
            try await home.handles(1)
        }
        let left = try await home.database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM stanza_held") }
        #expect(left == count)
    }

    @Test func theRestCanBeHandedOver() async throws {
        let home = try await Household()
        let journal = home.journal
        try await home.session.on("/{jabber:client}message/body") { _, _ in journal.note("routed") }
        await home.session.otherwise(
            .handOver { stanza, _ in
                journal.note("\(stanza.name) \(stanza["id"] ?? "")")
                return stanza["id"] != "2"
            })
        try await home.run(server) {
            let found = try await unrouted(of: home, 1) {
                server.say("<message><body>hi</body></message>")
                server.say(Self.iq)
                server.say("<presence id='1'/>")
                server.say("<presence id='2'/>")
                try await home.handles(4)
            }
            #expect(found == ["2"])
        }
        #expect(journal.all == ["routed", "iq q", "presence 1", "presence 2"])
        // A handler can take the rest, too.
        await home.session.otherwise(.handOver(try home.handler("Test|once")))
        try await home.run(server) {
            server.say("<iq type='set' id='1'/>")
            try await home.notes("once set")
        }
        #expect(server.stanzas == [])
    }

    @Test("RFC 6120 §8.2.3: an iq without a defined type is a bad request", arguments: ["", "type='GET'", "type='x'"])
    func badRequests(type: String) async throws {
        let home = try await Household()
        let journal = home.journal
        try await home.session.on("/{jabber:client}iq") { _, _ in journal.note("routed") }
        try await home.run(server) {
            server.say("<iq \(type) id='1' from='romeo@example.org'><q xmlns='urn:x'/></iq>")
            try await server.receives("1")
        }
        let reply = try #require(server.stanzas.first)
        #expect(StanzaError(reply)?.condition == "bad-request" && reply["to"] == "romeo@example.org")
        #expect(journal.all == [])
    }
}
