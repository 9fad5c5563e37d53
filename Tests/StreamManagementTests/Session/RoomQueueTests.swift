// Senders that wait for room get it in the order of their arrival, and the session reports a queue that stays full.

import StreamManagement
import Synchronization
import TestSupport
import Testing
import XMLTree

@Suite struct RoomQueueTests {
    private static func messages(_ ids: ClosedRange<Int>) -> [Element] {
        ids.map { element("<message id='m\($0)'/>") }
    }

    private static func sent(_ server: ScriptedTransport) -> Int {
        server.heard.count { $0.hasPrefix("<message") }
    }

    @Test("D23 A transaction of several stanzas gets its room before senders that arrive after it")
    func order() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet { $0.maximumUnacknowledged = 10 },
            clock: ManualClock())
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        for message in Self.messages(1...5) { try await session.send(message) }
        try await eventually("sent") { Self.sent(server) == 5 }
        let transaction = Task {
            try await session.commit(nil, with: NoEffects(), in: storage, sending: Self.messages(101...110))
        }
        // The transaction has asked, and waits.
        try await eventually("asked") { server.heard.contains("<r/>") }
        let single = Task { try await session.send(element("<message id='single'/>")) }
        server.say("<sm:a h='1'/>")
        server.say("<sm:a h='4'/>")
        try await eventually("acknowledged") { await session.unacknowledged.count == 1 }
        #expect(Self.sent(server) == 5)
        server.say("<sm:a h='5'/>")
        let tracked = try await transaction.value
        try await eventually("all are sent") { Self.sent(server) == 15 }
        #expect(!server.heard.contains("<message id='single'/>"))
        server.say("<sm:a h='15'/>")
        try await eventually("the single one, too") { Self.sent(server) == 16 }
        #expect(tracked.count == 10)
        _ = try await single.value
        server.cut()
        _ = try await run.value
    }

    @Test("D23 A transaction that no longer fits gives up its turn, and the next sender gets it")
    func lowerBound() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet { $0.maximumUnacknowledged = 10 },
            clock: ManualClock())
        for message in Self.messages(1...5) { try await session.send(message) }
        let transaction = Task {
            try await session.commit(nil, with: NoEffects(), in: storage, sending: Self.messages(101...110))
        }
        try await eventually("waits") { await session.waitingSenderCount == 1 }
        let single = Task { try await session.send(element("<message id='single'/>")) }
        try await eventually("both wait") { await session.waitingSenderCount == 2 }
        await session.configure { $0.maximumUnacknowledged = 6 }
        await #expect(throws: StreamManagementError.queueFull(limit: 6)) { try await transaction.value }
        _ = try await single.value
        #expect(await session.unacknowledged.count == 6)
    }

    @Test("D23 Each of several transactions that no longer fit gives up its turn")
    func lowerBoundForSeveral() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet { $0.maximumUnacknowledged = 10 },
            clock: ManualClock())
        for message in Self.messages(1...5) { try await session.send(message) }
        var transactions: [Task<[SentStanza], any Error>] = []
        for count in 1...2 {
            transactions.append(
                Task {
                    try await session.commit(nil, with: NoEffects(), in: storage, sending: Self.messages(101...110))
                })
            try await eventually("waits") { await session.waitingSenderCount == count }
        }
        let single = Task { try await session.send(element("<message id='single'/>")) }
        try await eventually("all wait") { await session.waitingSenderCount == 3 }
        await session.configure { $0.maximumUnacknowledged = 6 }
        for transaction in transactions {
            await #expect(throws: StreamManagementError.queueFull(limit: 6)) { try await transaction.value }
        }
        _ = try await single.value
        #expect(await session.unacknowledged.count == 6)
    }

    @Test("D23 The turn of a first sender that is canceled passes to the next one")
    func canceledFirst() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet { $0.maximumUnacknowledged = 10 },
            clock: ManualClock())
        for message in Self.messages(1...5) { try await session.send(message) }
        let transaction = Task {
            try await session.commit(nil, with: NoEffects(), in: storage, sending: Self.messages(101...110))
        }
        try await eventually("waits") { await session.waitingSenderCount == 1 }
        let single = Task { try await session.send(element("<message id='single'/>")) }
        try await eventually("both wait") { await session.waitingSenderCount == 2 }
        transaction.cancel()
        await #expect(throws: CancellationError.self) { try await transaction.value }
        _ = try await single.value
        #expect(await session.unacknowledged.count == 6)
    }

    @Test("D23 Later stanzas of a batch use no room that another sender waits for")
    func batchBehindSender() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet { $0.maximumUnacknowledged = 10 },
            clock: ManualClock())
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        for message in Self.messages(1...5) { try await session.send(message) }
        try await eventually("sent") { Self.sent(server) == 5 }
        let batch = [Self.messages(101...106), Self.messages(107...107)].map {
            BatchEntry(stanza: nil, effects: NoEffects(), outgoing: $0)
        }
        let committing = Task { try await session.commit(batch, in: storage) }
        try await eventually("the batch waits") { await session.waitingSenderCount == 1 }
        let single = Task { try await session.send(element("<message id='single'/>")) }
        try await eventually("both wait") { await session.waitingSenderCount == 2 }
        server.say("<sm:a h='4'/>")
        #expect(try await committing.value.sent.map(\.count) == [6])
        _ = try await single.value
        server.cut()
        _ = try await run.value
    }

    @Test("The app is notified of a server that answers and acknowledges too little")
    func withheld() async throws {
        let clock = ManualClock()
        let session = try await StreamSession(
            account: "juliet@example.org", storage: CountingStorage(),
            configuration: .quiet { $0.maximumUnacknowledged = 2 }, clock: clock)
        let server = ScriptedTransport { heard in
            if heard.hasPrefix("<enable ") { return ["<sm:enabled id='s1' resume='true'/>"] }
            return heard == "<r/>" ? ["<sm:a h='0'/>"] : []
        }
        let events = await session.events()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        for message in Self.messages(1...2) { try await session.send(message) }
        let sender = Task { try await session.send(element("<message id='m3'/>")) }
        try await eventually("asked") { server.heard.contains("<r/>") }
        for count in 2...4 {
            try await eventually("armed") { clock.sleeperCount > 0 }
            clock.advance(by: .seconds(30))
            try await eventually("asked again") { server.heard.count { $0 == "<r/>" } == count }
        }
        await session.close()
        await #expect(throws: StreamManagementError.ended) { try await sender.value }
        var reports: [SessionEvent] = []
        for await event in events {
            if case .acknowledgementWithheld(let first, let count) = event {
                #expect(first.id == "m1" && count == 2)
                reports.append(event)
            }
        }
        #expect(reports.count == 1)
        _ = try await run.value
    }
}
