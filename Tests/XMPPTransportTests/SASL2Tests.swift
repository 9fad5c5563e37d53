// Authentication with resumption and binding in one exchange (XEP-0388, XEP-0386), with Prosody and a scripted server.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct SASL2Tests {
    private static func session(resuming: Bool = true) async throws -> StreamSession {
        var configuration = StreamManagementConfiguration.patient
        configuration.resumesAutomatically = resuming
        return try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: configuration)
    }

    private static let modules = ["sasl2", "sasl2_bind2", "tls_info", "carbons"]

    private static func connector(
        _ server: ServerEndpoint, account: JID = "alice@localhost",
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) throws -> XMPPConnector {
        var configuration = try XMPPConnectorConfiguration.testing(server)
        configuration.userAgent = UserAgent(id: UUID(), software: "tests", device: "here & there")
        change(&configuration)
        return try XMPPConnector(account: account, password: Password("secret"), configuration: configuration)
    }

    @Test("Prosody binds with the authentication; stream management is enabled on the stream that follows")
    func prosody() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(
            .prosody, for: "SASL2", modules: Self.modules)
        let connector = try Self.connector(
            ServerEndpoint(host: "127.0.0.1", port: server.port, security: .startTLS))
        let session = try await Self.session()
        let events = await session.events()
        var policy = ReconnectionPolicy()
        policy.probeInterval = .zero
        let run = Task { [policy] in try await session.run(connecting: connector, tag: "swift", policy: policy) }
        for await event in events {
            if case .enabled(_, let resumption) = event {
                #expect(resumption != nil)
                break
            }
        }
        #expect(await session.address?.hasPrefix("alice@localhost/swift~") == true)
        await session.close()
        guard case .closed = try await run.value else {
            Issue.record("expected the run to end with the session")
            return
        }
    }

    @Test(
        "A connector refuses a user agent with a character that XML forbids",
        arguments: [("\u{0}", "phone"), ("tests", "\u{1B}[2J")])
    func forbiddenUserAgent(software: String, device: String) throws {
        let server = ServerEndpoint(host: "127.0.0.1", port: 1, security: .startTLS)
        let agent = UserAgent(id: UUID(), software: software, device: device)
        let error = #expect(throws: XMPPConnectionError.self) {
            try Self.connector(server) { $0.userAgent = agent }
        }
        guard case .invalidUserAgent(let reason)? = error else {
            Issue.record("expected an error of the user agent, found \(String(describing: error))")
            return
        }
        #expect(reason.kind == .forbiddenCharacter && error?.isFinal == true)
    }

    private static let namespace = "xmlns='urn:xmpp:sasl:2'"
    static let offer = """
        <authentication \(namespace)><mechanism>SCRAM-SHA-256</mechanism><inline><sm xmlns='urn:xmpp:sm:3'/>\
        <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind></inline></authentication>
        """

    /// Authenticates a client, and answers its inline requests.
    ///
    /// - Parameter answer: The name of the element with the server's signature.
    @discardableResult
    static func logIn(
        _ server: ScriptedConnection, _ scram: SCRAMServer = SCRAMServer(), offer: String = Self.offer,
        answer: String = "success", success: String
    ) async throws -> String {
        try await server.open(offer + ScriptedConnection.mechanisms("SCRAM-SHA-1", "PLAIN"))
        let first = try await server.hearBase64(until: "</initial-response>")
        let wishes = try await server.hear("</authenticate>")
        try await server.say("<challenge \(namespace)>\(ScriptedConnection.base64(scram.first(first)))</challenge>")
        let last = try await server.hearBase64(until: "</response>")
        let signature = ScriptedConnection.base64(scram.last(.sha256, first, last) ?? "")
        try await server.say(
            "<\(answer) \(namespace)><additional-data>\(signature)</additional-data>\(success)</\(answer)>")
        return wishes
    }

    @Test("A session is enabled and resumed within the authentication") func inline() async throws {
        let wishes = AsyncStream.makeStream(of: String.self)
        let count = Counter()
        let server = try await ScriptedServer(.localhost) { server in
            switch count.next() {
            case 1:
                wishes.continuation.yield(
                    try await Self.logIn(
                        server,
                        success: "<authorization-identifier>alice@localhost/1</authorization-identifier>"
                            + "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/></bound>"
                    ))
                // The client must not lose early elements.
                try await server.say("<message id='early'/><stream:features/><message id='1'/>")
                try await server.hear("<r")
            default:
                wishes.continuation.yield(
                    try await Self.logIn(
                        server,
                        success: "<authorization-identifier>alice@localhost/1</authorization-identifier>"
                            + "<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"))
                try await server.say("<message id='2'/>")
                try await server.hear("</stream:stream>")
                try await server.say("</stream:stream>")
            }
        }
        let session = try await Self.session()
        let connector = try Self.connector(server.endpoint(.directTLS))
        var policy = ReconnectionPolicy()
        policy.first = .zero
        policy.probeInterval = .zero
        let run = Task { try await session.run(connecting: connector, tag: "swift", policy: policy) }
        var received: [String] = []
        for await stanza in session.stanzas {
            received.append(stanza.element["id"] ?? "")
            // The server ends the first connection when it reads the request after this presence.
            if received.count == 2 { try await session.send(try Element(stanza: "<presence/>")) }
            if received.count == 2 { try await session.requestAcknowledgement() }
            if received.count == 3 { break }
        }
        #expect(received == ["early", "1", "2"])
        #expect(await session.didResume)
        await session.close()
        _ = try await run.value
        wishes.continuation.finish()
        let heard = await wishes.stream.reduce(into: []) { $0.append($1) }
        #expect(heard.count == 2)
        #expect(heard.first?.contains("<tag>swift</tag>") == true && heard.first?.contains("<enable") == true)
        #expect(heard.first?.contains("<device>here &amp; there</device>") == true)
        #expect(heard.last?.contains("<resume") == true && heard.last?.contains("s1") == true)
    }

    @Test("The stream holds early elements up to a size, which one element may exceed", arguments: [true, false])
    func earlyBytes(isRejected: Bool) async throws {
        let text = String(repeating: "x", count: ClientStream.mostHeldBytes)
        let tooMany = (0..<300).map { " a\($0)=''" }.joined()
        let message = isRejected ? "<message id='\(text)'\(tooMany)/>" : "<message><body>\(text)</body></message>"
        for count in 1...2 {
            let server = try await ScriptedServer(.localhost) { server in
                try await Self.logIn(server, success: "")
                for _ in 0..<count { try await server.say(message) }
                try await server.say("<stream:features/>")
                try await server.wait()
            }
            let connector = try Self.connector(server.endpoint(.directTLS))
            if count == 1 {
                let transport = try await connector.connect().transport
                if isRejected {
                    await #expect(throws: RejectedStanza.self) { try await transport.receive() }
                } else {
                    #expect(try await transport.receive()?.name == "message")
                }
                continue
            }
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            if isRejected, case .invalidXML? = failure { continue }
            #expect(failure == .unexpectedElement("message", .opening))
        }
    }

    @Test("Tasks after the server's proof are a final error") func tasks() async throws {
        for (tasks, names) in [
            ("", []), ("<tasks><task>TOTP</task><task>HOTP\n</task><x/></tasks>", ["TOTP", "HOTP\n"]),
        ] {
            let server = try await ScriptedServer(.localhost) { server in
                try await Self.logIn(server, answer: "continue", success: tasks)
                try await server.wait()
            }
            let connector = try Self.connector(server.endpoint(.directTLS))
            let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
            #expect(failure == .tasksNeeded(names) && failure?.isFinal == true)
            #expect(failure?.description.contains("\n") == false)
        }
        // An impostor that does not know the password.
        let impostor = try await ScriptedServer(.localhost) { server in
            try await Self.logIn(server, SCRAMServer(signature: { $0.reversed() }), answer: "continue", success: "")
            try await server.wait()
        }
        let connector = try Self.connector(impostor.endpoint(.directTLS))
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure == .serverNotAuthentic(.wrongSignature) && failure?.isFinal == false)
    }

    @Test("Failures, and answers without the server's proof, are different errors") func failures() async throws {
        for (answer, error) in [
            (
                "<failure \(Self.namespace)><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>",
                XMPPConnectionError.authenticationFailed(condition: "not-authorized", text: nil)
            ),
            (
                "<failure \(Self.namespace)><malformed-request xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>",
                .bindingRefused(text: nil)
            ),
            // Without a condition, it shows nothing about the account.
            ("<failure \(Self.namespace)/>", .authenticationFailed(condition: "undefined-condition", text: nil)),
            ("<continue \(Self.namespace)/>", .serverNotAuthentic(.noSignature)),
            (
                "<continue \(Self.namespace)><tasks><task>TOTP</task></tasks></continue>",
                .serverNotAuthentic(.noSignature)
            ),
            ("<success \(Self.namespace)/>", .serverNotAuthentic(.noSignature)),
            ("<challenge \(Self.namespace)>?</challenge>", .serverNotAuthentic(.malformed)),
        ] {
            let server = try await ScriptedServer(.localhost) { server in
                try await server.open(Self.offer)
                try await server.hear("</authenticate>")
                try await server.say(answer)
                try await server.wait()
            }
            let connector = try Self.connector(server.endpoint(.directTLS))
            await #expect(throws: error) { try await connector.connect() }
            // An attacker can cause the others.
            #expect(error.isFinal == (error == .authenticationFailed(condition: "not-authorized", text: nil)))
        }
    }

    @Test("XEP-0388 §2.1: SASL2 is not used on an unencrypted connection") func unencrypted() async throws {
        let server = try await ScriptedServer { server in
            try await server.logIn(features: Self.offer + ScriptedConnection.mechanisms("SCRAM-SHA-256"))
            try await server.open("")
            try await server.wait()
        }
        let connected = try await Self.connector(server.endpoint()).connect()
        #expect(!connected.isEncrypted && connected.inline == nil)
    }

    @Test("The server authenticates the connector's account, or no account") func otherAccount() async throws {
        let server = try await ScriptedServer(.localhost) { server in
            try await Self.logIn(
                server, success: "<authorization-identifier>mallory@localhost/1</authorization-identifier>")
            try await server.say("<stream:features/>")
            try await server.wait()
        }
        let connector = try Self.connector(server.endpoint(.directTLS))
        await #expect(throws: XMPPConnectionError.wrongAccount("mallory@localhost/1", expected: "alice@localhost")) {
            try await connector.connect()
        }
    }

    // MARK: Requests with the binding

    @Test("XEP-0386: the app's requests go with the binding, if the server accepts them there")
    func bindRequests() async throws {
        let wishes = AsyncStream.makeStream(of: String.self)
        let server = try await ScriptedServer(.localhost) { server in
            let offer = Self.offer.replacing(
                "<feature var='urn:xmpp:sm:3'/>", with: "<feature var='urn:xmpp:carbons:2'/>")
            wishes.continuation.yield(try await Self.logIn(server, offer: offer, success: ""))
            try await server.say("<stream:features/>")
            try await server.wait()
        }
        let requests = try [
            element("<enable xmlns='urn:xmpp:carbons:2'/>"), element("<inactive xmlns='urn:xmpp:csi:0'/>"),
        ]
        let connector = try Self.connector(server.endpoint(.directTLS)) { $0.bindRequests = requests }
        let session = try await Self.session()
        let run = Task { try await session.run(connecting: connector, tag: "swift") }
        let wish = try #require(await wishes.stream.first { _ in true })
        let bind = try #require(wish.firstMatch(of: /<bind .*<\/bind>/)).0
        #expect(bind.contains("<tag>swift</tag>") && bind.contains("<enable xmlns='urn:xmpp:carbons:2'/>"))
        #expect(!bind.contains("urn:xmpp:csi:0"))
        await session.close()
        _ = await run.result
    }

    @Test("Prosody enables carbons with the binding: the client gets copies of another resource's messages")
    func carbons() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await SharedServers.all.server(.prosody, for: "SASL2", modules: Self.modules)
        let endpoint = ServerEndpoint(host: "127.0.0.1", port: server.port, security: .startTLS)
        let session = try await Self.session()
        let events = await session.events()
        let request = try element("<enable xmlns='urn:xmpp:carbons:2'/>")
        let connector = try Self.connector(endpoint) { $0.bindRequests = [request] }
        let run = Task { try await session.run(connecting: connector, tag: "swift") }
        for await event in events {
            if case .enabled = event { break }
        }
        let other = try await Self.connector(endpoint) { $0.usesSASL2 = false }.connect().transport
        let address = try await other.bind()
        let bob = try await Self.connector(endpoint, account: "bob@localhost") { $0.usesSASL2 = false }.connect()
            .transport
        _ = try await bob.bind()
        try await bob.send(
            Array("<message to='\(address)' type='chat' id='copied'><body>hello</body></message>".utf8))
        while let stanza = try await other.receive(), stanza["id"] != "copied" {}
        for await stanza in session.stanzas {
            let copy = stanza.element.children.first { $0.namespace == "urn:xmpp:carbons:2" }
            if copy?.child("forwarded", namespace: .uri("urn:xmpp:forward:0"))?.child(
                "message", namespace: .uri("jabber:client"))?["id"] == "copied"
            {
                break
            }
        }
        #expect(await session.address != address)
        await bob.close()
        await other.close()
        await session.close()
        _ = try await run.value
    }
}
