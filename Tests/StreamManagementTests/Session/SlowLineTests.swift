// Lines on which a stanza takes longer than an answer may: the session keeps them while bytes move.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct SlowLineTests {
    /// The bytes that move in each half minute, and the bytes that still wait.
    private static let slow: [ByteCounts] = [
        // A large stanza comes.
        ByteCounts(received: 1000), ByteCounts(received: 2000),
        // Others go.
        ByteCounts(received: 2000, sent: 1000, waiting: 100_000),
        ByteCounts(received: 2000, sent: 51_000, waiting: 50_000),
        // The system has taken the rest only now.
        ByteCounts(received: 2000, sent: 101_000),
    ]

    /// A session that has enabled stream management on a server whose bytes are counted.
    private static func enabled(
        _ clock: ManualClock
    ) async throws -> (session: StreamSession, server: ScriptedTransport, run: Task<StreamEnd, any Error>) {
        let line = try await StreamSession.running(clock: clock) { $0.acknowledgementTimeout = .seconds(30) }
        line.server.count(ByteCounts())
        return line
    }

    /// Sends a stanza, and asks whether it has come.
    private func ask(_ session: StreamSession, _ clock: ManualClock) async throws {
        try await session.send(element("<message/>"))
        try await session.requestAcknowledgement()
        try await clock.until { $0.sleeperCount == 1 }
    }

    /// Lets half a minute pass, and checks that the session gives up the server.
    private func expectEnd(_ run: Task<StreamEnd, any Error>, _ clock: ManualClock) async throws {
        clock.advance(by: .seconds(30))
        guard case .abandoned(.acknowledgementMissing) = try await run.value else {
            Issue.record("expected the stream to be given up")
            return
        }
    }

    /// Lets half a minute pass, after which the session waits for the answer once more.
    private func waitInVain(_ clock: ManualClock) async throws {
        clock.advance(by: .seconds(30))
        try await clock.until { $0.sleeperCount == 1 }
    }

    @Test("D48 An acknowledgement is not missing while bytes come or go") func acknowledgement() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await Self.enabled(clock)
        try await ask(session, clock)
        for traffic in Self.slow {
            server.count(traffic)
            try await waitInVain(clock)
            #expect(await session.state == .enabled)
        }
        // A request that the system has accepted proves nothing about the server.
        server.count(ByteCounts(received: 2000, sent: 101_010))
        try await expectEnd(run, clock)
    }

    @Test("D48 An endless trickle of bytes does not replace an acknowledgement") func trickle() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await Self.enabled(clock)
        var received: UInt64 = 0
        for number in 1...2 {
            try await ask(session, clock)
            for _ in 1..<StreamManagementConfiguration.slowLineFactor {
                received += 1
                server.count(ByteCounts(received: received))
                try await waitInVain(clock)
                #expect(await session.state == .enabled)
            }
            // An answer counts for earlier requests; a later request may take as long again.
            if number == 1 {
                server.say("<sm:a h='1'/>")
                try await clock.until { $0.sleeperCount == 0 }
            }
        }
        server.count(ByteCounts(received: received + 1))
        try await expectEnd(run, clock)
    }

    @Test("A server that was asked for a sign of life is not given up while bytes come or go")
    func probe() async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(clock: clock) { $0.acknowledgementTimeout = .seconds(30) }
        let connector = TestConnector()
        var policy = ReconnectionPolicy()
        policy.first = .zero
        policy.probeInterval = .seconds(30)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        let server = try await connector.server(1)
        server.count(ByteCounts())
        try await session.until { $0.state == .enabled }
        try await clock.until { $0.sleeperCount == 1 }
        for (number, traffic) in (Self.slow + Self.slow.suffix(3)).enumerated() {
            server.count(traffic)
            clock.advance(by: .seconds(30))
            // As long as bytes come, the stream alone waits. Then it asks, and the core waits for the answer.
            try await clock.until { $0.sleeperCount == (number < 2 ? 1 : 2) }
            #expect(connector.places.count == 1)
        }
        clock.advance(by: .seconds(30))
        _ = try await connector.server(2)
        await session.close()
        _ = try await run.value
    }

    @Test("Bytes that the system accepts at once are not a sign of life") func traffic() {
        let before = ByteCounts(received: 1, sent: 1)
        #expect(!ByteCounts(received: 1, sent: 1).hasMoved(since: before))
        #expect(!ByteCounts(received: 1, sent: 20).hasMoved(since: before))
        #expect(ByteCounts(received: 1, sent: 20, waiting: 1).hasMoved(since: before))
        #expect(!ByteCounts(received: 1, sent: 1, waiting: 1).hasMoved(since: before))
        #expect(ByteCounts(received: 2, sent: 1).hasMoved(since: before))
    }
}
