// Tests of the database only: it outlives processes, notices their ends, can be damaged, and commits other changes
// together with a session.

import Foundation
import GRDB
import Handlers
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite(.fewAtOnce) struct DatabaseSessionTests {
    /// A request with a handler is not invalidated any more, and the promise of one without a handler is rejected.
    @Test func aRemovedAccountLeavesNoRows() async throws {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(Int.self)
        let accounts: [JID] = ["juliet@example.org", "romeo@example.org"]
        for account in accounts {
            let session = try database.openSession(account)
            try session.write([.replace(StoredSession(handlingAttempts: 1))])
            session.close()
            try await database.setStrongestMechanism("SCRAM-SHA-256", of: account)
            try await database.write { transaction in
                try transaction.sessions.noteHandled("id", from: "example.org", of: account, at: Date())
                try transaction.sessions.hold(.sample("<message/>"), of: account, at: Date())
                let id = withUnsafeBytes(of: promise.id.uuid) { Data($0) }
                for kind in account == accounts[0] ? ["promise", "iq"] : ["promised-answer"] {
                    let request = StoredRequest(id: kind, recipient: nil, kind: kind, handler: id)
                    #expect(try transaction.requests.add(request, of: account))
                }
            }
        }
        try await database.write { try $0.sessions.removeAccount(accounts[0]) }
        let rejection = PromiseRejection(
            code: "account-removed", message: "account-removed", account: "juliet@example.org")
        await #expect(throws: rejection) { try await promise.value }
        for table in ["request", "session", "sessionOwner", "held", "handled", "mechanism"] {
            let left = try await database.read {
                try String.fetchAll($0.db, sql: "SELECT account FROM stanza_\(table)")
            }
            #expect(left == ["romeo@example.org"], "\(table)")
        }
    }

    private let place: TemporaryDatabase
    private let account: JID = "juliet@example.org"

    init() throws { place = try TemporaryDatabase() }

    @Test func anOwnerInAnotherProcessReceivesTheTakeover() async throws {
        let database = try await place.open()
        let probe = try Probe(place.path, "own", account.description)
        while try await probe.line() != "owning" {}
        probe.write("\n")
        #expect(try await probe.line() == "written")
        let session = try database.openSession(account, takingOver: true)
        probe.write("\n")
        #expect(try await probe.line() == StorageError.takenOver(account: account).description)
        // The process is alive, but does not own the session any more.
        session.close()
        #expect(throws: Never.self) { try database.openSession(account).close() }
        probe.send(SIGKILL)
        _ = await probe.finish()
    }

    /// A process checks after each change whether it still owns its session.
    @Test(.timeLimit(.minutes(60))) func aTakeoverIsAChange() async throws {
        let (one, other) = (try await place.open(), try await place.open())
        let session = try one.openSession(account)
        let changes = one.changes()
        let next = try other.openSession(account, takingOver: true)
        let failure = await #expect(throws: StorageError.self) { for await _ in changes { _ = try session.load() } }
        #expect(failure == .takenOver(account: account))
        next.close()
    }

    @Test func aSessionWithoutAnOwnerIsFree() async throws {
        let (one, other) = (try await place.open(), try await place.open())
        do { _ = try one.openSession(account) }
        #expect(throws: Never.self) { try other.openSession(account).close() }
    }

    @Test(arguments: [
        ("stanza_session", "handledByClient = -1"), ("stanza_session", "handledByServer = 4294967296"),
        ("stanza_session", "resumptionID = ''"), ("stanza_session", "maximum = -1"),
        ("stanza_session", "location = '///'"), ("stanza_outgoing", "element = x''"),
        ("stanza_outgoing", "element = CAST('<message><body>' AS BLOB)"), ("stanza_outgoing", "element = x'ff00'"),
        ("stanza_outgoing", "element = zeroblob(5000000)"),
    ])
    func rowsThatNoSessionWroteAreErrors(table: String, change: String) async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        let resumption = ResumptionID("s1").map { Resumption(id: $0, maximum: 60) }
        try session.write([.replace(StoredSession(resumption: resumption, pending: [.sample(1)]))])
        try await database.write {
            try $0.db.execute(sql: "UPDATE \(table) SET \(change)")
        }
        #expect(throws: StanzaDatabaseError.invalidRecord(table: table)) { try session.load() }
        // An unreadable session can be removed.
        let account = account
        #expect(try await database.write { try $0.sessions.accounts() } == [account])
        try await database.write { try $0.sessions.remove(account) }
        #expect(try session.load() == nil)
        #expect(try await database.write { try $0.sessions.accounts() } == [])
    }

    @Test func numbersThatNoSessionCountsToAreNoTrap() async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try session.write([.append(.sample(1))])
        try await database.write {
            try $0.db.execute(sql: "UPDATE stanza_outgoing SET number = -5, position = 9223372036854775807")
        }
        #expect(try session.load()?.pending.map(\.number.rawValue) == [UInt64.max - 4])
        #expect(throws: StanzaDatabaseError.self) { try session.write([.append(.sample(2))]) }
        try session.write([.acknowledge(.zero, count: 1), .append(.sample(2))])
        #expect(try session.load()?.pending == [.sample(2)])
    }
}
