// A changed network: a stream proves that it is alive, or another connection replaces it.

import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct NetworkChangeTests {
    private static let policy: ReconnectionPolicy = {
        var policy = ReconnectionPolicy.impatient
        policy.shortest = .zero
        // Nothing else connects again.
        policy.first = .seconds(3600)
        policy.maximum = .seconds(3600)
        policy.jitter = 0
        return policy
    }()

    private static func session(clock: ManualClock = ManualClock()) async throws -> StreamSession {
        try await StreamSession.quiet(resumes: true, clock: clock)
    }

    /// A session whose first connection is enabled, and whose others are held.
    private static func running(
        _ connector: HeldConnector, clock: ManualClock = ManualClock()
    ) async throws -> (session: StreamSession, first: ScriptedTransport, run: Task<StreamEnd, any Error>) {
        let session = try await session(clock: clock)
        let run = Task { try await session.run(connecting: connector, policy: policy) }
        try await connector.until { $0.count == 1 }
        let first = ScriptedTransport.server()
        connector.release(1, first)
        try await session.until { $0.state == .enabled }
        return (session, first, run)
    }

    private static func hasAsked(_ server: ScriptedTransport) async throws {
        try await server.until { $0.heard.contains { $0.hasPrefix("<r ") || $0 == "<r/>" } }
    }

    @Test("A stream that answers continues, and the attempt beside it ends") func alive() async throws {
        let connector = HeldConnector()
        let clock = ManualClock()
        let (session, first, run) = try await Self.running(connector, clock: clock)
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await Self.hasAsked(first)
        // A stanza may have arrived before the network changed.
        first.say("<message/>")
        try await first.until(\.isIdle)
        #expect(connector.canceled == [])
        first.say("<sm:a h='0'/>")
        try await connector.until { $0.canceled == [2] }
        clock.advance(by: Self.policy.signOfLifeTimeout)
        clock.advance(by: Self.policy.signOfLifeTimeout)
        first.say("<message/>")
        try await first.until(\.isIdle)
        #expect(await session.state == .enabled && connector.count == 2 && !first.heard.contains("abort"))
        await session.close()
        #expect(try await run.value == .closed)
    }

    @Test("A faster connection replaces a dead stream, without a wait", arguments: [true, false])
    func replaced(isInline: Bool) async throws {
        let connector = HeldConnector(asksInline: isInline)
        let (session, first, run) = try await Self.running(connector)
        let events = await session.events()
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await Self.hasAsked(first)
        let second = ScriptedTransport.server()
        connector.release(2, second)
        try await session.until { $0.didResume && $0.state == .enabled }
        #expect(first.heard.last == "abort" && second.heard.contains { $0.hasPrefix("<resume ") })
        // The stream has ended before the server was asked to resume it.
        #expect(connector.isAliveInline != true)
        #expect(connector.count == 2)
        await session.close()
        #expect(try await run.value == .closed)
        // The app sees one loss, and then the resumption.
        var seen: [String] = []
        for await event in events {
            if case .disconnected(.lost(is ReplacedConnection)) = event { seen.append("lost") }
            if case .disconnected = event { seen.append("disconnected") }
            if case .resumed = event { seen.append("resumed") }
        }
        #expect(seen == ["lost", "disconnected", "resumed"])
    }

    @Test("Without an answer, a stream ends after a short time, and the attempt continues") func silent() async throws {
        let connector = HeldConnector()
        let clock = ManualClock()
        let (session, first, run) = try await Self.running(connector, clock: clock)
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await clock.until { $0.sleeperCount == 1 }
        clock.advance(by: Self.policy.signOfLifeTimeout)
        try await first.until { $0.heard.last == "abort" }
        connector.release(2, .server())
        try await session.until { $0.didResume && $0.state == .enabled }
        #expect(connector.count == 2)
        await session.close()
        #expect(try await run.value == .closed)
    }

    @Test("A failed attempt does not end a stream, which has the rest of its time") func failedAttempt() async throws {
        let connector = HeldConnector()
        let clock = ManualClock()
        let (session, first, run) = try await Self.running(connector, clock: clock)
        let events = await session.events()
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await Self.hasAsked(first)
        connector.fail(2)
        // The next change begins another one.
        try await eventually("the attempt is over") {
            await session.networkChanged()
            return connector.count == 3
        }
        first.say("<sm:a h='0'/>")
        try await connector.until { $0.canceled == [3] }
        #expect(await session.state == .enabled)
        await session.close()
        #expect(try await run.value == .closed)
        for await event in events {
            if case .notConnected = event { Issue.record("the session was connected all the time") }
            if case .disconnected = event { Issue.record("the session was connected all the time") }
        }
    }

    @Test("A redirection ends the attempt beside its stream, and is followed at once") func redirected() async throws {
        let connector = HeldConnector()
        let (session, first, run) = try await Self.running(connector)
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await Self.hasAsked(first)
        first.say("<stream:error><err:see-other-host>far.example.org</err:see-other-host></stream:error>")
        try await connector.until { $0.count == 3 && $0.canceled == [2] }
        #expect(connector.hosts == [nil, nil, "far.example.org"])
        connector.release(3, .server())
        try await session.until { $0.state == .enabled }
        await session.close()
        #expect(try await run.value == .closed)
    }

    @Test("An attempt that hangs begins again, without a report and without a wait") func hangingAttempt() async throws
    {
        let connector = HeldConnector()
        let clock = ManualClock()
        let session = try await Self.session(clock: clock)
        let events = await session.events()
        var policy = Self.policy
        policy.shortest = .seconds(1)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        try await connector.until { $0.count == 1 }
        await session.networkChanged()
        try await connector.until { $0.canceled == [1] }
        // Attempts stay apart.
        try await clock.until { $0.sleeperCount == 1 }
        #expect(connector.count == 1)
        for _ in 1...100 { await session.networkChanged() }
        clock.advance(by: .seconds(1))
        try await connector.until { $0.count == 2 }
        connector.release(2, .server())
        try await session.until { $0.state == .enabled }
        await session.close()
        #expect(try await run.value == .closed)
        for await event in events {
            if case .notConnected = event { Issue.record("a change of the network is not a failure") }
        }
    }

    @Test("A storm of changes begins one attempt beside a stream at a time") func storm() async throws {
        let connector = HeldConnector()
        let clock = ManualClock()
        let session = try await Self.session(clock: clock)
        var policy = Self.policy
        policy.shortest = .seconds(1)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        try await connector.until { $0.count == 1 }
        let first = ScriptedTransport.server()
        connector.release(1, first)
        try await session.until { $0.state == .enabled }
        for _ in 1...100 { await session.networkChanged() }
        // The alarm, and the attempt.
        try await clock.until { $0.sleeperCount == 2 }
        #expect(connector.count == 1)
        clock.advance(by: .seconds(1))
        try await connector.until { $0.count == 2 }
        // One question is open at a time.
        #expect(first.heard.filter { $0.hasPrefix("<r") }.count == 1)
        await session.close()
        #expect(try await run.value == .closed)
        try await connector.until { $0.canceled == [2] }
    }

    @Test("Where no stanzas are counted, the session sends a ping") func ping() async throws {
        let connector = HeldConnector(features: StreamFeatures())
        let session = try await Self.session()
        let run = Task { try await session.run(connecting: connector, policy: Self.policy) }
        try await connector.until { $0.count == 1 }
        let server = ScriptedTransport()
        connector.release(1, server)
        try await session.until { $0.state == .disabled(.bound) }
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await server.until { $0.heard.contains { $0.hasPrefix("<iq") } }
        let ping = try #require(server.heard.last { $0.hasPrefix("<iq") }.map { element($0) })
        server.say("<iq type='result' id='\(ping["id"] ?? "")'/>")
        try await connector.until { $0.canceled == [2] }
        #expect(await session.state == .disabled(.bound))
        await session.close()
        #expect(try await run.value == .closed)
    }
}

