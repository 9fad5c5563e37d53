// Signs of life where no stanzas are counted.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct PingTests {
    @Test(
        "A server that refuses stream management, or is not asked for it, is pinged when it is silent",
        arguments: [true, false])
    func pings(isRefused: Bool) async throws {
        let clock = ManualClock()
        let session = try await InlineResumptionTests.session(clock: clock) {
            $0.acknowledgementTimeout = .seconds(30)
            $0.enablesAutomatically = isRefused
        }
        let connector = TestConnector { _ in
            ScriptedTransport { heard in heard.hasPrefix("<enable ") ? ["<sm:failed/>"] : [] }
        }
        var policy = ReconnectionPolicy.impatient
        policy.probeInterval = .seconds(100)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        let server = try await connector.server(1)
        try await session.until { $0.state == .disabled(isRefused ? .refused : .bound) }
        func pass(_ time: Duration) async throws {
            clock.advance(by: time)
            try await clock.until { $0.sleeperCount == 1 }
        }
        var stanzas = session.stanzas.makeAsyncIterator()
        func receive(_ id: String) async {
            server.say("<message id='\(id)'/>")
            #expect(await stanzas.next()?.element["id"] == id)
        }
        try await clock.until { $0.sleeperCount == 1 }
        await receive("first")
        try await pass(.seconds(100))
        for (number, type) in ["result", "error"].enumerated() {
            try await pass(.seconds(100))
            let pings = { server.heard.filter { $0.hasPrefix("<iq") }.map { element($0) } }
            try await server.until { _ in pings().count == number + 1 }
            let ping = try #require(pings().last)
            #expect(ping.child("ping", namespace: .uri("urn:xmpp:ping")) != nil && ping["type"] == "get")
            // The session does not deliver the answer.
            server.say("<iq type='\(type)' id='\(ping["id"] ?? "")'/>")
            await receive(type)
            try await pass(.seconds(30))
        }
        #expect(connector.places.count == 1)
        // Now the server is silent.
        try await pass(.seconds(100))
        clock.advance(by: .seconds(30))
        _ = try await connector.server(2)
        await session.close()
        _ = try await run.value
    }
}
