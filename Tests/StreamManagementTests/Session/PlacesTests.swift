// Resuming at the ordinary place if the server's location does not resume the session (rule R13).

import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct PlacesTests {
    /// The behavior of the server's location.
    enum Fault: String, CaseIterable {
        case takesNoConnection, cuts, closes, complains, complainsOfUs, breaksTheProtocol
    }

    private static func server(at place: String?, _ fault: Fault) throws -> ScriptedTransport {
        guard place != nil else {
            return ScriptedTransport { heard in
                if heard.hasPrefix("<enable ") {
                    return ["<sm:enabled id='s1' resume='true' location='near.example.org'/>"]
                }
                return heard.hasPrefix("<resume ") ? ["<sm:resumed previd='s1' h='0'/>"] : []
            }
        }
        switch fault {
        case .takesNoConnection: throw ScriptedTransport.Gone()
        case .complains:
            return ScriptedTransport { heard in
                heard.hasPrefix("<resume ") ? ["<stream:error><err:host-unknown/></stream:error>"] : []
            }
        case .complainsOfUs:
            return ScriptedTransport { heard in
                heard.hasPrefix("<resume ") ? ["<stream:error><err:invalid-xml/></stream:error>"] : []
            }
        case .breaksTheProtocol:
            return ScriptedTransport { heard in heard.hasPrefix("<resume ") ? ["<message/>"] : [] }
        case .cuts, .closes: return ScriptedTransport()
        }
    }

    @Test(
        "R13 A session that is not resumed at the server's location is resumed at the ordinary place",
        arguments: Fault.allCases)
    func fallback(fault: Fault) async throws {
        let session = try await InlineResumptionTests.session()
        let connector = TestConnector { try Self.server(at: $0, fault) }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await session.until { $0.state == .enabled }
        try await connector.server(1).cut()
        if fault == .cuts || fault == .closes {
            let near = try await connector.server(2)
            try await near.until { !$0.heard.isEmpty }
            if fault == .cuts { near.cut() } else { near.say(nil as String?) }
        }
        try await session.until { $0.didResume }
        #expect(connector.places == [nil, "near.example.org", nil])
        // The next connection begins there again.
        try await connector.server(fault == .takesNoConnection ? 2 : 3).cut()
        try await connector.until { $0.places.count > 3 }
        #expect(connector.places[3] == "near.example.org")
        await session.close()
        _ = try await run.value
    }

    /// A connector checks this, to know whether the server will still answer.
    @Test("R13 A session can be resumed at the ordinary place after a failed authentication elsewhere")
    func inlineResumptionElsewhere() async throws {
        let session = try await InlineResumptionTests.session()
        let made = Lock<[ScriptedTransport]>([])
        let attempts = Lock<[Bool]>([])
        let connector = ConnectorOf { location, inline in
            let canResume = await session.canResume
            attempts.withLock { $0.append(canResume) }
            if location != nil {
                let elements = try await inline(.inline)
                #expect(elements.first?["previd"] == "s1")
            }
            let server = try Self.server(at: location?.description, .takesNoConnection)
            made.withLock { $0.append(server) }
            return ConnectedStream(server)
        }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await session.until { $0.state == .enabled }
        made.withLock { $0[0].cut() }
        try await session.until { $0.didResume }
        #expect(attempts.withLock { $0 } == [false, true, true])
        await session.close()
        _ = try await run.value
    }

    @Test("R32 A server that offers no stream management is not asked to resume") func noOffer() async throws {
        let session = try await InlineResumptionTests.session()
        try await InlineResumptionTests.begin(session)
        let server = ScriptedTransport()
        let run = Task { try await session.run(on: server, features: StreamFeatures()) }
        let sent = try await session.send(element("<message id='m1'/>"))
        #expect(await sent.outcome() == .sent)
        try await server.until { $0.heard == ["bind", "<message id='m1'/>"] }
        await session.close()
        #expect("\(try await run.value)" == "closed")
    }
}
