// Batches: several entries that commit in one transaction.

import Foundation
import Locking
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct CommittingTests {
    private static func entry(_ ids: String..., stanza: ReceivedStanza? = nil, bytes: Int = 0) -> TestEntries.Entry {
        TestEntries.Entry(stanza: stanza, outgoing: ids.map { element(message($0, bytes: bytes)) })
    }

    /// A session on a server that has enabled stream management. Received stanzas are pending.
    private struct Line {
        let session: StreamSession
        let storage = CountingStorage()
        let server = ScriptedTransport.server()
        let run: Task<StreamEnd, any Error>

        /// - Parameter sent: The messages that fill the queue.
        init(places: Int = 1000, sent: String..., limit: UInt32? = nil) async throws {
            session = try await StreamSession.quiet(storage, handling: .deciding { _ in .pending(id: nil) }) {
                $0.maximumUnacknowledged = places
            }
            var features = ScriptedTransport.features
            features.limits.bytes = limit.map { .init($0) }
            run = session.begin(on: server, features: features)
            try await session.until { $0.state == .enabled }
            for id in sent { try await session.send(element("<message id='\(id)'/>")) }
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

        /// Begins to commit a batch, which waits for room.
        func waiting(_ batch: TestEntries) async throws -> Task<[Int: StreamManagementError], any Error> {
            let commit = Task { try await self.commit(batch) }
            try await session.until { $0.waitingSenderCount == 1 }
            return commit
        }

        /// Begins a transaction with the stanza r whose effects wait for the semaphore.
        func slowly(
            _ gate: DispatchSemaphore, throwing error: EffectsError? = nil
        ) async throws -> Task<[SentStanza], any Error> {
            let hasBegun = Lock(false)
            let effects = NoEffects {
                hasBegun.withLock { $0 = true }
                gate.wait()
                if let error { throw error }
            }
            let commit = Task { try await session.commit(nil, with: effects, sending: [element("<message id='r'/>")]) }
            try await eventually("the effects are being made") { hasBegun.withLock(\.self) }
            return commit
        }

        /// The ids of the sent messages, after this many of them.
        func sent(_ count: Int) async throws -> [String] {
            try await server.until { _ in messages.count >= count }
            return messages
        }

        private var messages: [String] {
            server.heard.filter { $0.hasPrefix("<message") }.compactMap { element($0)["id"] }
        }

        var pending: [String?] { get throws { try storage.load()?.pending.map { $0.element["id"] } ?? [] } }
    }

    @Test("All entries of a batch commit in one transaction; one that cannot commit sends nothing, and can be repeated")
    func order() async throws {
        let line = try await Line()
        let stanzas = try await line.take(3)
        let entries = [
            Self.entry("m1", "m2", stanza: stanzas[0]), Self.entry(stanza: stanzas[1]),
            Self.entry("m3", stanza: stanzas[2]),
        ]
        line.storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await line.commit(TestEntries(entries)) }
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='0'/>" }
        line.storage.fail(nil)
        let before = line.storage.writeCount
        #expect(try await line.commit(TestEntries(entries)).isEmpty)
        #expect(line.storage.writeCount == before + 1)
        #expect(try await line.sent(3) == ["m1", "m2", "m3"])
        // The handled marks are part of it.
        #expect(try line.storage.load()?.handledByClient.rawValue == 3)
        #expect(try line.pending == ["m1", "m2", "m3"])
        line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.contains("<a h='3'/>") }
        try await line.server.cut(ending: line.run)
    }

    @Test("D49 While effects take their time, the session reads and acknowledges, and stanzas share the next write")
    func slowEffects() async throws {
        let line = try await Line()
        let gate = DispatchSemaphore(value: 0)
        let commit = try await line.slowly(gate)
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
        try await line.server.cut(ending: line.run)
    }

    @Test("D51 Effects that fail take their stanzas back, and later stanzas are sent with the right counts")
    func failedEffects() async throws {
        let line = try await Line()
        let gate = DispatchSemaphore(value: 0)
        let commit = try await line.slowly(gate, throwing: EffectsError(Unexpected()))
        let sending = Task { try await line.session.send(element("<message id='m'/>")) }
        try await line.session.until { $0.unacknowledged.count == 2 }
        gate.signal()
        await #expect(throws: EffectsError.self) { try await commit.value }
        let sent = try await sending.value
        #expect(try await line.sent(1) == ["m"])
        line.server.say("<sm:a h='1'/>")
        #expect(await sent.outcome() == .acknowledged)
        #expect(try line.pending == ["m"])
        try await line.server.cut(ending: line.run)
    }

    // MARK: Refusals and room

    @Test(
        "D23 Entries without room or beyond a limit are refused, and entries that send nothing need no room",
        arguments: [
            (3, [["m1", "m2"], [], ["m3"], [], ["m4"], []], [4: .queueFull(limit: 3)]),
            (2, [["m1", "m2", "m3"], ["m4"]], [0: .queueFull(limit: 2)]),
            (9, [["large"], ["m1"], ["m2"]], [0: .tooLarge(limit: 10_000)]),
            (9, [["m1"], ["large"], ["m2"]], [1: .tooLarge(limit: 10_000)]),
            (9, [["m1"], ["m2"], ["large"]], [2: .tooLarge(limit: 10_000)]),
        ] as [(Int, [[String]], [Int: StreamManagementError])])
    func refusals(places: Int, entries: [[String]], expected: [Int: StreamManagementError]) async throws {
        let line = try await Line(places: places, limit: 10_000)
        let batch = TestEntries(
            entries.map { ids in
                .init(stanza: nil, outgoing: ids.map { element(message($0, bytes: $0 == "large" ? 10_000 : 0)) })
            })
        #expect(try await line.commit(batch) == expected)
        let accepted = entries.enumerated().filter { expected[$0.offset] == nil }.flatMap(\.element)
        #expect(try await line.sent(accepted.count) == accepted)
        #expect(try await line.commit(Self.entry()).isEmpty)
        try await line.server.cut(ending: line.run)
    }

    @Test(
        "D23 A batch waits for room for the first entry that sends stanzas; one that does not wait takes none from it")
    func waiting() async throws {
        let line = try await Line(places: 3, sent: "m1", "m2")
        let batch = try await line.waiting(TestEntries([Self.entry("m3", "m4"), Self.entry("m5")]))
        let refusals = try await line.commit(Self.entry("m6"), Self.entry(), waitsForRoom: false)
        #expect(refusals == [0: .queueFull(limit: 3)])
        line.server.say("<sm:a h='1'/>")
        #expect(try await batch.value == [1: .queueFull(limit: 3)])
        #expect(try await line.sent(4) == ["m1", "m2", "m3", "m4"])
        try await line.server.cut(ending: line.run)
    }

    @Test("D23 A batch waits for less when an entry leaves it, or when the app lowers the limit below its first entry")
    func waitingForLess() async throws {
        let line = try await Line(places: 2, sent: "m1", "m2")
        let batch = TestEntries([Self.entry("m3", "m4"), Self.entry("m5")])
        let commit = try await line.waiting(batch)
        #expect(batch.leave(0))
        await line.session.entriesHaveLeft()
        line.server.say("<sm:a h='1'/>")
        #expect(try await line.sent(3) == ["m1", "m2", "m5"])
        #expect(try await commit.value.isEmpty && !batch.leave(0))
        await line.session.configure { $0.maximumUnacknowledged = 3 }
        let lowered = try await line.waiting(TestEntries([Self.entry("m6", "m7", "m8"), Self.entry("m9")]))
        await line.session.configure { $0.maximumUnacknowledged = 2 }
        line.server.say("<sm:a h='2'/>")
        #expect(try await line.sent(4).last == "m9")
        #expect(try await lowered.value == [0: .queueFull(limit: 2)])
        try await line.server.cut(ending: line.run)
    }

    // MARK: The end

    @Test("Closing ends the wait of a batch, and a closed session commits nothing") func closed() async throws {
        let line = try await Line(places: 1, sent: "m1")
        let batch = try await line.waiting(TestEntries([Self.entry("m2")]))
        await line.session.close()
        await #expect(throws: StreamManagementError.ended) { try await batch.value }
        let before = line.storage.writeCount
        await #expect(throws: StreamManagementError.ended) { try await line.commit(Self.entry("m1")) }
        await #expect(throws: StreamManagementError.ended) { try await line.commit(Self.entry()) }
        #expect(line.storage.writeCount == before)
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
        #expect(try line.pending == ["m1", "m2"])
    }

    @Test("A suspension ends the wait of a batch whose stanza comes again")
    func suspendedInBetween() async throws {
        let line = try await Line(places: 1)
        let stanza = try await line.take(1)[0]
        try await line.commit(Self.entry("m1"))
        let batch = try await line.waiting(TestEntries([Self.entry("m2", stanza: stanza)]))
        try await line.session.suspend(untilClaimed: true)
        _ = try await line.run.value
        await #expect(throws: StorageError.takenOver(account: "juliet@example.org")) { try await batch.value }
        #expect(try line.pending == ["m1"])
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
