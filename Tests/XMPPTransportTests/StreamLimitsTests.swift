// The limits of a server's input, and faults of namespaces, on the stream of stanzas.

import ServerSupport
import StreamManagement
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct StreamLimitsTests {
    /// A stanza that the parser rejects.
    enum Excess: CaseIterable, Sendable {
        case length, depth, namespaces

        var stanza: String {
            switch self {
            case .length: "<message id='2'><body>" + String(repeating: "a", count: 1100) + "</body></message>"
            case .depth:
                "<message id='2'>" + String(repeating: "<a>", count: 20) + String(repeating: "</a>", count: 20)
                    + "</message>"
            case .namespaces: "<message id='2'><x xmlns='urn:p' p:y='1'/></message>"
            }
        }

        var kind: XMLParseError.Kind {
            switch self {
            case .length: .limit(.bytes, maximum: 1000)
            case .depth: .limit(.depth, maximum: 10)
            case .namespaces: .unboundPrefix("p")
            }
        }
    }

    /// The streams after TLS and after authentication have their own parsers.
    @Test(
        "A stanza that the parser rejects is skipped and reported, and the stream continues",
        arguments: Excess.allCases, [true, false])
    func limits(excess: Excess, isEncrypted: Bool) async throws {
        let server = try await ScriptedServer { server in
            if isEncrypted { try await server.encrypt() }
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.say("<message id='1'/>")
            try await server.say(excess.stanza + "<message id='3'/>")
            try await server.say("<message></iq>")
            try await server.hear("</stream:stream>")
        }
        var configuration = try XMPPConnectorConfiguration.testing(
            server.endpoint(isEncrypted ? .startTLS : .unencrypted))
        configuration.parserLimits = ParserLimits(bytes: 1000, depth: 10)
        let transport = try await XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration
        ).connect().transport
        #expect(try await transport.receive()?["id"] == "1")
        let rejected = await #expect(throws: RejectedStanza.self) { try await transport.receive() }
        #expect(rejected?.name == "message")
        #expect(rejected?.id == "2")
        #expect(rejected?.error.kind == excess.kind)
        #expect(try await transport.receive()?["id"] == "3")
        // Only malformed input ends the stream.
        let failure = await #expect(throws: XMPPConnectionError.self) { try await transport.receive() }
        #expect(failure.isInvalidXML)
    }
}
