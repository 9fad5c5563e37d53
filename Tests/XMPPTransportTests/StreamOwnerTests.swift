// The account of a stream: its server, its resource and its session are the account's, or the client ends it.

import ServerSupport
import StreamManagement
import Testing
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct StreamOwnerTests: HostileServers {
    private static let strange = ScriptedConnection.header.replacing("from='localhost'", with: "from='evil.example'")

    @Test("The client ends a stream of another domain, and reports a stream error that comes instead")
    func strangeServer() async throws {
        let told = AsyncStream.makeStream(of: String.self)
        let server = try await ScriptedServer { server in
            defer { told.continuation.finish() }
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(Self.strange + "<stream:features/>")
            told.continuation.yield(try await server.hear("</stream:stream>"))
        }
        let connector = try connector(to: server)
        await #expect(
            throws: XMPPConnectionError.invalidStream("expected it to be from localhost, found evil.example")
        ) { try await connector.connect() }
        #expect(await told.stream.first { _ in true }?.contains("<invalid-from ") == true)
        let unknown = try await ScriptedServer { server in
            try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
            try await server.say(
                Self.strange
                    + "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>")
            try await server.wait()
        }
        let other = try self.connector(to: unknown)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await other.connect() }
        guard case .streamError(let error)? = failure else {
            Issue.record("expected a stream error, found \(String(describing: failure))")
            return
        }
        #expect(error.condition == "host-unknown")
    }

    @Test("A resource of another account is an error") func otherResource() async throws {
        let server = try await ScriptedServer { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            try await server.bind(as: "mallory@localhost/1")
            try await server.wait()
        }
        let transport = try await connector(to: server).connect().transport
        await #expect(throws: XMPPConnectionError.wrongAccount("mallory@localhost/1", expected: "alice@localhost")) {
            try await transport.bind()
        }
    }

    @Test("A refused resource is an error of its own") func noResource() async throws {
        let server = try await ScriptedServer { server in
            try await server.logIn("SCRAM-SHA-1")
            try await server.open("")
            let id = try await server.hear("</iq>").firstMatch(of: /id=['"]([^'"]*)['"]/)?.1 ?? ""
            try await server.say(
                "<iq type='error' id='\(id)'><error type='cancel'>"
                    + "<not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
            try await server.wait()
        }
        let transport = try await connector(to: server).connect().transport
        await #expect(throws: XMPPConnectionError.bindingFailed(condition: "not-allowed")) {
            try await transport.bind()
        }
    }

    @Test("A session does not run on the connections of another account") func otherSession() async throws {
        // The server refuses the password, so that a login would end the run, too.
        let server = try await ScriptedServer { server in
            try await server.logIn("SCRAM-SHA-256", SCRAMServer(password: "another"))
        }
        let connector = try connector(to: server)
        let session = try await StreamSession(account: "bob@localhost", storage: MemoryStorage())
        await #expect(throws: XMPPConnectionError.wrongAccount("bob@localhost", expected: "alice@localhost")) {
            try await session.run(connecting: connector)
        }
        await session.close()
    }

    /// Servers with the rules of RFC 3920 fold these names, and have resources that RFC 7622 refuses.
    @Test(
        "Servers may spell an account by older rules",
        arguments: [
            ("\u{39D}\u{399}\u{39A}\u{39F}\u{3A3}@b", "\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C3}@b/1"),
            ("\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C2}@b", "\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C3}@b/1"),
            ("stra\u{DF}e@b", "strasse@b/1"), ("ab@c", "a\u{200D}b@c"),
            ("juliet@example.org", "juliet@example.org/\u{845B}\u{E0100}"), ("a@b", "a@b/\u{301}"),
            ("a@fa\u{DF}.de", "a@xn--fa-hia.de/1"), ("a@xn--fa-hia.de", "a@xn--fa-hia.de/1"),
        ])
    func olderRules(text: String, bound: String) throws {
        let account = try JID(parsing: text)
        try account.check(bound: bound)
        #expect(throws: XMPPConnectionError.wrongAccount("x" + bound, expected: account.description)) {
            try account.check(bound: "x" + bound)
        }
    }

    @Test("A connector serves the sessions of its account only, whatever their resource") func sessionsOfTheAccount()
        throws
    {
        let connector = try XMPPConnector(account: "juliet@example.org/balcony", password: Password("secret"))
        #expect(connector.account == "juliet@example.org")
        try connector.check(account: "Juliet@Example.org/chamber")
        #expect(throws: XMPPConnectionError.wrongAccount("romeo@example.org", expected: "juliet@example.org")) {
            try connector.check(account: "romeo@example.org/orchard")
        }
        #expect(throws: XMPPConnectionError.invalidAddress("example.org")) {
            try XMPPConnector(account: "example.org", password: Password("secret"))
        }
    }

    @Test("A connector requests the resource of its account, unless its settings name another") func resources() throws
    {
        func requested(_ account: JID, _ resource: String?) throws -> String? {
            var configuration = XMPPConnectorConfiguration()
            configuration.resource = resource
            let connector = try XMPPConnector(
                account: account, password: Password("secret"), configuration: configuration)
            return connector.configuration.resource
        }
        #expect(try requested("juliet@example.org", nil) == nil)
        #expect(try requested("juliet@example.org/balcony", nil) == "balcony")
        #expect(try requested("juliet@example.org/balcony", "chamber") == "chamber")
    }

    @Test("Addresses are one account whatever their case and resource") func sameAccount() throws {
        let account: JID = "Juliet@bücher.example"
        for address in ["juliet@bücher.example", "JULIET@BÜCHER.example/a@b/c", "juliet@xn--bcher-kva.example/1"] {
            #expect(account.isAccount(of: address))
        }
        for address in [
            "", "juliet", "bücher.example", "romeo@bücher.example", "juliet@bucher.example", "juliet/@bücher.example",
            "juliet@bücher.example.evil",
        ] {
            #expect(!account.isAccount(of: address))
        }
    }
}
