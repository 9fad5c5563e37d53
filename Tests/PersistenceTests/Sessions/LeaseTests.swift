// Leases of sessions' owners that end early, late and never, and clocks that jump. Two databases with clocks of their
// own see each other as processes of two containers do.

import Foundation
import GRDB
import StreamManagement
import TestSupport
import Testing
import XMPPCore

@testable import Persistence

@Suite(.fewAtOnce) struct LeaseTests {
    private let place: TemporaryDatabase
    private let account: JID = "juliet@example.org"
    private let ours = ManualClock()
    private let theirs = ManualClock()
    private let one: StanzaDatabase
    private let other: StanzaDatabase

    init() async throws {
        place = try TemporaryDatabase()
        one = try await Self.open(place, ours)
        other = try await Self.open(place, theirs)
    }

    private static func open(_ place: TemporaryDatabase, _ clock: ManualClock) async throws -> StanzaDatabase {
        var options = StanzaDatabase.Options()
        options.clock = clock
        return try await place.open(options)
    }

    private var leaseTime: Duration { PersistenceLimits.leaseTime }

    /// The end of the stored lease.
    private func leaseEnd() async throws -> Double? {
        try await one.read { try Double.fetchOne($0.db, sql: "SELECT leaseEnd FROM stanza_sessionOwner") }
    }

    /// Opens the session for a process that this one cannot ask whether it still runs.
    private func open(_ database: StanzaDatabase, takingOver: Bool = false) async throws -> DatabaseSession {
        let session = try database.openSession(account, takingOver: takingOver)
        try await database.write { try $0.db.execute(sql: "UPDATE stanza_sessionOwner SET process = 'pid:[1] 5'") }
        return session
    }

    private func expectInUse() {
        #expect(throws: StorageError.inUse(account: account)) { try other.openSession(account) }
    }

    /// Another owner has the session now, and has all that the former one has stored.
    private func expectTakeover(from session: DatabaseSession) throws {
        try session.write([.append(.sample(1))])
        let next = try other.openSession(account)
        #expect(try next.load()?.pending == [.sample(1)])
        #expect(throws: StorageError.takenOver(account: account)) { try session.write([.remove]) }
        session.close()
        #expect(try next.load()?.pending == [.sample(1)])
        next.close()
    }

    // MARK: Renewal

    @Test func commitsRenewALeaseWhenAThirdHasPassed() async throws {
        let session = try await open(one)
        var ends: [Double?] = []
        for _ in 0..<4 {
            ours.advance(by: 2.5)
            try session.write([.handlingAttempts(1)])
            ends.append(try await leaseEnd())
        }
        #expect(ends == [15, 20, 20, 25])
        session.close()
        #expect(try await leaseEnd() == 0)
    }

    /// The owner does nothing, and its lease is renewed for longer than it lasts.
    @Test func theLeaseOfAnIdleSessionIsRenewed() async throws {
        let session = try await open(one)
        for number in 1...5 {
            // The tasks of the database wait for their times.
            try await ours.until { $0.sleeperCount == 2 }
            ours.advance(by: leaseTime / 3)
            theirs.advance(by: leaseTime / 3)
            try await eventually("it is renewed") { try await leaseEnd() == Double(15 + 5 * number) }
            expectInUse()
        }
        session.close()
        try other.openSession(account).close()
    }

    // MARK: Ends

    /// A frozen database renews no lease. It continues if no other owner has come in between, and renews the lease.
    @Test func aFrozenDatabaseLetsItsLeaseEnd() async throws {
        let session = try await open(one)
        try session.write([.append(.sample(1))])
        one.freeze()
        #expect(throws: StanzaDatabaseError.frozen) { try session.write([.remove]) }
        expectInUse()
        ours.advance(by: leaseTime)
        try await one.unfreeze()
        // At once, so that no other process takes the session of an owner that is back.
        try await eventually("the lease is renewed") { try await leaseEnd() == 30 }
        #expect(try session.load()?.pending == [.sample(1)])
        one.freeze()
        theirs.advance(by: leaseTime * 2)
        let next = try other.openSession(account)
        #expect(try next.load()?.pending == [.sample(1)])
        try await one.unfreeze()
        #expect(throws: StorageError.takenOver(account: account)) { try session.write([.remove]) }
        one.close()
        #expect(throws: StanzaDatabaseError.closed) { try session.load() }
        session.close()
        #expect(try next.load()?.pending == [.sample(1)])
    }

