// Faults with real processes and files: removed records, a machine that restarts, outcomes that were not shown.

import Foundation
import GRDB
import Handlers
import Persistence
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

    /// PromiseTimeTests has the rules of the clocks. Here the moment that they need outlives its process.
    @Test func acrossANewStart() async throws {
        let clock = ManualClock()
        func center() async throws -> (PromiseCenter, StanzaDatabase) {
            let database = try await place.open()
            return (try await PromiseCenter.start(store: database, role: .consumer, clock: clock), database)
        }
        let (first, database) = try await center()
        let promise = try await first.create(String.self, timeout: .seconds(3600))
        let kept = try await first.create(String.self, timeout: .seconds(4 * 86_400))
        database.close()
        // No pause counts for more than three days.
        clock.restart(at: clock.date + 3_650 * 86_400, uptime: 30)
        let (later, _) = try await center()
        #expect(try await later.promise(promise.id, of: String.self).state == .timedOut)
        #expect(try await later.promise(kept.id, of: String.self).state == .pending)
    }

    // MARK: Killed after taking

    @Test func anOutcomeThatWasTakenAndNotShownIsOfferedAgain() async throws {
        let made = try await Probe(place.path, "create", "k").finish()
        #expect(UUID(uuidString: made.output) != nil)
        #expect(try await Probe(place.path, "resolve", "k", "done").finish().output == "resolved")
        for start in 0...2 {
            let app = try Probe(place.path, "show", "k")
            while try await app.line() != "showing done" {}
            if start < 2 {
                app.send(SIGKILL)
                #expect(await app.finish().signal == SIGKILL)
                // No new promise gets the key until a process has acknowledged the outcome.
                let other = try await Probe(place.path, "create", "k").finish().output
                #expect(other == "\(PromiseError.keyTaken("k"))")
            } else {
                app.write("\n")
                #expect(await app.finish().output == "shown")
            }
        }
        let next = try await Probe(place.path, "create", "k").finish().output
        #expect(UUID(uuidString: next) != nil && next != made.output)
    }
}
