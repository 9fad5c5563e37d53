// A changed network: a stream proves that it is alive, or another connection replaces it.

import Locking
import Simulators
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct NetworkChangeTests {
    /// Nothing but a changed network connects again.
    private static func policy(shortest: Duration = .zero) -> ReconnectionPolicy {
        var policy = ReconnectionPolicy.after(.seconds(3600))
        policy.shortest = shortest
        return policy
    }

    /// A session whose first connection is enabled, and whose others are held.
    private static func running(
        _ connector: HeldConnector, clock: ManualClock = ManualClock(), shortest: Duration = .zero
    ) async throws -> (session: StreamSession, first: ScriptedTransport, run: Task<StreamEnd, any Error>) {
        let session = try await StreamSession.quiet(resumes: true, clock: clock)
        let run = session.begin(connector, policy(shortest: shortest))
        try await connector.until { $0.count == 1 }
        let first = ScriptedTransport.server()
        connector.release(1, first)
        try await session.until { $0.state == (connector.offersStreamManagement ? .enabled : .disabled(.bound)) }
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
        for _ in 1...2 { clock.advance(by: ReconnectionPolicy().signOfLifeTimeout) }
        first.say("<message/>")
        try await first.until(\.isIdle)
        #expect(await session.state == .enabled && connector.count == 2 && !first.heard.contains("abort"))
        try await session.close(ending: run)
    }

    @Test(
        "A faster connection replaces a dead stream, without a wait, or when it has not answered in a short time",
        arguments: [true, false], [true, false])
    func replaced(isInline: Bool, isSilent: Bool) async throws {
        let connector = HeldConnector(asksInline: isInline)
        let clock = ManualClock()
        let (session, first, run) = try await Self.running(connector, clock: clock)
        let events = await session.events()
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await Self.hasAsked(first)
        if isSilent {
            try await clock.until { $0.sleeperCount == 1 }
            clock.advance(by: ReconnectionPolicy().signOfLifeTimeout)
            try await first.until { $0.heard.last == "abort" }
        }
        let second = ScriptedTransport.server()
        connector.release(2, second)
        try await session.until { $0.didResume && $0.state == .enabled }
        #expect(first.heard.last == "abort" && second.heard.contains { $0.hasPrefix("<resume ") })
        // The stream has ended before the server was asked to resume it.
        #expect(connector.isAliveInline != true)
        #expect(connector.count == 2)
        try await session.close(ending: run)
        // The app sees one loss, and then the resumption.
        var seen: [String] = []
        for await event in events {
            if case .disconnected(.lost(is ReplacedConnection)) = event { seen.append("replaced") }
            if case .disconnected = event { seen.append("disconnected") }
            if case .resumed = event { seen.append("resumed") }
        }
        #expect(seen == (isSilent ? [] : ["replaced"]) + ["disconnected", "resumed"])
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
        try await session.close(ending: run)
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
        try await session.close(ending: run)
    }

    @Test("An attempt that hangs begins again, without a report and without a wait") func hangingAttempt() async throws
    {
        let connector = HeldConnector()
        let clock = ManualClock()
        let session = try await StreamSession.quiet(resumes: true, clock: clock)
        let events = await session.events()
        let run = session.begin(connector, Self.policy(shortest: .seconds(1)))
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
        try await session.close(ending: run)
        for await event in events {
            if case .notConnected = event { Issue.record("a change of the network is not a failure") }
        }
    }

    @Test("A storm of changes begins one attempt beside a stream at a time") func storm() async throws {
        let connector = HeldConnector()
        let clock = ManualClock()
        let (session, first, run) = try await Self.running(connector, clock: clock, shortest: .seconds(1))
        for _ in 1...100 { await session.networkChanged() }
        // The alarm, and the attempt.
        try await clock.until { $0.sleeperCount == 2 }
        #expect(connector.count == 1)
        clock.advance(by: .seconds(1))
        try await connector.until { $0.count == 2 }
        // One question is open at a time.
        #expect(first.heard.filter { $0.hasPrefix("<r") }.count == 1)
        try await session.close(ending: run)
        try await connector.until { $0.canceled == [2] }
    }

    @Test("Where no stanzas are counted, the session sends a ping") func ping() async throws {
        let connector = HeldConnector(features: StreamFeatures())
        let (session, server, run) = try await Self.running(connector)
        await session.networkChanged()
        try await connector.until { $0.count == 2 }
        try await server.until { $0.heard.contains { $0.hasPrefix("<iq") } }
        let ping = try #require(server.heard.last { $0.hasPrefix("<iq") }.map { element($0) })
        server.say("<iq type='result' id='\(ping["id"] ?? "")'/>")
        try await connector.until { $0.canceled == [2] }
        #expect(await session.state == .disabled(.bound))
        try await session.close(ending: run)
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

    var offersStreamManagement: Bool { features != StreamFeatures() }

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
