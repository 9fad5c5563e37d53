// Promises between processes that share a database. Two connections in one process see each other as processes do;
// where a process has to be killed or stopped, a real one is.

import Foundation
import GRDB
import Persistence
import Promises
import Testing

struct SharedPromiseTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test func anOutcomeFromAnotherProcessArrives() async throws {
        let (app, appex) = (try await place.process(.consumer), try await place.process(.resolver))
        let promise = try await app.create(String.self, key: "k")
        let waiting = Task { try await promise.value }
        try await Task.sleep(for: .milliseconds(50))
        try await appex.promise(promise.id, of: String.self).fulfil("hello")
        #expect(try await waiting.value == "hello")
    }

    /// A commit counts when it is on the disk, some time after its file was written: one look at that moment would miss it.
    @Test(.timeLimit(.minutes(5))) func afterAFileIsWrittenThereAreSeveralLooks() async throws {
        let watch = StatementWatch()
        var options = StanzaDatabase.Options()
        options.statementObserver = { watch.pass($0) }
        options.watchedPollInterval = 100_000
        let database = try await place.open(options)
        let before = watch.count("data_version")
        let file = try FileHandle(forWritingTo: URL(filePath: place.path + "-wal"))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        // Nobody else looks.
        while watch.count("data_version") < before + 5 { try await Task.sleep(for: .milliseconds(1)) }
        database.close()
        #expect(watch.count("data_version") >= before + 5)
    }

    /// How soon, the benchmark tells; here others may keep the machine busy. A commit that takes longer than somebody looks
    /// for it is seen with the next one.
    @Test(.timeLimit(.minutes(20))) func outcomesArriveWithoutTheTimer() async throws {
        var options = StanzaDatabase.Options()
        options.watchedPollInterval = 100_000
        let app = try await PromiseCentre.start(store: try await place.open(options), role: .consumer)
        let appex = try await place.process(.resolver)
        let committing = Task {
            while true {
                try await Task.sleep(for: .seconds(1))
                _ = try await appex.create(Int.self)
            }
        }
        defer { committing.cancel() }
        for number in 0..<20 {
            let promise = try await app.create(Int.self)
            let waiting = Task { try await promise.value }
            try await Task.sleep(for: .milliseconds(5))
            try await appex.promise(promise.id, of: Int.self).fulfil(number)
            #expect(try await waiting.value == number)
        }
    }

    @Test func aResultOutlivesTheProcessThatAskedForIt() async throws {
        let creating = try Probe(place.path, "create", "avatar")
        #expect(creating.finish().signal == nil)
        let resolving = try Probe(place.path, "resolve", "avatar", "done")
        #expect(resolving.finish().output == "resolved")
        let late = try Probe(place.path, "resolve", "avatar", "late")
        #expect(late.finish().output.contains("alreadyResolved"))
        let consuming = try Probe(place.path, "consume", "avatar")
        #expect(consuming.finish().output == "done")
    }

    @Test func aProcessThatWasStoppedWhileItWaitedGetsTheOutcome() async throws {
        let appex = try await place.process(.resolver)
        let promise = try await appex.create(String.self, key: "k")
        let app = try Probe(place.path, "consume", "k")
        #expect(try app.line() == "ready")
        try await Task.sleep(for: .milliseconds(100))
        app.send(SIGSTOP)
        try await promise.fulfil("while you slept")
        app.send(SIGCONT)
        #expect(app.finish().output == "while you slept")
    }

    @Test func readingDoesNotWaitForWhoWrites() async throws {
        let database = try await place.open()
        let centre = try await PromiseCentre.start(store: database, role: .consumer)
        let promise = try await centre.create(String.self)
        let holder = try Probe(place.path, "hold")
        while try holder.line() != "holding" {}
        // A transaction that writes would end with an error here.
        #expect(try await database.promises([promise.id, UUID()]).values.map(\.state) == [.pending])
        #expect(try await database.handlers().isEmpty)
        holder.send(SIGKILL)
        _ = holder.finish()
        await #expect(throws: StanzaDatabaseError.self) {
            try await database.read { try promise.fulfil("x", in: $0.promises) }
        }
        #expect(try await promise.state == .pending)
    }

    @Test func aDatabaseThatIsHeldIsWaitedForAndThenReported() async throws {
        let centre = try await place.process(.resolver)
        let promise = try await centre.create(String.self, key: "k")
        let holder = try Probe(place.path, "hold")
        while try holder.line() != "holding" {}
        let start = ContinuousClock.now
        await #expect(throws: StanzaDatabaseError.busy) { try await promise.fulfil("x") }
        let waited = ContinuousClock.now - start
        #expect(waited > .seconds(PersistenceLimits.busyTimeout - 1))
        // The rest is waiting for a thread, with all other tests.
        #expect(waited < .seconds(PersistenceLimits.busyTimeout + 600))
        holder.send(SIGKILL)
        _ = holder.finish()
        #expect(try await promise.fulfil("x") == .resolved)
    }

    @Test func ofTwoWhoResolveAtOnceOneWins() async throws {
        let count = Int(ProcessInfo.processInfo.environment["STANZA_RACES"] ?? "") ?? 300
        let centre = try await place.process(.consumer)
        for number in 0..<count { _ = try await centre.create(String.self, key: "race-\(number)") }
        let left = try Probe(place.path, "race", "left", "\(count)")
        let right = try Probe(place.path, "race", "right", "\(count)")
        let wins = ["left": Int(left.finish().output), "right": Int(right.finish().output)]
        var found = ["left": 0, "right": 0]
        for number in 0..<count {
            let promise = try #require(try await centre.reattach(key: "race-\(number)", as: String.self))
            found[try await promise.value, default: 0] += 1
        }
        #expect(found["left"] == wins["left"])
        #expect(found["right"] == wins["right"])
        #expect(found.values.reduce(0, +) == count)
    }
}
