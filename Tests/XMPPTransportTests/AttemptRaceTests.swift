// The order of an attempt's servers (RFC 8305): pure decisions, and servers that are silent in turn.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct AttemptRaceTests: HostileServers {
    private static func race(_ count: Int, deadline: Int = 10_000) -> AttemptRace {
        AttemptRace(
            count: count, stagger: .milliseconds(250), deadline: .milliseconds(deadline), at: .milliseconds(1000))
    }

    private typealias Action = AttemptRace.Action

    private static func wake(_ time: Int) -> Action { .wake(at: .milliseconds(time)) }

    @Test("A silent server costs a quarter of a second") func silence() {
        var race = Self.race(3)
        #expect(race.wake(at: .milliseconds(1000)) == [.start(0), Self.wake(1250)])
        // Early calls change nothing.
        #expect(race.wake(at: .milliseconds(1249)) == [Self.wake(1250)])
        #expect(race.wake(at: .milliseconds(1250)) == [.start(1), Self.wake(1500)])
        #expect(race.wake(at: .milliseconds(1500)) == [.start(2), Self.wake(10_000)])
        #expect(race.wake(at: .milliseconds(9999)) == [Self.wake(10_000)])
        #expect(race.wake(at: .milliseconds(10_000)) == [.giveUp])
        #expect(race.wake(at: .milliseconds(10_001)) == [])
    }

    @Test("A server that answers a step postpones the next server, and a failure brings it forward") func events() {
        var race = Self.race(3)
        _ = race.wake(at: .milliseconds(1000))
        #expect(race.progressed(at: .milliseconds(1200)) == [Self.wake(1450)])
        #expect(race.wake(at: .milliseconds(1250)) == [Self.wake(1450)])
        #expect(race.failed(at: .milliseconds(1300)) == [.start(1), Self.wake(1550)])
        #expect(race.failed(at: .milliseconds(1301)) == [.start(2), Self.wake(10_000)])
        #expect(race.progressed(at: .milliseconds(1302)) == [Self.wake(10_000)])
        #expect(race.failed(at: .milliseconds(1303)) == [.giveUp])
        #expect(race.failed(at: .milliseconds(1304)) == [])
    }

    @Test("The whole race is bounded, also while servers wait for their turn") func bound() {
        var race = Self.race(9, deadline: 1100)
        #expect(race.wake(at: .milliseconds(1000)) == [.start(0), Self.wake(1100)])
        #expect(race.wake(at: .milliseconds(1100)) == [.giveUp])
        var empty = Self.race(0)
        #expect(empty.wake(at: .milliseconds(1000)) == [.giveUp])
        #expect(ConnectionTimeouts().attempt == .seconds(10) && ConnectionTimeouts().stagger == .milliseconds(250))
    }

    // MARK: Servers

    /// The step that a server does not answer.
    enum Silence: CaseIterable {
        case stream, handshake, features
    }

    private static func beSilent(_ silence: Silence, _ server: ScriptedConnection) async throws {
        if silence == .features {
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(ScriptedConnection.header)
        }
        try await server.wait()
    }

    private func connector(
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing()
        configuration.timeouts.stagger = .milliseconds(20)
        change(&configuration)
        return try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
    }

    @Test("Another server is tried beside a silent one, and wins", arguments: Silence.allCases)
    func silentServer(silence: Silence) async throws {
        let (silentCount, count) = (Counter(), Counter())
        let silent = try await ScriptedServer(silence == .handshake ? nil : .localhost) { server in
            silentCount.next()
            try await Self.beSilent(silence, server)
        }
        let honest = try await ScriptedServer(.localhost) { server in
            count.next()
            try await server.logIn()
            try await server.open("")
            try await server.wait()
        }
        // Any time limit of a step is ten minutes here.
        let connected = try await connector().connect(
            toFirstOf: [silent, silent, honest].map { $0.endpoint(.directTLS) }, inline: { _ in [] })
        #expect(connected.isEncrypted && silentCount.value == 2 && count.value == 1)
    }

    /// The error of an attempt whose whole time is over after some seconds. On a machine without a free thread, a time
    /// may be over before the servers have answered: the next one is longer.
    private func failure(_ servers: ScriptedServer...) async throws -> XMPPConnectionError? {
        var failure: XMPPConnectionError?
        for seconds in [1, 10, 100] where failure == nil || failure == .timedOut(.connecting) {
            failure = await #expect(throws: XMPPConnectionError.self) {
                try await connector { $0.timeouts.attempt = .seconds(seconds) }.connect(
                    toFirstOf: servers.map { $0.endpoint(.directTLS) }, inline: { _ in [] })
            }
        }
        return failure
    }

    @Test("The whole attempt ends in time, at whatever step servers are silent") func wholeAttempt() async throws {
        let silent = try await ScriptedServer(.localhost) { try await $0.wait() }
        let bounded = try connector { $0.timeouts.attempt = .milliseconds(300) }
        await #expect(throws: XMPPConnectionError.timedOut(.connecting)) {
            try await bounded.connect(toFirstOf: [silent.endpoint(.directTLS)], inline: { _ in [] })
        }
        // An error about security is not hidden.
        let stranger = try await ScriptedServer(ServerIdentity(domain: "elsewhere.example")) { try await $0.wait() }
        #expect(try await failure(stranger, silent) == .certificateRejected("it is not for localhost"))
        // A server that is silent during the authentication.
        let late = try await ScriptedServer(.localhost) { server in
            try await server.open(ScriptedConnection.mechanisms("SCRAM-SHA-256"))
            try await server.wait()
        }
        #expect(try await failure(late) == .timedOut(.authenticating))
    }
}