    /// The other clock is ahead, so the lease ends while its owner works.
    @Test func aLeaseThatEndsEarlyCostsATakeover() async throws {
        let session = try await open(one)
        theirs.advance(by: leaseTime - .milliseconds(1))
        expectInUse()
        theirs.advance(by: .milliseconds(1))
        try expectTakeover(from: session)
    }

    /// A process that is too busy to renew the lease knows that it still has the session.
    @Test func noLeaseEndsWithinAProcess() throws {
        let session = try one.openSession(account)
        theirs.advance(by: leaseTime * 2)
        expectInUse()
        session.close()
        try other.openSession(account).close()
    }

    @Test func theLeaseOfAProcessThatHasEndedDoesNotHold() async throws {
        let probe = try Probe(place.path, "own", account.description)
        while try await probe.line() != "owning" {}
        probe.send(SIGKILL)
        _ = await probe.finish()
        try other.openSession(account, takingOver: false).close()
    }

    /// The owner's clock was ahead: its lease would end in years, or never.
    @Test(arguments: ["1e9", "9e999", "-9e999"]) func noLeaseHoldsForLongerThanALease(end: String) async throws {
        let session = try await open(one)
        try await one.write { try $0.db.execute(sql: "UPDATE stanza_sessionOwner SET leaseEnd = \(end)") }
        let next = try other.openSession(account)
        #expect(throws: StorageError.takenOver(account: account)) { try session.load() }
        next.close()
    }

    @Test func aClockThatWentBackwardsDelaysNobody() async throws {
        ours.advance(by: 1000)
        let session = try await open(one)
        // The owner notices, too, and has a lease by the new time.
        ours.advance(by: -1000)
        try session.write([.handlingAttempts(1)])
        expectInUse()
        theirs.advance(by: leaseTime)
        try expectTakeover(from: session)
    }

    @Test func theLeaseOfAnotherBootDoesNotHold() async throws {
        let session = try await open(one)
        theirs.restart(at: theirs.date, uptime: 0)
        try expectTakeover(from: session)
    }

    @Test func withoutTheIdentityOfABootTheUptimeDecides() async throws {
        for clock in [ours, theirs] { clock.hideBoots() }
        let session = try await open(one)
        expectInUse()
        theirs.advance(by: leaseTime)
        try expectTakeover(from: session)
    }

    // MARK: Random runs

    /// Random leases and clocks: one owner can write at a time, and its stanzas stay.
    @Test func noClockLosesData() async throws {
        var random = SeededGenerator(salt: 7)
        let databases = [(one, ours), (other, theirs)]
        // An uptime is never negative: that would be before the end of a lease that was given up.
        for (_, clock) in databases { clock.advance(by: 10_000.0) }
        var sessions: [DatabaseSession?] = [nil, nil]
        var isFrozen = [false, false]
        var owner: Int?
        var written: [OutgoingStanza] = []
        for step in 0..<2000 {
            let place = Int.random(in: 0...1, using: &random)
            let (database, clock) = databases[place]
            let comment: Comment = "step \(step), seed \(SeededGenerator.seed)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                guard let session = sessions[place] else { continue }
                let stanza = OutgoingStanza.sample(UInt64(step))
                let result = Result { try session.write([.append(stanza)]) }
                let isWritten = if case .success = result { true } else { false }
                #expect(isWritten == (owner == place && !isFrozen[place]), comment)
                if isWritten { written.append(stanza) }
            case 4, 5:
                let takesOver = Bool.random(using: &random)
                guard let session = try? await open(database, takingOver: takesOver) else {
                    #expect(isFrozen[place] || !takesOver && owner != nil, comment)
                    continue
                }
                #expect(try session.load()?.pending ?? [] == written, comment)
                (sessions[place], owner) = (session, place)
            case 6: clock.advance(by: Double.random(in: -20...20, using: &random))
            case 7: clock.restart(at: clock.date, uptime: .random(in: 10_000...10_100, using: &random))
            case 8:
                if isFrozen[place] { try await database.unfreeze() } else { database.freeze() }
                isFrozen[place].toggle()
            default:
                guard let session = sessions[place] else { continue }
                session.close()
                sessions[place] = nil
                // What a frozen database cannot give up, its lease does.
                if owner == place, !isFrozen[place] { owner = nil }
            }
        }
        #expect(written.count > 50)
        for (database, _) in databases { try await database.unfreeze() }
        #expect(try one.openSession(account, takingOver: true).load()?.pending == written)
    }
}
