// Batches: several entries that commit in one transaction.

import Foundation
import Locking
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct BatchCommittingTests {
    private static func entry(_ ids: String..., stanza: ReceivedStanza? = nil, bytes: Int = 0) -> TestEntries.Entry {
        TestEntries.Entry(stanza: stanza, outgoing: ids.map { element(message($0, bytes: bytes)) })
    }

    /// A session on a server that has enabled stream management. Received stanzas are pending.
    private struct Line {
        let session: StreamSession
        let storage = CountingStorage()
        let server = ScriptedTransport.server()
        let run: Task<StreamEnd, any Error>

        init(
            features: StreamFeatures = ScriptedTransport.features,
            _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
        ) async throws {
            let session = try await StreamSession.quiet(storage, handling: .deciding { _ in .pending(id: nil) }, change)
            self.session = session
            run = Task { [server] in try await session.run(on: server, features: features) }
            try await session.until { $0.state == .enabled }
        }

        /// Receives stanzas, and takes them.
        func take(_ count: Int) async throws -> [ReceivedStanza] {
            for number in 1...count { server.say("<message id='in\(number)'/>") }
            var taken: [ReceivedStanza] = []
            while taken.count < count {
                taken += await session.takeStanzas(atMost: count - taken.count, bytes: .max).map(\.stanza)
            }
            return taken
        }

        /// Commits a batch, and returns the refusals of its entries.
        @discardableResult
        func commit(
            _ entries: TestEntries.Entry..., waitsForRoom: Bool = true
        ) async throws -> [Int: StreamManagementError] {
            try await commit(TestEntries(entries), waitsForRoom: waitsForRoom)
        }

        func commit(_ batch: TestEntries, waitsForRoom: Bool = true) async throws -> [Int: StreamManagementError] {
            try await session.commit(NoEffects(), of: batch, waitsForRoom: waitsForRoom)
            return batch.refusals
        }

        /// The ids of the sent messages, after this many of them.
        func sent(_ count: Int) async throws -> [String] {
            try await server.until { _ in messages.count >= count }
            return messages
        }

        private var messages: [String] {
            server.heard.filter { $0.hasPrefix("<message") }.compactMap { element($0)["id"] }
        }

        func finish() async throws {
            try await server.cut(ending: run)
        }
    }

    // MARK: Order

    @Test("All entries of a batch commit in one transaction, and their stanzas are sent in order")
    func order() async throws {
        let line = try await Line()
        let stanzas = try await line.take(3)
        let before = line.storage.writeCount
        let refusals = try await line.commit(
            Self.entry("m1", "m2", stanza: stanzas[0]), Self.entry(stanza: stanzas[1]),
            Self.entry("m3", stanza: stanzas[2]))
        #expect(refusals.isEmpty)
        #expect(line.storage.writeCount == before + 1)
        #expect(try await line.sent(3) == ["m1", "m2", "m3"])
        // The handled marks are part of it.
        let stored = try #require(try line.storage.load())
        #expect(stored.handledByClient.rawValue == 3)
        #expect(stored.pending.map(\.element["id"]) == ["m1", "m2", "m3"])
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.contains("<a h='3'/>") }
        try await line.finish()
    }

    @Test("D49 While effects take their time, the session reads and acknowledges, and stanzas share the next write")
    func slowEffects() async throws {
        let line = try await Line()
        let (hasBegun, gate) = (Lock(false), DispatchSemaphore(value: 0))
        let effects = NoEffects {
            hasBegun.withLock { $0 = true }
            gate.wait()
        }
        let commit = Task { try await line.session.commit(nil, with: effects, sending: [element("<message id='r'/>")]) }
        try await eventually("the effects are being made") { hasBegun.withLock(\.self) }
        let before = line.storage.writeCount
        let sending = (1...50).map { id in Task { try await line.session.send(element("<message id='m\(id)'/>")) } }
        try await line.session.until { $0.unacknowledged.count == 51 }
        #expect(try await line.take(1).count == 1)
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='0'/>" }
        #expect(!line.server.heard.contains { $0.hasPrefix("<message") })
        gate.signal()
        let sent = try await commit.value
        for task in sending { _ = try await task.value }
        #expect(try await line.sent(51).first == "r" && sent.count == 1)
        #expect(line.storage.writeCount == before + 2)
        try await line.finish()
    }

    @Test("D51 Effects that fail take their stanzas back, and later stanzas are sent with the right counts")
    func failedEffects() async throws {
        let line = try await Line()
        let (hasBegun, gate) = (Lock(false), DispatchSemaphore(value: 0))
        let effects = NoEffects {
            hasBegun.withLock { $0 = true }
            gate.wait()
            throw EffectsError(Unexpected())
        }
        let commit = Task { try await line.session.commit(nil, with: effects, sending: [element("<message id='r'/>")]) }
        try await eventually("the effects are being made") { hasBegun.withLock(\.self) }
        let sending = Task { try await line.session.send(element("<message id='m'/>")) }
        try await line.session.until { $0.unacknowledged.count == 2 }
        gate.signal()
        await #expect(throws: EffectsError.self) { try await commit.value }
        let sent = try await sending.value
        #expect(try await line.sent(1) == ["m"])
        line.server.say("<sm:a h='1'/>")
        #expect(await sent.outcome() == .acknowledged)
        #expect(try line.storage.load()?.pending.map(\.id) == ["m"])
        try await line.finish()
    }

    // MARK: Room

    @Test("D23 Entries without room are refused, and entries that send nothing need none") func room() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        let refusals = try await line.commit(
            Self.entry("m1", "m2"), Self.entry(), Self.entry("m3"), Self.entry(), Self.entry("m4"), Self.entry())
        #expect(refusals == [4: .queueFull(limit: 3)])
        #expect(try await line.sent(3) == ["m1", "m2", "m3"])
        // The queue is full, but this needs no place.
        #expect(try await line.commit(Self.entry()).isEmpty)
        try await line.finish()
    }

    @Test("D23 A batch waits for room for the first entry that sends stanzas") func waiting() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        try await line.commit(Self.entry("m1", "m2"))
        let batch = Task { try await line.commit(Self.entry("m3", "m4"), Self.entry("m5")) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        line.server.say("<sm:a h='1'/>")
        #expect(try await batch.value == [1: .queueFull(limit: 3)])
        #expect(try await line.sent(4) == ["m1", "m2", "m3", "m4"])
        try await line.finish()
    }

    @Test("D23 A batch that does not wait leaves the room to the senders that do") func impatient() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        try await line.commit(Self.entry("m1", "m2"))
        let batch = Task { try await line.commit(Self.entry("m3", "m4")) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        let refusals = try await line.commit(Self.entry("m5"), Self.entry(), waitsForRoom: false)
        #expect(refusals == [0: .queueFull(limit: 3)])
        line.server.say("<sm:a h='1'/>")
        #expect(try await batch.value.isEmpty)
        #expect(try await line.sent(4) == ["m1", "m2", "m3", "m4"])
        try await line.finish()
    }

    @Test("D23 When an entry leaves a batch that waits for room, the batch waits for less") func leaving() async throws
    {
        let line = try await Line { $0.maximumUnacknowledged = 2 }
        try await line.commit(Self.entry("m1", "m2"))
        let batch = TestEntries([Self.entry("m3", "m4"), Self.entry("m5")])
        let commit = Task { try await line.commit(batch) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        #expect(batch.leave(0))
        await line.session.entriesHaveLeft()
        line.server.say("<sm:a h='1'/>")
        #expect(try await line.sent(3) == ["m1", "m2", "m5"])
        #expect(try await commit.value.isEmpty)
        #expect(!batch.leave(0))
        try await line.finish()
    }

    @Test("D23 A batch waits for less when the app lowers the limit below its first entry") func lowering() async throws
    {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        try await line.commit(Self.entry("m1", "m2", "m3"))
        let batch = Task { try await line.commit(Self.entry("m4", "m5", "m6"), Self.entry("m7")) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        await line.session.configure { $0.maximumUnacknowledged = 2 }
        line.server.say("<sm:a h='2'/>")
        #expect(try await line.sent(4) == ["m1", "m2", "m3", "m7"])
        #expect(try await batch.value == [0: .queueFull(limit: 2)])
        try await line.finish()
    }

    @Test("D23 An entry that no queue has room for is refused at once") func neverFits() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 2 }
        #expect(
            try await line.commit(Self.entry("m1", "m2", "m3"), Self.entry("m4")) == [0: .queueFull(limit: 2)])
        #expect(try await line.sent(1) == ["m4"])
        try await line.finish()
    }

    // MARK: Failures

    @Test("An entry that the server does not accept is refused, and the others commit", arguments: 0...2)
    func tooLarge(position: Int) async throws {
        var features = ScriptedTransport.features
        features.limits.bytes = 10_000
        let line = try await Line(features: features)
        let entries = (0...2).map { Self.entry("m\($0)", bytes: $0 == position ? 10_000 : 0) }
        let refusals = try await line.commit(entries[0], entries[1], entries[2])
        #expect(refusals == [position: .tooLarge(limit: 10_000)])
        #expect(try await line.sent(2) == (0...2).filter { $0 != position }.map { "m\($0)" })
        try await line.finish()
    }

    @Test("D51 A batch that cannot commit handles and sends nothing, and can be tried again")
    func storageFailure() async throws {
        let line = try await Line()
        let stanzas = try await line.take(2)
        line.storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) {
            try await line.commit(Self.entry("m1", stanza: stanzas[0]), Self.entry("m2", stanza: stanzas[1]))
        }
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='0'/>" }
        line.storage.fail(nil)
        try await line.commit(Self.entry("m1", stanza: stanzas[0]), Self.entry("m2", stanza: stanzas[1]))
        #expect(try await line.sent(2) == ["m1", "m2"])
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='2'/>" }
        try await line.finish()
    }

    @Test("Another storage takes no batch") func otherStorage() async throws {
        let line = try await Line()
        await #expect(throws: StorageError.takesNoEffects) {
            try await line.session.commit(
                NoEffects(storage: CountingStorage()), of: TestEntries([Self.entry("m1")]), waitsForRoom: false)
        }
        #expect(await line.session.unacknowledged.isEmpty)
        try await line.finish()
    }

    // MARK: The end

    @Test("A closed session commits nothing") func closed() async throws {
        let line = try await Line()
        await line.session.close()
        let before = line.storage.writeCount
        await #expect(throws: StreamManagementError.ended) { try await line.commit(Self.entry("m1")) }
        await #expect(throws: StreamManagementError.ended) { try await line.commit(Self.entry()) }
        #expect(line.storage.writeCount == before)
        _ = try await line.run.value
    }

    @Test("Closing ends the wait of a batch") func closedInBetween() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 1 }
        try await line.commit(Self.entry("m1"))
        let batch = Task { try await line.commit(Self.entry("m2")) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        await line.session.close()
        await #expect(throws: StreamManagementError.ended) { try await batch.value }
        _ = try await line.run.value
    }

    @Test("A batch with a stanza from before a suspension does not commit, as that stanza comes again")
    func suspended() async throws {
        let line = try await Line()
        let stanzas = try await line.take(2)
        try await line.session.suspend()
        _ = try await line.run.value
        let before = line.storage.writeCount
        await #expect(throws: StreamManagementError.comesAgain) {
            try await line.commit(Self.entry("m1"), Self.entry("m2", stanza: stanzas[1]))
        }
        #expect(line.storage.writeCount == before)
        // Other entries wait for the next stream.
        #expect(try await line.commit(Self.entry("m1"), Self.entry("m2")).isEmpty)
        #expect(try #require(try line.storage.load()).pending.map(\.element["id"]) == ["m1", "m2"])
    }

    @Test("A suspension ends the wait of a batch whose stanza comes again")
    func suspendedInBetween() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 1 }
        let stanza = try await line.take(1)[0]
        try await line.commit(Self.entry("m1"))
        let batch = Task { try await line.commit(Self.entry("m2", stanza: stanza)) }
        try await line.session.until { $0.waitingSenderCount == 1 }
        try await line.session.suspend(untilClaimed: true)
        _ = try await line.run.value
        await #expect(throws: StorageError.takenOver(account: "juliet@example.org")) { try await batch.value }
        #expect(try #require(try line.storage.load()).pending.map(\.element["id"]) == ["m1"])
    }
}

