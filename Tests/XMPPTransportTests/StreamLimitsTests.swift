// What a server may send at once, on the stream that stanzas come on.

import ServerSupport
import StreamManagement
import Testing
import XMLTree

@testable import XMPPTransport

@Suite struct StreamLimitsTests {
    /// A stanza that goes beyond a limit.
    enum Excess: CaseIterable, Sendable {
        case length, depth

        var stanza: String {
            switch self {
            case .length: "<message><body>" + String(repeating: "a", count: 1100) + "</body></message>"
            case .depth:
                "<message>" + String(repeating: "<a>", count: 20) + String(repeating: "</a>", count: 20) + "</message>"
            }
        }
    }

    /// The stream after authentication has a parser of its own, and so has the one after TLS.
    @Test(
        "A stanza beyond the limits ends the stream, and the server is told", arguments: Excess.allCases, [true, false])
    func limits(excess: Excess, isEncrypted: Bool) async throws {
        let told = AsyncStream.makeStream(of: String.self)
        let server = try await ScriptedServer { server in
            defer { told.continuation.finish() }
            if isEncrypted { try await server.encrypt() }
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.say("<message id='1'/>")
            // What the client has not read when it closes the connection may keep the system from sending its last
            // words.
            try await server.hear("<more/>")
            try await server.say(excess.stanza)
            told.continuation.yield(try await server.hear("</stream:stream>"))
        }
        var configuration = XMPPConnectorConfiguration()
        configuration.server = server.endpoint(isEncrypted ? .startTLS : .unencrypted)
        configuration.trustRoots = .certificates(pem: try Certificates.shared.get().authority)
        configuration.timeouts = .patient
        configuration.parserLimits = ParserLimits(bytes: 1000, depth: 10)
        let transport = try await XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration
        ).connect().transport
        #expect(try await transport.receive()?["id"] == "1")
        try await transport.send(Array("<more/>".utf8))
        let failure = await #expect(throws: XMPPConnectionError.self) { try await transport.receive() }
        #expect(failure.isInvalidXML)
        #expect(await told.stream.first { _ in true }?.contains("<policy-violation ") == true)
    }
}
