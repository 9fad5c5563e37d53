// The loop of connections: the order of the places, the waits, and the reasons to end.

import Foundation
import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct ConnectingTests {
    /// Time passes only when a test advances it: the session gives up no stream, and counts none as stable, because a
    /// task waits.
    private func session(clock: any MachineClock = ManualClock()) async throws -> StreamSession {
        try await StreamSession(account: "juliet@example.org", storage: MemoryStorage(), clock: clock)
    }

    @Test("A redirection is followed on an encrypted stream, and not too often", arguments: [true, false])
    func redirection(isEncrypted: Bool) async throws {
        let session = try await session()
        let connector = TestConnector(isEncrypted: isEncrypted)
        var policy = ReconnectionPolicy.impatient
        policy.maximumRedirections = 2
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for count in 1...4 {
            try await connector.server(count).say(
                "<stream:error><err:see-other-host> far.example.org </err:see-other-host></stream:error>")
        }
        _ = try await connector.server(5)
        await session.close()
        _ = try await run.value
        let far = isEncrypted ? "far.example.org" : nil
        #expect(connector.places == [nil, far, far, nil, nil])
    }

    @Test("Final errors end the loop, others do not") func errors() async throws {
        let session = try await session()
        let connector = TestConnector(errors: [.init(isFinal: false), .init(isFinal: false), .init(isFinal: true)])
        await #expect(throws: TestConnector.Failure(isFinal: true)) {
            try await session.run(connecting: connector, policy: .impatient)
        }
        #expect(connector.places.count == 3)
        // The session can run again.
        let other = TestConnector()
        let run = Task { try await session.run(connecting: other, policy: .impatient) }
        _ = try await other.server(1)
        await session.close()
        _ = try await run.value
        await #expect(throws: StreamManagementError.ended) { try await session.run(connecting: other) }
    }

    @Test("Closing, suspending, canceling or a later call ends the wait for the next attempt")
    func stopping() async throws {
        for ending in RunEnding.allCases + [nil] {
            let session = try await session()
            let connector = TestConnector(errors: [.init(isFinal: false)])
            var policy = ReconnectionPolicy()
            policy.first = .seconds(3600)
            policy.maximum = .seconds(3600)
            policy.jitter = 0
            let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
            try await connector.until { $0.places.count == 1 }
            if let ending {
                try await ending.end(run, of: session)
            } else {
                let later = TestConnector()
                let second = Task { try await session.run(connecting: later, policy: policy) }
                #expect("\(try await run.value)" == "superseded")
                _ = try await later.server(1)
                await session.close()
                _ = try await second.value
            }
            #expect(connector.places.count == 1)
        }
    }

    @Test("An idle server is asked for a sign of life, and given up when it gives none") func probes() async throws {
        let clock = ManualClock()
        // Writing the request takes many reads of the clock.
        let patience = Duration.seconds(1_000_000_000)
        let session = try await StreamSession.quiet(clock: clock) { $0.acknowledgementTimeout = patience }
        let connector = TestConnector()
        var policy = ReconnectionPolicy.impatient
        policy.probeInterval = .seconds(100)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        let server = try await connector.server(1)
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
        await session.close()
        _ = try await run.value
    }

    @Test("Waits grow up to a maximum, and jitter makes them shorter only") func policy() {
        var policy = ReconnectionPolicy()
        policy.first = .seconds(1)
        policy.factor = 2
        policy.maximum = .seconds(10)
        policy.jitter = 0
        #expect(
            (0..<6).map { policy.delay(afterFailures: $0, random: 0.7) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        policy.jitter = 0.5
        #expect(policy.delay(afterFailures: 1, random: 0) == .seconds(2))
        #expect(policy.delay(afterFailures: 1, random: 1) == .seconds(1))
        // With every setting and number of failures, a wait is finite and not negative.
        policy.factor = .infinity
        #expect(policy.delay(afterFailures: .max, random: 2) >= .zero)
        policy.factor = -3
        policy.first = .seconds(-1)
        #expect(policy.delay(afterFailures: .min, random: -1) == .zero)
    }
}

/// A connector to scripted servers.
final class TestConnector: StreamConnector, Changing {
    let changes = Changes()

    struct Failure: StreamConnectionError, Equatable {
        let isFinal: Bool
        var isRefusedLogin = false
    }

    private struct State {
        var places: [String?] = []
        var servers: [ScriptedTransport] = []
        var errors: [Failure]
    }

    private let state: Lock<State>
    private let failing: Set<String>
    private let isEncrypted: Bool
    private let asksInline: Bool
    private let makeServer: @Sendable (_ place: String?) throws -> ScriptedTransport

    /// The server of each place enables stream management, unless a test makes another one.
    init(
        location: String? = nil, failing: Set<String> = [], errors: [Failure] = [], isEncrypted: Bool = true,
        asksInline: Bool = false, server makeServer: (@Sendable (_ place: String?) throws -> ScriptedTransport)? = nil
    ) {
        self.asksInline = asksInline
        let location = location.map { " location='\($0)'" } ?? ""
        self.makeServer =
            makeServer ?? { _ in
                ScriptedTransport { heard in
                    heard.hasPrefix("<enable ") ? ["<sm:enabled id='s' resume='true'\(location)/>"] : []
                }
            }
        state = Lock(State(errors: errors))
        self.failing = failing
        self.isEncrypted = isEncrypted
    }

    /// The places that the session asked it to connect to.
    var places: [String?] { state.withLock { $0.places } }

    /// Waits for the server of a connection, counted from 1.
    func server(_ count: Int) async throws -> ScriptedTransport {
        try await until { $0.state.withLock { $0.servers.count >= count } }
        return state.withLock { $0.servers[count - 1] }
    }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        defer { changes.note() }
        state.withLock { $0.places.append(location?.description) }
        changes.note()
        if asksInline { _ = try await inline(ScriptedTransport.features) }
        let transport = try state.withLock { state in
            if let place = location?.description, failing.contains(place) { throw Failure(isFinal: false) }
            if !state.errors.isEmpty { throw state.errors.removeFirst() }
            let server = try makeServer(location?.description)
            state.servers.append(server)
            return server
        }
        return ConnectedStream(transport: transport, features: ScriptedTransport.features, isEncrypted: isEncrypted)
    }
}