/// Connects when the test says so.
private final class HeldConnector: StreamConnector, Changing {
    let changes = Changes()

    private struct State {
        var attempts: [Race<ScriptedTransport>] = []
        var hosts: [String?] = []
        var canceled: [Int] = []
        /// Whether the first server's connection was open when the elements of a later authentication were asked for.
        var aliveInline: Bool?
        var first: ScriptedTransport?
    }

    private struct Failure: Error {}

    private let state = Lock(State())
    private let asksInline: Bool
    private let features: StreamFeatures

    init(asksInline: Bool = false, features: StreamFeatures = ScriptedTransport.features) {
        self.asksInline = asksInline
        self.features = features
    }

    /// The number of attempts so far.
    var count: Int { state.withLock { $0.attempts.count } }

    /// The places of the attempts; `nil` for the ordinary place.
    var hosts: [String?] { state.withLock(\.hosts) }

    /// The numbers of the canceled attempts, from 1.
    var canceled: [Int] { state.withLock(\.canceled) }

    /// Whether the first connection was open at the later authentication; `nil` without one.
    var isAliveInline: Bool? { state.withLock(\.aliveInline) }

    /// An attempt, counted from 1, connects.
    func release(_ number: Int, _ server: ScriptedTransport) {
        state.withLock { state in
            if number == 1 { state.first = server }
            return state.attempts[number - 1]
        }.end(.success(server))
    }

    /// An attempt fails.
    func fail(_ number: Int) { state.withLock { $0.attempts[number - 1] }.end(.failure(Failure())) }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let attempt = Race<ScriptedTransport>()
        let number = state.withLock { state in
            state.attempts.append(attempt)
            state.hosts.append(location?.host)
            return state.attempts.count
        }
        changes.note()
        let server = try await withTaskCancellationHandler {
            try await attempt.value()
        } onCancel: {
            guard attempt.end(.failure(CancellationError())) else { return }
            state.withLock { $0.canceled.append(number) }
            changes.note()
        }
        if asksInline, number > 1 {
            _ = try await inline(features)
            state.withLock { $0.aliveInline = $0.first?.heard.contains("abort") == false }
        }
        return ConnectedStream(transport: server, features: features, isEncrypted: true)
    }
}
