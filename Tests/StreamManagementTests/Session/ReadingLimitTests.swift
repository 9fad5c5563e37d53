// The limit of unhandled stanzas that a session reads, and its factors while the app waits for something.

import Locking
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct ReadingLimitTests {
    /// A session does not keep its delegate.
    private let delegate = AwaitingDelegate()

    /// A session with room to send one stanza, on a server that has enabled stream management. Received stanzas are
    /// pending.
    private func running(
        awaitsAnswer: Bool, maximumUnhandled: Int, clock: ManualClock = ManualClock(), room: Int = 1
    ) async throws -> (StreamSession, ScriptedTransport, Task<StreamEnd, any Error>) {
        let session = try await StreamSession.quiet(handling: .whenConsumed, clock: clock) {
            $0.maximumUnhandled = maximumUnhandled
            $0.maximumUnacknowledged = room
            $0.acknowledgementRequests.count = 1
            $0.acknowledgementTimeout = .seconds(30)
        }
        delegate.setWaiting(awaitsAnswer)
        await session.setDelegate(delegate)
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        return (session, server, run)
    }

    /// The numbers in the comment of `maximumUnhandled`.
    @Test(
        "The limit holds, and is so many times as high while something is awaited",
        arguments: [(false, false, 2), (false, true, 4), (true, false, 32), (true, true, 64)])
    func factors(awaitsAnswer: Bool, awaitsRoom: Bool, expected: Int) async throws {
        let (session, server, run) = try await running(awaitsAnswer: awaitsAnswer, maximumUnhandled: 2)
        let sending = Task {
            if awaitsRoom { for id in 1...2 { try await session.send(element("<message id='\(id)'/>")) } }
        }
        for id in 1...100 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 100 - expected }
        // The session reads no more than that.
        #expect(await session.isInputHeldUp)
        await session.close()
        _ = try await run.value
        _ = await sending.result
    }

    @Test("The factors do not overflow a huge limit", arguments: [Int.max, .max / 2 + 1, .max / 16])
    func noLimit(maximum: Int) async throws {
        let (session, server, run) = try await running(awaitsAnswer: true, maximumUnhandled: maximum)
        try await session.send(element("<message/>"))
        let waiting = Task { try await session.send(element("<message/>")) }
        for id in 1...100 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 0 }
        server.say("<sm:a h='1'/>")
        _ = try await waiting.value
        #expect(await !session.isInputHeldUp)
        try await server.cut(ending: run)
    }

    @Test("D48 The session gives up a silent server also while it reads more than the limit")
    func silence() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await running(awaitsAnswer: true, maximumUnhandled: 2, clock: clock, room: 10)
        for id in 1...5 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 0 }
        try await session.send(element("<iq/>"))
        try await server.until { $0.heard.contains("<r/>") }
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: .seconds(30))
        try await server.until { $0.heard.last == "abort" }
        server.cut()
        guard case .abandoned(.acknowledgementMissing) = try await run.value else { throw Unexpected() }
    }

    @Test("A delegate that waits for an answer is asked again when something is sent")
    func askedAgain() async throws {
        let (session, server, run) = try await running(awaitsAnswer: false, maximumUnhandled: 2, room: 10)
        for id in 1...5 { server.say("<message id='\(id)'/>") }
        try await server.until { $0.unreadCount == 3 }
        delegate.setWaiting(true)
        try await session.send(element("<iq/>"))
        try await server.until { $0.unreadCount == 0 }
        try await server.cut(ending: run)
    }
}

/// Waits for an answer, or does not.
private final class AwaitingDelegate: StreamSessionDelegate {
    private let isWaiting = Lock(false)

    func setWaiting(_ waits: Bool) { isWaiting.withLock { $0 = waits } }

    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { isWaiting.withLock { $0 } }
}
