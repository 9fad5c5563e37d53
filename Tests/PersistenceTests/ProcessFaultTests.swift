// Faults without a kill, with real processes and files: removed records, clocks that are set, values of older versions.

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
        #expect(try await place.process(.consumer).promise(id, of: String.self).state == .fulfilled)
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
