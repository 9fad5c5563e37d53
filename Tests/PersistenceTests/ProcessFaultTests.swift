// Faults without a kill, with real processes and files: removed records, clocks that are set, databases and values of
// older versions.

import Foundation
import GRDB
import Handlers
import Persistence
import Promises
import TestSupport
import Testing
import XMPPCore

@Suite(.fewAtOnce) struct ProcessFaultTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    // MARK: Gone

    @Test func waitingForARemovedRecordThrows() async throws {
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .resolver)
        let promise = try await center.create(String.self, key: "k")
        let app = try Probe(place.path, "consume", "k")
        while try await app.line() != "waiting" {}
        try await database.write { try $0.promises.remove(promise.id) }
        #expect(await app.finish().output == "\(PromiseError.unknownPromise(promise.id))")
        // A later caller gets the same error.
        let late = try await place.process(.consumer)
        await #expect(throws: PromiseError.unknownPromise(promise.id)) {
            try await late.promise(promise.id, of: String.self).value
        }
        #expect(try await Probe(place.path, "resolve", "k", "x").finish().output.contains("no promise"))
    }

    // MARK: Clocks

    /// Sets the clocks of other processes, which read them from a file (FileClock.swift).
    private func setClock(_ date: String, uptime: String = "0", boot: String = "") throws -> [String: String] {
        let file = place.folder.appending(path: "clock")
        try Data("\(date) \(uptime) \(boot)".utf8).write(to: file, options: .atomic)
        return ["PROBE_CLOCK": file.path]
    }

    @Test func aDeadlineThatPassesCounts() async throws {
        let clock = try setClock("0")
        let center = try await place.process(.resolver)
        let promise = try await center.create(String.self, key: "k", timeout: .seconds(3600))
        let app = try Probe(place.path, "consume", "k", environment: clock)
        while try await app.line() != "waiting" {}
        _ = try setClock("3601", uptime: "3601")
        #expect(await app.finish().output == "\(PromiseError.timedOut(promise.id))")
        #expect(try await promise.state == .timedOut)
    }

    /// The clock does not advance, like one that is set back repeatedly: to a time before the promise, and to now.
    @Test(arguments: [-1_000_000.0, 0])
    func aClockThatIsSetBackProlongsNoWait(seconds: Double) async throws {
        let clock = try setClock("0")
        let center = try await place.process(.resolver)
        let promise = try await center.create(String.self, key: "k", timeout: .seconds(2))
        let app = try Probe(place.path, "consume", "k", environment: clock)
        while try await app.line() != "waiting" {}
        _ = try setClock("=\(Date().timeIntervalSince1970 + seconds)")
        #expect(await app.finish().output == "\(PromiseError.timedOut(promise.id))")
        #expect(try await promise.state == .timedOut)
    }

    /// Processes that start while the clock is wrong sweep, and so does the process that waits at that time.
    @Test(arguments: ["315360000", "-315360000"])
    func aClockThatIsSetForthAndBackDestroysNoPromise(seconds: String) async throws {
        let clock = try setClock("0")
        let made = try await Probe(place.path, "create", "k", "3600", environment: clock).finish()
        let id = try #require(UUID(uuidString: made.output))
        let app = try Probe(place.path, "consume", "k", environment: clock)
        while try await app.line() != "waiting" {}
        _ = try setClock(seconds)
        #expect(
            try await UUID(uuidString: Probe(place.path, "create", "other", environment: clock).finish().output) != nil)
        _ = try setClock("0")
        #expect(try await Probe(place.path, "resolve", "k", "alive", environment: clock).finish().output == "resolved")
        #expect(await app.finish().output == "alive")
        #expect(try await place.process(.consumer).reattach(id: id, as: String.self) != nil)
    }

    /// The machine restarts. Its clock is right (a day later), too early or too late.
    @Test(arguments: [
        ("86400", "timedOut"), ("-315360000", "pending"), ("315360000", "timedOut"),
    ])
    func acrossANewStart(seconds: String, state: String) async throws {
        let clock = try setClock("0")
        let made = try await Probe(place.path, "create", "k", "3600", environment: clock).finish()
        _ = try await Probe(place.path, "create", "kept", "\(4 * 86_400)", environment: clock).finish()
        #expect(UUID(uuidString: made.output) != nil)
        _ = try setClock(seconds, uptime: "=30", boot: "second")
        #expect(try await Probe(place.path, "state", "k", environment: clock).finish().output == state)
        // No pause counts for more than three days.
        #expect(try await Probe(place.path, "state", "kept", environment: clock).finish().output == "pending")
    }

    @Test func aPromiseOfTheFutureIsNotWaitedForLongerThanItsTimeout() async throws {
        let future = try setClock("1000000")
        let made = try await Probe(place.path, "create", "k", "1", environment: future).finish()
        let id = try #require(UUID(uuidString: made.output))
        let app = try Probe(place.path, "consume", "k")
        #expect(await app.finish().output == "\(PromiseError.timedOut(id))")
    }

    // MARK: Killed after taking

    /// The app is started again more than ten minutes later.
    @Test func anOutcomeThatWasTakenAndNotShownIsOfferedAgain() async throws {
        let clock = try setClock("0")
        let made = try await Probe(place.path, "create", "k", environment: clock).finish()
        #expect(UUID(uuidString: made.output) != nil)
        #expect(try await Probe(place.path, "resolve", "k", "done", environment: clock).finish().output == "resolved")
        for hour in 0...2 {
            _ = try setClock("\(hour * 3600)", uptime: "\(hour * 3600)")
            let app = try Probe(place.path, "show", "k", environment: clock)
            while try await app.line() != "showing done" {}
            if hour < 2 {
                app.send(SIGKILL)
                #expect(await app.finish().signal == SIGKILL)
                // No new promise gets the key until a process has acknowledged the outcome.
                let other = try await Probe(place.path, "create", "k", environment: clock).finish().output
                #expect(other == "\(PromiseError.keyTaken("k"))")
            } else {
                app.write("\n")
                #expect(await app.finish().output == "shown")
            }
        }
        let next = try await Probe(place.path, "create", "k", environment: clock).finish().output
        #expect(UUID(uuidString: next) != nil && next != made.output)
    }

    // MARK: Older versions

    /// The fixtures that hold a request of another account.
    private static let withRequest = ["requests", "parkedRequests", "mark", "requestTimeouts", "mechanisms"]
    /// The fixtures that hold three open requests, deferred calls and unhandled stanzas.
    private static let withCalls = ["acknowledgements", "greetings", "accounts", "indexes"]

    /// One after the other: some have handlers of the same identity, whose state a process shares.
    @Test(.serialized, arguments: Fixtures.names)
    func aDatabaseOfAnOlderVersionIsBroughtUpToDate(name: String) async throws {
        try Fixtures.copy(name, to: place)
        await #expect(throws: StanzaDatabaseError.olderVersion) { try await StanzaDatabase.inspect(at: place.path) }
        // Two processes want to do it at once.
        let probes = try (0..<2).map { _ in try Probe(place.path, "consume", "fulfilled") }
        for probe in probes { #expect(await probe.finish().output == "done \u{0} é") }
        let database = try await place.open()
        let center = try await PromiseCenter.start(store: database, role: .consumer)
        func promise(_ key: String) async throws -> Promise<String> {
            try #require(try await center.reattach(key: key, as: String.self), "\(key)")
        }
        let late = try await promise("late")
        await #expect(throws: PromiseError.timedOut(late.id)) { try await late.value }
        let canceled = try await promise("cancelled")
        await #expect(throws: PromiseError.canceled(canceled.id)) { try await canceled.value }
        let rejected = try await promise("rejected")
        await #expect(
            throws: PromiseRejection(
                code: "forbidden", message: "no", stanzaXML: "<iq xmlns='jabber:client' type='error'/>",
                account: "juliet@example.org")
        ) { try await rejected.value }

        let requests = try await database.read { try $0.db.count("request") }
        #expect(requests == (Self.withCalls.contains(name) ? 3 : Self.withRequest.contains(name) ? 1 : 0))
        // A database that is made now has the same tables.
        let fresh = try await TemporaryDatabase().open()
        let schema = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name"
        let rows = try await database.read { try Row.fetchAll($0.db, sql: schema).map(\.description) }
        #expect(try await fresh.read { try Row.fetchAll($0.db, sql: schema).map(\.description) } == rows)
        if name == "promises" { return }

        // The handler was deferred; its first call answers the request.
        let pending = try await promise("pending")
        #expect(try await database.handlers().count == (Self.withCalls.contains(name) ? 5 : 2))
        try await database.collect { changes in
            let replays = try await AnsweredHandler.dispatcher(changes).replay(["changes": changes, "promises": center])
            #expect(replays.map(\.calls.count) == [2])
        }
        #expect(try await pending.value == "first")
        let all = try await AnsweredHandler.dispatcher(database).loadAll()
        #expect(Set(all.compactMap(\.mark)) == [.called, .invalidated(.timedOut)])
        let session = try await database.read { try $0.sessions.session(of: "juliet@example.org") }
        #expect(session?.pending.count == (name == "handlers" ? nil : 1))
    }

    /// The fixture's process ended with open requests, deferred calls, and a stanza that it could not handle twice.
    @Test func requestsOfAnOlderVersionGetSerials() async throws {
        try Fixtures.copy("acknowledgements", to: place)
        let database = try await place.open()
        let account: JID = "romeo@example.org"
        let requests = try await database.read { try $0.requests.requests(of: account) }
        #expect(requests.map(\.serial) == [1, 2, 3])
        #expect(requests.map(\.id) == ["late", "lost", "open"])
        #expect(requests.map(\.end) == [nil, .notHandled, nil])
        #expect(requests.map(\.timeout) == [1, nil, nil])
        let handlers = try await database.handlers()
        #expect(Set(requests.map(\.handler)).isSubset(of: handlers.map(\.id)))
        #expect(handlers.compactMap(\.deferral).map(\.calls.count) == [2])
        // The former owner has not given the session up, but its process is gone.
        let session = try database.openSession(account)
        #expect(try session.load()?.handlingAttempts == 2)
        try session.write([.remove], .immediate)
        let ended = try await database.read { try $0.requests.requests(of: account) }
        #expect(ended.map(\.end) == [.lost, .notHandled, .lost])
        #expect(ended.map(\.serial) == [1, 2, 3])
    }

    @Test func aValueOfAnOlderVersionGoesThroughItsMigrations() async throws {
        struct Size: Codable, Equatable {
            var width: Int
            var height: Int
        }
        struct OldSize: Codable { var both: Int }
        var old = PromiseTypes()
        try old.register(OldSize.self, as: "Size")
        var new = PromiseTypes()
        try new.register(
            Size.self, as: "Size", version: 2,
            migrations: [
                1: { data in
                    let both = try JSONDecoder().decode(OldSize.self, from: data).both
                    return try JSONEncoder().encode(Size(width: both, height: both))
                }
            ])
        let before = try await PromiseCenter.start(store: try await place.open(), role: .resolver, types: old)
        try await before.create(OldSize.self, key: "k").fulfill(OldSize(both: 3))
        let after = try await PromiseCenter.start(store: try await place.open(), role: .consumer, types: new)
        let promise = try #require(try await after.reattach(key: "k", as: Size.self))
        #expect(try await promise.value == Size(width: 3, height: 3))
        // And a version that is not known yet is an error, not a guess.
        let again = try await PromiseCenter.start(store: try await place.open(), role: .consumer, types: old)
        try await after.create(Size.self, key: "new").fulfill(Size(width: 1, height: 2))
        let unknown = try #require(try await again.reattach(key: "new", as: OldSize.self))
        await #expect(throws: PromiseError.unknownVersion(type: "Size", version: 2)) { try await unknown.value }
    }
}
