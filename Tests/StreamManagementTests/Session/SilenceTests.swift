// Silent servers and slow lines: a session asks for a sign of life, and keeps a line while bytes move. Resets (D50).

import Simulators
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct SilenceTests {
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

    private let clock = ManualClock()

    /// A session on a server whose bytes are counted. The session has asked for an answer.
    private func asked() async throws -> (
        session: StreamSession, server: ScriptedTransport, run: Task<StreamEnd, any Error>
    ) {
        let line = try await StreamSession.running(clock: clock) { $0.acknowledgementTimeout = .seconds(30) }
        line.server.count(ByteCounts())
        try await ask(line.session)
        return line
    }

    private func ask(_ session: StreamSession) async throws {
        try await session.send(element("<message/>"))
        try await session.requestAcknowledgement()
        try await clock.until { $0.sleeperCount == 1 }
    }

    /// Lets half a minute pass with this traffic, after which the session waits for the answer once more.
    private func waitInVain(_ session: StreamSession, _ server: ScriptedTransport, _ traffic: ByteCounts) async throws {
        server.count(traffic)
        clock.advance(by: .seconds(30))
        try await clock.until { $0.sleeperCount == 1 }
        #expect(await session.state == .enabled)
    }

    @Test("D48 An acknowledgement is not missing while bytes come or go") func acknowledgement() async throws {
        let (session, server, run) = try await asked()
        for traffic in Self.slow { try await waitInVain(session, server, traffic) }
        // A request that the system has accepted proves nothing about the server.
        server.count(ByteCounts(received: 2000, sent: 101_010))
        clock.advance(by: .seconds(30))
        #expect(try await run.value == .abandoned(.acknowledgementMissing))
    }

    @Test("D48 An endless trickle of bytes does not replace an acknowledgement") func trickle() async throws {
        let (session, server, run) = try await asked()
        var received: UInt64 = 0
        for number in 1...2 {
            for _ in 1..<StreamManagementConfiguration.slowLineFactor {
                received += 1
                try await waitInVain(session, server, ByteCounts(received: received))
            }
            guard number == 1 else { continue }
            // An answer counts for earlier requests; a later request may take as long again.
            server.say("<sm:a h='1'/>")
            try await clock.until { $0.sleeperCount == 0 }
            try await ask(session)
        }
        server.count(ByteCounts(received: received + 1))
        clock.advance(by: .seconds(30))
        #expect(try await run.value == .abandoned(.acknowledgementMissing))
    }

    // MARK: Signs of life

    private func connected(
        _ connector: TestConnector, probe: Duration, _ change: (inout StreamManagementConfiguration) -> Void
    ) async throws -> (session: StreamSession, server: ScriptedTransport, run: Task<StreamEnd, any Error>) {
        let session = try await StreamSession.quiet(clock: clock, change)
        var policy = ReconnectionPolicy.impatient
        policy.probeInterval = probe
        let run = session.begin(connector, policy)
        return (session, try await connector.server(1), run)
    }

    @Test("A server that was asked for a sign of life is not given up while bytes come or go")
    func probeOnASlowLine() async throws {
        let connector = TestConnector()
        let (session, server, run) = try await connected(connector, probe: .seconds(30)) {
            $0.acknowledgementTimeout = .seconds(30)
        }
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
        try await session.close(ending: run)
    }

    @Test("An idle server is asked for a sign of life, and given up when it gives none") func probes() async throws {
        // Writing the request takes many reads of the clock.
        let patience = Duration.seconds(1_000_000_000)
        let connector = TestConnector()
        let (session, server, run) = try await connected(connector, probe: .seconds(100)) {
            $0.acknowledgementTimeout = patience
        }
        try await session.until { $0.state == .enabled }
        func waitUntilAsked(_ count: Int) async throws {
            try await eventually("asked") {
                clock.advance(by: .seconds(100))
                return server.heard.filter { $0.hasPrefix("<r") }.count == count
            }
            // The core waits for the answer, and the stream for the next silent interval.
            try await clock.until { $0.sleeperCount == 2 }
        }
        // It answers once, and then never again.
        try await waitUntilAsked(1)
        server.say("<sm:a h='0'/>")
        try await server.until(\.isIdle)
        clock.advance(by: patience)
        try await waitUntilAsked(2)
        #expect(connector.places.count == 1)
        clock.advance(by: patience)
        try await connector.until { $0.places.count == 2 }
        try await session.close(ending: run)
    }

    @Test(
        "A server that refuses stream management, or is not asked for it, is pinged when it is silent",
        arguments: [true, false])
    func pings(isRefused: Bool) async throws {
        let connector = TestConnector { _ in
            ScriptedTransport { heard in heard.hasPrefix("<enable ") ? ["<sm:failed/>"] : [] }
        }
        let (session, server, run) = try await connected(connector, probe: .seconds(100)) {
            $0.acknowledgementTimeout = .seconds(30)
            $0.enablesAutomatically = isRefused
        }
        try await session.until { $0.state == .disabled(isRefused ? .refused : .bound) }
        func pass(_ time: Duration) async throws {
            clock.advance(by: time)
            try await clock.until { $0.sleeperCount == 1 }
        }
        func receive(_ id: String) async throws {
            server.say("<message id='\(id)'/>")
            #expect(try await session.take().element["id"] == id)
        }
        try await clock.until { $0.sleeperCount == 1 }
        try await receive("first")
        try await pass(.seconds(100))
        for (number, type) in ["result", "error"].enumerated() {
            try await pass(.seconds(100))
            let pings = { server.heard.filter { $0.hasPrefix("<iq") }.map { element($0) } }
            try await server.until { _ in pings().count == number + 1 }
            let ping = try #require(pings().last)
            #expect(ping.child("ping", namespace: .uri("urn:xmpp:ping")) != nil && ping["type"] == "get")
            // The session does not deliver the answer.
            server.say("<iq type='\(type)' id='\(ping["id"] ?? "")'/>")
            try await receive(type)
            try await pass(.seconds(30))
        }
        #expect(connector.places.count == 1)
        // Now the server is silent.
        try await pass(.seconds(100))
        clock.advance(by: .seconds(30))
        _ = try await connector.server(2)
        try await session.close(ending: run)
    }

    // MARK: Resets

    private struct Broken: StreamConnectionError, Equatable {
        var isFinal: Bool { false }
        var isReset: Bool
    }

    /// An error of a connection that leaves `isReset` to the default.
    private struct Refused: StreamConnectionError {
        var isFinal: Bool { false }
    }

    /// How the session notices the end.
    enum Way: CaseIterable {
        case reading, writing, pausedReader, canceled
    }

    private static let errors: [any Error] = [
        Broken(isReset: true), Broken(isReset: false), Refused(), ScriptedTransport.Gone(),
    ]

    @Test("D50 Only a reset counts as one, however the session notices it", arguments: 0...3, Way.allCases)
    func resets(error: Int, way: Way) async throws {
        let error = Self.errors[error]
        let session = try await StreamSession.quiet(
            resumes: true, handling: .deciding { _ in .pending(id: nil) }
        ) { $0.maximumUnhandled = 1 }
        try await session.send(element(message("large", bytes: 10_000)))
        for _ in 1...StreamManagementConfiguration.resetsPerLoss {
            let server = ScriptedTransport.server()
            server.breaks(with: error)
            let run = session.begin(on: server)
            try await server.until { this in this.heard.contains { $0.hasPrefix("<message") } }
            try await session.until { $0.state == .enabled }
            switch way {
            case .reading: server.cut()
            case .writing:
                server.failWrites()
                try await session.requestAcknowledgement()
                // The reader gets the rest of the bytes, here none, and then the end.
                try await server.until { $0.failedWrites == 1 }
                server.cut()
            case .pausedReader:
                // Only the write shows the end.
                if await !session.isInputHeldUp { server.say("<message/>") }
                try await session.until { $0.isInputHeldUp }
                server.failWrites()
                try await session.requestAcknowledgement()
            case .canceled: run.cancel()
            }
            let end = try await run.value
            if way != .canceled { #expect(end == .lost(error)) }
        }
        let isReset = (error as? Broken)?.isReset == true && way != .canceled
        #expect(await session.unacknowledged.map(\.losses) == [isReset ? 1 : 0])
    }
}
