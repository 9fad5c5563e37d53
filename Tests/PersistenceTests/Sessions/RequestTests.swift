// Requests in the database: those that are lost with a session, and changes that commit with a stanza's handled mark.

import Foundation
import GRDB
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite(.fewAtOnce) struct RequestTests {
    private let place: TemporaryDatabase
    private let account: JID = "juliet@example.org"

    init() throws { place = try TemporaryDatabase() }

    private func request(_ id: String, deadline: Date? = nil) -> StoredRequest {
        StoredRequest(id: id, recipient: "romeo@example.org", kind: "iq", handler: Data([7]), deadline: deadline)
    }

    private func add(_ ids: String..., to database: StanzaDatabase) async throws {
        let requests = ids.map { request($0) }
        try await database.write { [account] transaction in
            for request in requests {
                let isNew = try transaction.requests.add(request, of: account)
                #expect(isNew)
            }
        }
    }

    private func lost(_ database: StanzaDatabase) async throws -> [String] {
        try await database.read { [account] in try $0.requests.lost(of: account).map(\.id).sorted() }
    }

    private func stored(
        _ resumption: String?, waiting ids: String..., acknowledged: StanzaCounter = .zero
    ) -> StorageChange {
        let pending = ids.enumerated().map { number, id in
            OutgoingStanza(
                number: OutgoingNumber(rawValue: UInt64(number) + 1), id: StanzaID(rawValue: id),
                element: .sample("<iq id='\(id)' type='get'/>"), firstSent: nil, isSent: false)
        }
        return .replace(
            StoredSession(
                resumption: resumption.flatMap { ResumptionID($0) }.map { Resumption(id: $0) },
                handledByServer: acknowledged, pending: pending))
    }

    @Test func requestsEndWithTheSessionThatTheyWereSentIn() async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try await add("early", to: database)
        // It joins the session that begins on its stream.
        try session.write([stored("s1")])
        try await add("late", "waiting", to: database)
        try session.write([.lastDisconnect(Date()), .acknowledge(.zero, count: 0), stored("s1")])
        #expect(try await lost(database) == [])
        try session.write([stored(nil, waiting: "waiting")])
        #expect(try await lost(database) == ["early", "late"])
        // The waiting request continues in the next session, and ends with it.
        try session.write([stored("s2", waiting: "waiting")])
        #expect(try await lost(database) == ["early", "late"])
        try session.write([.acknowledge(StanzaCounter(rawValue: 1), count: 1)])
        #expect(try await lost(database) == ["early", "late"])
        try session.write([.remove])
        #expect(try await lost(database) == ["early", "late", "waiting"])
    }

    @Test("A request ends with a stanza that the session gives up, and not with one that the server has acknowledged")
    func requestsOfDeadLettersEnd() async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try await add("acknowledged", "given up", "kept", to: database)
        try session.write([stored("s1", waiting: "acknowledged", "given up", "kept")])
        #expect(try await lost(database) == [])
        // A store that coalesces changes may not have seen the acknowledgement before.
        let one = StanzaCounter(rawValue: 1)
        try session.write([stored("s1", waiting: "kept", acknowledged: one)])
        #expect(try await lost(database) == ["given up"])
        try session.write([.acknowledge(one.advanced(by: 1), count: 1)])
        try session.write([stored("s1", acknowledged: one.advanced(by: 1))])
        #expect(try await lost(database) == ["given up"])
    }

    @Test("A request that waited for a session ends with its stanza, too", arguments: [nil, "s1"])
    func requestsOfDeadLettersWithoutSessionEnd(next: String?) async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try await add("given up", "kept", to: database)
        // The count of an earlier session means nothing.
        let earlier = StanzaCounter(rawValue: 7)
        try session.write([stored(nil, waiting: "given up", "kept", acknowledged: earlier)])
        try session.write([stored(next, waiting: "kept")])
        #expect(try await lost(database) == ["given up"])
    }

    @Test func withoutAResumableSessionRequestsEndWithTheirStream() async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try session.write([stored(nil, waiting: "waiting")])
        try await add("sent", "waiting", to: database)
        try await database.write { [account] in try $0.requests.lose(of: account, sentIn: nil) }
        #expect(try await lost(database) == ["sent"])
        #expect(try await database.read { try $0.requests.requests(of: "romeo@example.org") } == [])
    }

    @Test func requestsOfASessionThatIsForgottenEnd() async throws {
        let database = try await place.open()
        let session = try database.openSession(account)
        try session.write([stored("s1", waiting: "waiting")])
        try await add("sent", "waiting", to: database)
        try await database.write { [account] in try $0.sessions.remove(account) }
        #expect(try await lost(database) == ["sent", "waiting"])
    }

    @Test func oneOfSeveralEndsARequest() async throws {
        let database = try await place.open()
        try await add("q", to: database)
        let ended = try await database.write { [account] transaction in
            let serial = try #require(try transaction.requests.request("q", of: account)?.serial)
            return try [serial + 1, serial, serial].map { try transaction.requests.remove($0) }
        }
        #expect(ended == [false, true, false])
    }

    /// The process that has read the request before must not end it: its answer is in the row.
    @Test func onlyARetryEndsADeferredRequest() async throws {
        let database = try await place.open()
        try await add("q", to: database)
        try await database.write { [account] transaction in
            let request = try #require(try transaction.requests.request("q", of: account))
            #expect(try transaction.requests.remove(request.serial))
            try transaction.requests.deferRequest(
                request, because: .answered, answer: nil, reason: "unknown", of: account, at: Date())
            #expect(try transaction.requests.request(serial: request.serial) == nil)
            #expect(try !transaction.requests.remove(request.serial))
            #expect(try transaction.requests.deferred(of: account).count == 1)
        }
    }

    @Test func aSerialIsNeverUsedAgain() async throws {
        let database = try await place.open()
        try await add("q", to: database)
        let first = try await database.write { [account] transaction in
            let first = try #require(try transaction.requests.request("q", of: account)?.serial)
            #expect(try transaction.requests.request(serial: first) != nil)
            _ = try transaction.requests.remove(first)
            #expect(try transaction.requests.request(serial: first) == nil)
            return first
        }
        // Also when the table was empty, the `id` is the same, and another process asks.
        try await add("q", to: try await place.open())
        let second = try await database.read { [account] in try $0.requests.request("q", of: account)?.serial }
        #expect(try #require(second) > first)
        #expect(try await database.write { try $0.requests.remove(first) } == false)
    }

    /// The rows of requests, as they were before they were stored.
    private func withoutSerials(_ requests: [StoredRequest]) -> [StoredRequest] {
        requests.map { request in
            #expect(request.serial > 0)
            return StoredRequest(
                id: request.id, recipient: request.recipient, kind: request.kind, handler: request.handler,
                deadline: request.deadline, timeout: request.timeout, end: request.end)
        }
    }

    @Test(arguments: ["handler = zeroblob(5000000)", "deadline = -9e999", "timeout = 9e999"])
    func aRowThatCannotBeReadIsNeitherEndedNorWaitedFor(damage: String) async throws {
        let database = try await place.open()
        let requests = [1, 2].map { request("q\($0)", deadline: Date(timeIntervalSince1970: 100 * Double($0))) }
        try await database.write { [account] transaction in
            for request in requests { _ = try transaction.requests.add(request, of: account) }
            try transaction.db.execute(sql: "UPDATE stanza_request SET \(damage) WHERE id = 'q1'")
        }
        try await database.read { [account] transaction in
            let timed = try transaction.requests.timed(of: account, after: 0)
            #expect(withoutSerials(timed) == [requests[1]])
        }
        try await database.write { [account] in try $0.requests.lose(of: account, sentIn: nil) }
        let lost = try await database.read { [account] in try $0.requests.lost(of: account) }
        #expect(lost.map(\.id) == ["q2"])
        await #expect(throws: StanzaDatabaseError.invalidRecord(table: "stanza_request")) {
            try await database.read { [account] in try $0.requests.requests(of: account) }
        }
    }

    /// Its id is free, and only a program that can load the handler ends it.
    @Test func aDeferredRequestIsNeitherLostNorAnsweredAgain() async throws {
        let database = try await place.open()
        try await add("q1", "q2", to: database)
        let answer = Element.sample("<iq id='q1' type='result'/>")
        try await database.write { [account] transaction in
            for (id, end) in [("q1", StoredRequest.End.answered), ("q2", .timedOut)] {
                let request = try #require(try transaction.requests.request(id, of: account))
                _ = try transaction.requests.remove(request.serial)
                try transaction.requests.deferRequest(
                    request, because: end, answer: id == "q1" ? answer : nil, reason: "why", of: account, at: Date())
            }
        }
        try await add("q1", to: database)
        try await database.write { [account] in try $0.requests.lose(of: account, sentIn: nil) }
        try await database.write { [account] in try $0.sessions.remove(account) }
        #expect(try await lost(database) == ["q1"])
        let deferred = try await database.read { [account] in try $0.requests.deferred(of: account) }
        #expect(deferred.map(\.request.id) == ["q1", "q2"] && deferred.map(\.request.end) == [.answered, .timedOut])
        #expect(deferred.map(\.answer) == [answer, nil] && deferred.map(\.request.handler) == [Data([7]), Data([7])])
        #expect(deferred.map(\.reason) == ["why", "why"] && deferred.map(\.account) == [account, account])
        #expect(try await database.read { try $0.requests.deferred(of: "romeo@example.org").isEmpty })
        #expect(try await database.read { try $0.requests.deferred().count } == 2)
    }

    @Test func onlyTheDatabasesOwnWorkIsTaken() async throws {
        let database = try await place.open()
        let other = try await place.open()
        let session = try other.openSession(account)
        try await database.collect { _ in
        } commit: { changes, _ in
            let memory = try MemoryStorage().open("romeo@example.org")
            for store in [session, memory] as [any SessionStore] {
                #expect(throws: StorageError.takesNoEffects) { try changes.commit(in: store) { [] } }
            }
        }
    }
}
