// Senders that wait for room get it in the order of their arrival, and the session reports a queue that stays full.

import Locking
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct RoomQueueTests {
    fileprivate static func messages(_ ids: ClosedRange<Int>) -> [Element] {
        ids.map { element("<message id='m\($0)'/>") }
    }

    fileprivate static func sent(_ server: ScriptedTransport) -> Int {
        server.heard.count { $0.hasPrefix("<message") }
    }

    /// A session with five stanzas in a queue of ten places.
    private struct HalfFullQueue {
        let session: StreamSession
        private let storage = CountingStorage()

        init() async throws {
            session = try await StreamSession.quiet(storage) { $0.maximumUnacknowledged = 10 }
            for message in RoomQueueTests.messages(1...5) { try await session.send(message) }
        }

        /// Runs the session until it has sent the five stanzas.
        func run() async throws -> (ScriptedTransport, Task<StreamEnd, any Error>) {
            let server = ScriptedTransport.server()
            let run = Task { [session] in try await session.run(on: server, features: ScriptedTransport.features) }
            try await server.until { RoomQueueTests.sent($0) == 5 }
            return (server, run)
        }

        /// Commits a transaction of ten stanzas.
        func commitTen() -> Task<[SentStanza], any Error> {
            Task { [session] in
                try await session.commit(
                    nil, with: NoEffects(), sending: RoomQueueTests.messages(101...110))
            }
        }

        func sendOne() -> Task<SentStanza, any Error> {
            Task { [session] in try await session.send(element("<message id='single'/>")) }
        }

        func waitForSenders(_ count: Int) async throws {
            try await session.until { $0.waitingSenderCount == count }
        }
    }

    @Test("D23 A transaction of several stanzas gets its room before senders that arrive after it")
    func order() async throws {
        let queue = try await HalfFullQueue()
        let (server, run) = try await queue.run()
        let transaction = queue.commitTen()
        // The transaction has asked, and waits.
        try await server.until { $0.heard.contains("<r/>") }
        let single = queue.sendOne()
        server.say("<sm:a h='1'/>")
        server.say("<sm:a h='4'/>")
        try await queue.session.until { $0.unacknowledged.count == 1 }
        #expect(Self.sent(server) == 5)
        server.say("<sm:a h='5'/>")
        let tracked = try await transaction.value
        try await server.until { Self.sent($0) == 15 }
        #expect(!server.heard.contains("<message id='single'/>"))
        server.say("<sm:a h='15'/>")
        try await server.until { Self.sent($0) == 16 }
        #expect(tracked.count == 10)
        _ = try await single.value
        try await server.cut(ending: run)
    }

    @Test("D23 Transactions that no longer fit give up their turns, and the next sender gets it", arguments: 1...2)
    func lowerBound(count: Int) async throws {
        let queue = try await HalfFullQueue()
        var transactions: [Task<[SentStanza], any Error>] = []
        for number in 1...count {
            transactions.append(queue.commitTen())
            try await queue.waitForSenders(number)
        }
        let single = queue.sendOne()
        try await queue.waitForSenders(count + 1)
        await queue.session.configure { $0.maximumUnacknowledged = 6 }
        for transaction in transactions {
            await #expect(throws: StreamManagementError.queueFull(limit: 6)) { try await transaction.value }
        }
        _ = try await single.value
        #expect(await queue.session.unacknowledged.count == 6)
    }

    @Test("D23 The turn of a first sender that is canceled passes to the next one")
    func canceledFirst() async throws {
        let queue = try await HalfFullQueue()
        let transaction = queue.commitTen()
        try await queue.waitForSenders(1)
        let single = queue.sendOne()
        try await queue.waitForSenders(2)
        transaction.cancel()
        await #expect(throws: CancellationError.self) { try await transaction.value }
        _ = try await single.value
        #expect(await queue.session.unacknowledged.count == 6)
    }

    @Test("The app is notified of a server that answers and acknowledges too little")
    func withheld() async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(CountingStorage(), clock: clock) { $0.maximumUnacknowledged = 2 }
        let server = ScriptedTransport { heard in
            if heard.hasPrefix("<enable ") { return ["<sm:enabled id='s1' resume='true'/>"] }
            return heard == "<r/>" ? ["<sm:a h='0'/>"] : []
        }
        let events = await session.events()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        for message in Self.messages(1...2) { try await session.send(message) }
        let sender = Task { try await session.send(element("<message id='m3'/>")) }
        try await server.until { $0.heard.contains("<r/>") }
        for count in 2...4 {
            try await clock.until { $0.sleeperCount > 0 }
            clock.advance(by: .seconds(30))
            try await server.until { this in this.heard.count { $0 == "<r/>" } == count }
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