/// A batch whose entries have no changes of the app.
private final class TestEntries: CommitEntries {
    struct Entry {
        let stanza: ReceivedStanza?
        let outgoing: [Element]
    }

    private struct State {
        var entries: [Entry]
        var hasBegun = false
        var refusals: [Int: StreamManagementError] = [:]
    }

    private let state: Lock<State>

    init(_ entries: [Entry]) { state = Lock(State(entries: entries)) }

    var stanzas: [ReceivedStanza] { state.withLock(\.entries).compactMap(\.stanza) }

    var elements: [[Element]] { state.withLock(\.entries).map(\.outgoing) }

    var refusals: [Int: StreamManagementError] { state.withLock(\.refusals) }

    /// Takes an entry out of the batch.
    ///
    /// - Returns: `false` if its commit has begun.
    func leave(_ entry: Int) -> Bool {
        state.withLock { state in
            if !state.hasBegun { state.entries.remove(at: entry) }
            return !state.hasBegun
        }
    }

    func begin() { state.withLock { $0.hasBegun = true } }

    func beginAgain() -> Bool { false }

    func refuse(_ entry: Int, because error: StreamManagementError) { state.withLock { $0.refusals[entry] = error } }

    func isRefused(_ entry: Int) -> Bool { refusals[entry] != nil }

    func isGreeting(_ entry: Int) -> Bool { false }

    var handled: [IncomingNumber] { stanzas.compactMap(\.number) }

    func isSent(_ entry: Int) -> Bool { !isRefused(entry) }

    func isWithdrawn(_ stanza: Element) -> Bool { false }
}
