// Batches: several entries that commit in one transaction.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct BatchCommittingTests {
    private static func message(_ id: String, bytes: Int = 0) -> Element {
        element("<message id='\(id)'><body>\(String(repeating: "x", count: bytes))</body></message>")
    }

    private static func entry(
        _ ids: String..., stanza: ReceivedStanza? = nil, failure: (any Error)? = nil, bytes: Int = 0
    ) -> BatchEntry<NoEffects> {
        BatchEntry(
            stanza: stanza, effects: NoEffects(failure: failure), outgoing: ids.map { message($0, bytes: bytes) })
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
            let session = try await StreamSession(
                account: "juliet@example.org", storage: storage, configuration: .quiet(change),
                handling: .deciding { _ in .pending(id: nil) }, clock: ManualClock())
            self.session = session
            run = Task { [server] in try await session.run(on: server, features: features) }
            try await eventually("enabled") { await session.state == .enabled }
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

        func commit(_ entries: BatchEntry<NoEffects>...) async throws -> CommittedBatch {
            try await session.commit(entries, in: storage)
        }

        /// The ids of the sent messages, after this many of them.
        func sent(_ count: Int) async throws -> [String] {
            try await eventually("\(count) sent") { messages.count >= count }
            return messages
        }

        private var messages: [String] {
            server.heard.filter { $0.hasPrefix("<message") }.compactMap { element($0)["id"] }
        }

        func finish() async throws {
            server.cut()
            _ = try await run.value
        }
    }

    private struct Refused: Error {}
    private struct DiskFull: Error {}

    // MARK: Order

    @Test("All entries of a batch commit in one transaction, and their stanzas are sent in order")
    func order() async throws {
        let line = try await Line()
        let stanzas = try await line.take(3)
        let before = line.storage.writeCount
        let batch = try await line.commit(
            Self.entry("m1", "m2", stanza: stanzas[0]), Self.entry(stanza: stanzas[1]),
            Self.entry("m3", stanza: stanzas[2]))
        #expect(line.storage.writeCount == before + 1)
        #expect(batch.sent.map { $0.map(\.number.rawValue) } == [[1, 2], [], [3]])
        #expect(batch.failure == nil)
        #expect(try await line.sent(3) == ["m1", "m2", "m3"])
        // The handled marks are part of it.
        let stored = try #require(try line.storage.load())
        #expect(stored.handledByClient.rawValue == 3)
        #expect(stored.pending.map(\.element["id"]) == ["m1", "m2", "m3"])
        line.server.say("<sm:r/>")
        try await eventually("acknowledged") { line.server.heard.contains("<a h='3'/>") }
        try await line.finish()
    }

    @Test("A batch without entries changes nothing") func empty() async throws {
        let line = try await Line()
        let before = line.storage.writeCount
        let batch = try await line.commit()
        #expect(batch.count == 0 && batch.failure == nil && line.storage.writeCount == before)
        try await line.finish()
    }

    // MARK: Room

    @Test("D23 Entries without room are left to the caller, and entries that send nothing need none")
    func room() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        let batch = try await line.commit(
            Self.entry("m1", "m2"), Self.entry(), Self.entry("m3"), Self.entry(), Self.entry("m4"), Self.entry())
        // No entry overtakes another one.
        #expect(batch.count == 4 && batch.failure == nil)
        #expect(try await line.sent(3) == ["m1", "m2", "m3"])
        // The queue is full, but this needs no place.
        #expect(try await line.commit(Self.entry(), Self.entry("m4")).count == 1)
        try await line.finish()
    }

    @Test("D23 A batch waits for room for its first entry only")
    func waiting() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 3 }
        _ = try await line.commit(Self.entry("m1", "m2"))
        let batch = Task { try await line.commit(Self.entry("m3", "m4"), Self.entry("m5")) }
        try await eventually("waits") { await line.session.waitingSenderCount == 1 }
        line.server.say("<sm:a h='1'/>")
        #expect(try await batch.value.count == 1)
        #expect(try await line.sent(4) == ["m1", "m2", "m3", "m4"])
        try await line.finish()
    }

    @Test("D23 A first entry that no queue has room for is refused")
    func neverFits() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 2 }
        await #expect(throws: StreamManagementError.queueFull(limit: 2)) {
            try await line.commit(Self.entry("m1", "m2", "m3"), Self.entry("m4"))
        }
        #expect(await line.session.unacknowledged.isEmpty)
        try await line.finish()
    }

    @Test("D23 Entries beyond the bound in bytes are left to the caller, except for the first")
    func bytes() async throws {
        let line = try await Line { $0.maximumUnacknowledgedBytes = 10_000 }
        let batch = try await line.commit(
            Self.entry("m1", bytes: 8000), Self.entry("m2", bytes: 8000), Self.entry("m3"))
        #expect(batch.count == 2 && batch.failure == nil)
        try await line.finish()
    }

    // MARK: Failures

    @Test("An entry whose effects fail ends the batch: those before it commit", arguments: 0...2)
    func failure(position: Int) async throws {
        let line = try await Line()
        let stanzas = try await line.take(3)
        let entries = (0...2).map {
            Self.entry("m\($0)", stanza: stanzas[$0], failure: $0 == position ? Refused() : nil)
        }
        let batch = try await line.session.commit(entries, in: line.storage)
        #expect(batch.count == position)
        #expect((batch.failure as? EffectsError)?.underlying is Refused)
        #expect(try await line.sent(position) == Array(["m0", "m1"].prefix(position)))
        #expect(await line.session.unacknowledged.count == position)
        #expect(try #require(try line.storage.load()).handledByClient.rawValue == UInt64(position))
        // The others can commit later.
        let rest = stanzas[position...].map { Self.entry("again", stanza: $0) }
        #expect(try await line.session.commit(rest, in: line.storage).count == 3 - position)
        #expect(try #require(try line.storage.load()).handledByClient.rawValue == 3)
        try await line.finish()
    }

    @Test("An entry that the server does not accept ends the batch: those before it commit", arguments: 0...2)
    func tooLarge(position: Int) async throws {
        var features = ScriptedTransport.features
        features.limits.bytes = 10_000
        let line = try await Line(features: features)
        let entries = (0...2).map { Self.entry("m\($0)", bytes: $0 == position ? 10_000 : 0) }
        let batch = try await line.session.commit(entries, in: line.storage)
        #expect(batch.count == position)
        #expect(batch.failure as? StreamManagementError == .tooLarge(limit: 10_000))
        #expect(try await line.sent(position) == Array(["m0", "m1"].prefix(position)))
        #expect(await line.session.unacknowledged.count == position)
        try await line.finish()
    }

    @Test("A storage that fails sends no stanza of the batch, and ends the stream")
    func storageFailure() async throws {
        let line = try await Line()
        line.storage.fail(DiskFull())
        await #expect(throws: DiskFull.self) { try await line.commit(Self.entry("m1"), Self.entry("m2")) }
        #expect(try await line.run.value == .storageFailed(DiskFull()))
        #expect(try await line.sent(0).isEmpty)
    }

    @Test("Another storage takes no batch") func otherStorage() async throws {
        let line = try await Line()
        await #expect(throws: StorageError.takesNoEffects) {
            try await line.session.commit([Self.entry("m1")], in: CountingStorage())
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
        _ = try await line.commit(Self.entry("m1"))
        let batch = Task { try await line.commit(Self.entry("m2")) }
        try await eventually("waits") { await line.session.waitingSenderCount == 1 }
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
        #expect(try await line.commit(Self.entry("m1"), Self.entry("m2")).count == 2)
        #expect(try #require(try line.storage.load()).pending.map(\.element["id"]) == ["m1", "m2"])
    }

    @Test("A suspension ends the wait of a batch whose stanza comes again")
    func suspendedInBetween() async throws {
        let line = try await Line { $0.maximumUnacknowledged = 1 }
        let stanza = try await line.take(1)[0]
        _ = try await line.commit(Self.entry("m1"))
        let batch = Task { try await line.commit(Self.entry("m2", stanza: stanza)) }
        try await eventually("waits") { await line.session.waitingSenderCount == 1 }
        try await line.session.suspend(untilClaimed: true)
        _ = try await line.run.value
        await #expect(throws: StorageError.takenOver(account: "juliet@example.org")) { try await batch.value }
        #expect(try #require(try line.storage.load()).pending.map(\.element["id"]) == ["m1"])
    }
}
