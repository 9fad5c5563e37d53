// Signs of life where no stanzas are counted.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct PingTests {
    private static func run(
        _ session: StreamSession, _ connector: some StreamConnector
    ) -> Task<StreamEnd, any Error> {
        var policy = ReconnectionPolicy()
        policy.first = .zero
        policy.probeInterval = .seconds(100)
        return Task { [policy] in try await session.run(connecting: connector, policy: policy) }
    }

    private static func session(
        _ clock: ManualClock, _ change: (inout StreamManagementConfiguration) -> Void
    ) async throws -> StreamSession {
        try await StreamSession(
            account: "juliet@example.org", storage: MemoryStorage(), configuration: .quiet(change), clock: clock)
    }

    @Test(
        "A server that refuses stream management, or is not asked for it, is pinged when it is silent",
        arguments: [true, false])
    func pings(isRefused: Bool) async throws {
        let clock = ManualClock()
        let session = try await Self.session(clock) {
            $0.acknowledgementTimeout = .seconds(30)
            $0.enablesAutomatically = isRefused
        }
        let servers = (1...2).map { _ in
            ScriptedTransport { heard in heard.hasPrefix("<enable ") ? ["<sm:failed/>"] : [] }
        }
        let count = Counter()
        let run = Self.run(
            session,
            ConnectorOf { _, _ in
                let number = count.next()
                return ConnectedStream(servers[min(number, 2) - 1])
            })
        try await session.until { $0.state == .disabled(isRefused ? .refused : .bound) }
        func pass(_ time: Duration) async throws {
            clock.advance(by: time)
            try await clock.until { $0.sleeperCount == 1 }
        }
        var stanzas = session.stanzas.makeAsyncIterator()
        func receive(_ id: String) async {
            servers[0].say("<message id='\(id)'/>")
            #expect(await stanzas.next()?.element["id"] == id)
        }
        try await clock.until { $0.sleeperCount == 1 }
        await receive("first")
        try await pass(.seconds(100))
        for (number, type) in ["result", "error"].enumerated() {
            try await pass(.seconds(100))
            let pings = { servers[0].heard.filter { $0.hasPrefix("<iq") }.map { element($0) } }
            try await servers[0].until { _ in pings().count == number + 1 }
            let ping = try #require(pings().last)
            #expect(ping.child("ping", namespace: .uri("urn:xmpp:ping")) != nil && ping["type"] == "get")
            // The session does not deliver the answer.
            servers[0].say("<iq type='\(type)' id='\(ping["id"] ?? "")'/>")
            await receive(type)
            try await pass(.seconds(30))
        }
        #expect(count.value == 1)
        // Now the server is silent.
        try await pass(.seconds(100))
        clock.advance(by: .seconds(30))
        try await eventually("another connection") { count.value == 2 }
        await session.close()
        _ = try await run.value
    }

    @Test("Without a timeout, an idle server is asked and not given up") func noTimeout() async throws {
        let clock = ManualClock()
        let session = try await Self.session(clock) { $0.acknowledgementTimeout = .zero }
        let connector = TestConnector()
        let run = Self.run(session, connector)
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        let asked = { server.heard.filter { $0.hasPrefix("<r") }.count }
        for number in 1...3 {
            try await eventually("asked") {
                clock.advance(by: .seconds(10))
                return asked() == number
            }
            server.say("<sm:a h='0'/>")
            try await server.until(\.isIdle)
        }
        // It does not answer the next one.
        try await eventually("asked") {
            clock.advance(by: .seconds(10))
            return asked() == 4
        }
        for _ in 1...3 {
            try await clock.until { $0.sleeperCount == 1 }
            clock.advance(by: .seconds(100))
        }
        #expect(connector.places.count == 1)
        await session.close()
        _ = try await run.value
    }

    @Test("D18 A request for a sign of life is the only one in flight, and D48 has to be answered")
    func requestAfterSignOfLife() async throws {
        let clock = ManualClock()
        // Writing the request takes many reads of the clock.
        let patience = Duration.seconds(1_000_000_000)
        let session = try await Self.session(clock) { $0.acknowledgementTimeout = patience }
        let connector = TestConnector()
        let run = Self.run(session, connector)
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        let asked = { server.heard.filter { $0.hasPrefix("<r") }.count }
        try await eventually("asked") {
            clock.advance(by: .seconds(100))
            return asked() == 1
        }
        try await session.send(element("<message id='m1'/>"))
        try await session.requestAcknowledgement()
        try await server.until { $0.heard.contains("<message id='m1'/>") }
        #expect(asked() == 1)
        // It answers the first request only.
        server.say("<sm:a h='0'/>")
        try await server.until { _ in asked() == 2 }
        clock.advance(by: patience)
        try await connector.until { $0.places.count == 2 }
        await session.close()
        _ = try await run.value
    }

    @Test("D18 The session does not ask again while a request is in flight") func onceInFlight() async throws {
        let clock = ManualClock()
        let session = try await Self.session(clock) { $0.acknowledgementTimeout = .seconds(100_000) }
        let connector = TestConnector()
        let run = Self.run(session, connector)
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        try await session.send(element("<message id='m1'/>"))
        try await session.requestAcknowledgement()
        for _ in 1...2 {
            try await clock.until { $0.sleeperCount == 2 }
            clock.advance(by: .seconds(100))
        }
        try await clock.until { $0.sleeperCount == 2 }
        try await session.send(element("<message id='m2'/>"))
        try await server.until { $0.heard.last == "<message id='m2'/>" }
        #expect(server.heard.filter { $0.hasPrefix("<r") }.count == 1)
        await session.close()
        _ = try await run.value
    }
}
