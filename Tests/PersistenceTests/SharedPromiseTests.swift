// Promises between processes that share a database. Two connections in one process see each other as processes do;
// where a process has to be killed or stopped, a real one is.

import Foundation
import GRDB
import Handlers
import Locking
import Persistence
import TestSupport
import Testing

@Suite(.fewAtOnce) struct SharedPromiseTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    /// The last commit of a process that is frozen right after it, in the same moment as commits of this process.
    @Test func noCommitIsMissed() async throws {
        var options = StanzaDatabase.Options()
        options.watchedPollInterval = 100_000
        let app = try await PromiseCenter.start(store: try await place.open(options), role: .consumer)
        let other = try await place.open(options)
        let appex = try await PromiseCenter.start(store: other, role: .resolver)
        for number in 0..<100 {
            let promise = try await app.create(Int.self)
            async let value = promise.value
            let resolving = Task { try await appex.promise(promise.id, of: Int.self).fulfill(number) }
            for _ in 0..<Int.random(in: 0...3) { _ = try await app.create(Int.self) }
            if number % 2 == 0 { await blocking { other.freeze() } }
            let isResolved = (try? await resolving.value) != nil
            try await other.unfreeze()
            if !isResolved { try await appex.promise(promise.id, of: Int.self).fulfill(number) }
            #expect(try await value == number)
        }
    }

    /// The application's own connection touches no file. The timer finds its commits.
    @Test(.timeLimit(.minutes(60))) func commitsOfOtherProgramsAreFound() async throws {
        let database = try await place.open()
        let own = try DatabaseQueue(path: place.path)
        let changes = database.changes()
        try await own.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        for await _ in changes { break }
    }

    @Test func aResultOutlivesTheProcessThatAskedForIt() async throws {
        let creating = try Probe(place.path, "create", "avatar")
        #expect(await creating.finish().signal == nil)
        let resolving = try Probe(place.path, "resolve", "avatar", "done")
        #expect(await resolving.finish().output == "resolved")
        let late = try Probe(place.path, "resolve", "avatar", "late")
        #expect(await late.finish().output.contains("alreadyResolved"))
        let consuming = try Probe(place.path, "consume", "avatar")
        #expect(await consuming.finish().output == "done")
    }

    @Test func aProcessThatWasStoppedWhileItWaitedGetsTheOutcome() async throws {
        let appex = try await place.process(.resolver)
        let promise = try await appex.create(String.self, key: "k")
        let app = try Probe(place.path, "consume", "k")
        #expect(try await app.line() == "ready")
        try await Task.sleep(for: .milliseconds(100))
        app.send(SIGSTOP)
        try await promise.fulfill("while you slept")
        app.send(SIGCONT)
        #expect(await app.finish().output == "while you slept")
    }

    /// Any wait would be an error here.
    @Test(arguments: [["read"], ["consume", "k"]])
    func aStoppedProcessThatReadsOrWaitsDelaysNoOther(operation: [String]) async throws {
        _ = try await place.process(.resolver).create(String.self, key: "k")
        let stopped = try Probe(place.path, operation[0], operation.last ?? "")
        while try await !["reading", "waiting"].contains(stopped.line()) {}
        stopped.send(SIGSTOP)
        var options = StanzaDatabase.Options()
        options.busyTimeout = 0
        for number in 0..<3 {
            let database = try await place.open(options)
            let center = try await PromiseCenter.start(store: database, role: .resolver)
            _ = try await center.create(String.self, key: "\(number)").fulfill("done")
            database.freeze()
            try await database.unfreeze()
            database.close()
        }
        stopped.send(SIGCONT)
        stopped.send(SIGKILL)
        #expect(await stopped.finish().signal == SIGKILL)
    }

    @Test func aDatabaseThatIsHeldIsWaitedForAndThenReported() async throws {
        let center = try await place.process(.resolver)
        let promise = try await center.create(String.self, key: "k")
        let holder = try Probe(place.path, "hold")
        while try await holder.line() != "holding" {}
        let start = ContinuousClock.now
        await #expect(throws: StanzaDatabaseError.busy) { try await promise.fulfill("x") }
        #expect(ContinuousClock.now - start > .seconds(PersistenceLimits.busyTimeout - 1))
        holder.send(SIGKILL)
        _ = await holder.finish()
        #expect(try await promise.fulfill("x") == .resolved)
    }

    @Test func ofTwoConcurrentResolutionsOneWins() async throws {
        let count = Int(ProcessInfo.processInfo.environment["STANZA_RACES"] ?? "") ?? 300
        let center = try await place.process(.consumer)
        for number in 0..<count { _ = try await center.create(String.self, key: "race-\(number)") }
        let left = try Probe(place.path, "race", "left", "\(count)")
        let right = try Probe(place.path, "race", "right", "\(count)")
        for probe in [left, right] { #expect(try await probe.line() == "ready") }
        var won = ["left": 0, "right": 0]
        for number in 0..<count {
            // Both have read the promise when they are released; which of them is released first alternates.
            for probe in [left, right] { #expect(try await probe.line() == "at the start") }
            for probe in number % 2 == 0 ? [left, right] : [right, left] { probe.write("\n") }
            let ends = (try await left.line(), try await right.line())
            #expect(ends == ("won", "lost") || ends == ("lost", "won"))
            won[ends.0 == "won" ? "left" : "right", default: 0] += 1
        }
        let wins = ["left": Int(await left.finish().output), "right": Int(await right.finish().output)]
        #expect(wins == won.mapValues { $0 })
        #expect(won.values.allSatisfy { $0 > 0 }, "\(won)")
        var found = ["left": 0, "right": 0]
        for number in 0..<count {
            let promise = try #require(try await center.reattach(key: "race-\(number)", as: String.self))
            found[try await promise.value, default: 0] += 1
        }
        #expect(found["left"] == wins["left"])
        #expect(found["right"] == wins["right"])
        #expect(found.values.reduce(0, +) == count)
    }

    /// Three tasks of one consumer read each promise, one of them after reattaching. They and the resolver start at
    /// once. Every second time, the last task reads after the delivery to another one.
    @Test(.timeLimit(.minutes(60))) func noOutcomeIsDeliveredTwiceToTheSameConsumer() async throws {
        let watch = StatementWatch()
        var options = StanzaDatabase.Options()
        options.statementObserver = { watch.pass($0) }
        let app = try await PromiseCenter.start(store: try await place.open(options), role: .consumer)
        let appex = try await place.process(.resolver)
        for number in 0..<40 {
            let promise = try await app.create(Int.self, key: "k\(number)")
            let again = try #require(try await app.reattach(key: "k\(number)", as: Int.self))
            let shown = (0..<3).map { _ in Counter() }
            let before = watch.count("UPDATE stanza_promise SET")
            let start = Barrier(4)
            let (delivered, deliver) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (reader, promise) in [promise, promise, again].enumerated() {
                    group.addTask {
                        await start.arrive()
                        if reader == 2, number % 2 == 1 { for await _ in delivered {} }
                        try await promise.withValue { value in
                            deliver.finish()
                            #expect(value == number)
                            shown[reader].next()
                            // Each of these commits makes the consumer look again.
                            for _ in 0..<3 { _ = try await appex.create(Int.self) }
                        }
                    }
                }
                group.addTask {
                    await start.arrive()
                    try await appex.promise(promise.id, of: Int.self).fulfill(number)
                }
                try await group.waitForAll()
            }
            #expect(shown.map(\.value) == [1, 1, 1])
            // The consumer acknowledges it once.
            #expect(watch.count("UPDATE stanza_promise SET") - before == 1)
        }
        // Nor is any of them offered to the next one.
        let next = try await place.process(.consumer)
        #expect(try await next.openPromises().allSatisfy { $0.key == nil })
    }
}
