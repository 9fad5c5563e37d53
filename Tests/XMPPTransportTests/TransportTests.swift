// A connection in use: its end, back-pressure and keep-alive. SecretsTests.swift tests secrets in logs.

import Foundation
import Logging
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct TransportTests {
    private func connect(
        _ server: ScriptedServer, logger: Logger = Logger(label: "tests"),
        change: (inout XMPPConnectorConfiguration) -> Void = { _ in }
    ) async throws -> ConnectedStream {
        var configuration = try XMPPConnectorConfiguration.testing(server.endpoint())
        configuration.mechanisms = [.plain]
        configuration.allowsPlainWithoutEncryption = true
        change(&configuration)
        return try await XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration, logger: logger
        ).connect()
    }

    /// A server that accepts every client, and continues with the script.
    private func server(
        _ features: String = ScriptedConnection.sm,
        _ script: @escaping @Sendable (ScriptedConnection) async throws -> Void
    ) async throws -> ScriptedServer {
        try await ScriptedServer { server in
            try await server.logIn("PLAIN")
            try await server.open(features)
            try await script(server)
        }
    }

    // MARK: The end

    @Test("Both sides close the stream, whichever side begins") func closing() async throws {
        let server = try await server { server in
            try await server.say("<message id='1'/>")
            try await server.hear("</stream:stream>")
            try await server.say("<message id='2'/></stream:stream>")
            try await server.wait()
        }
        // A reader continues while the stream is closed.
        let reading = try await connect(server).transport
        #expect(try await reading.receive()?["id"] == "1")
        let last = Task { try await reading.receive() }
        await reading.close()
        let element = try await last.value
        #expect(element == nil || element?["id"] == "2")
        // Here the app does not read.
        let silent = try await connect(server).transport
        await silent.close()
        await silent.close()
        await #expect(throws: (any Error).self) { try await silent.send([32]) }
    }

    @Test("The client answers a server that closes the stream") func closingByServer() async throws {
        let heard = AsyncStream.makeStream(of: String.self)
        let server = try await server { server in
            defer { heard.continuation.finish() }
            try await server.say("<message id='1'/></stream:stream>")
            heard.continuation.yield(try await server.hear("</stream:stream>"))
            try await server.wait()
        }
        let transport = try await connect(server).transport
        #expect(try await transport.receive()?["id"] == "1")
        #expect(try await transport.receive() == nil)
        await transport.close()
        #expect(await heard.stream.first { _ in true } != nil)
        await #expect(throws: (any Error).self) { try await transport.send([32]) }
    }

    @Test("The client waits for the server to close the stream no longer than allowed")
    func closingInVain() async throws {
        let server = try await server { try await $0.wait() }
        let transport = try await connect(server) { $0.timeouts.close = .milliseconds(50) }.transport
        await transport.close()
        await #expect(throws: (any Error).self) { try await transport.send([32]) }
    }

    @Test("Cutting and canceling end pending operations") func cutting() async throws {
        let server = try await server { try await $0.wait() }
        let transport = try await connect(server).transport
        let reading = Task { try await transport.receive() }
        await transport.abort()
        await #expect(throws: XMPPConnectionError.connectionLost) { try await reading.value }
        let other = try await connect(server).transport
        let canceled = Task { try await other.receive() }
        canceled.cancel()
        await #expect(throws: (any Error).self) { try await canceled.value }
    }

    @Test("A transport reports whether another element has arrived") func input() async throws {
        let server = try await server { server in
            // One write of a few bytes arrives at once.
            try await server.say("<message id='1'/><message id='2'/><mess")
            try await server.hear("<more/>")
            try await server.say("age id='3'/>")
            try await server.wait()
        }
        let transport = try await connect(server).transport
        #expect(try await transport.receive()?["id"] == "1")
        #expect(transport.hasInput)
        #expect(try await transport.receive()?["id"] == "2")
        #expect(!transport.hasInput)
        try await transport.send(Array("<more/>".utf8))
        #expect(try await transport.receive()?["id"] == "3")
        #expect(!transport.hasInput)
        await transport.abort()
    }

    @Test("A connection that ends without the stream's end is lost, with TLS too", arguments: [true, false])
    func lost(isEncrypted: Bool) async throws {
        let server = try await ScriptedServer(isEncrypted ? .localhost : nil) { server in
            try await server.logIn("PLAIN")
            try await server.open(ScriptedConnection.sm)
            try await server.say("<message id='1'/>")
            try await server.hear("<bye/>")
        }
        let transport = try await connect(server) {
            $0.server = server.endpoint(isEncrypted ? .directTLS : .unencrypted)
        }.transport
        #expect(try await transport.receive()?["id"] == "1")
        try await transport.send(Array("<bye/>".utf8))
        await #expect(throws: XMPPConnectionError.connectionReset) { try await transport.receive() }
        #expect(try await transport.receive() == nil)
    }

    @Test("Malformed XML ends the stream, and earlier elements are delivered") func invalidXML() async throws {
        let told = AsyncStream.makeStream(of: String.self)
        let server = try await server { server in
            defer { told.continuation.finish() }
            try await server.say("<message id='1'/><message><?pi?>")
            told.continuation.yield(try await server.hear("</stream:stream>"))
        }
        let transport = try await connect(server).transport
        #expect(try await transport.receive()?["id"] == "1")
        await #expect(throws: XMPPConnectionError.self) { try await transport.receive() }
        #expect(await told.stream.first { _ in true }?.contains("<restricted-xml ") == true)
    }

    // MARK: Back-pressure

    @Test("A client that does not read slows down the server") func slowReader() async throws {
        let sent = Counter()
        let chunk = "<message><body>\(String(repeating: "a", count: 1 << 16))</body></message>"
        let server = try await server { server in
            for _ in 0..<1000 {
                try await server.say(chunk)
                sent.next()
            }
            try await server.wait()
        }
        let transport = try await connect(server).transport
        _ = try await transport.receive()
        // About 65 MB: systems buffer up to 32 MB. A client that reads on its own would take all of it, but not always
        // in this time.
        var before = -1
        while sent.value != before {
            before = sent.value
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(sent.value < 1000)
        // Reading lets the server continue.
        for _ in 2...200 { #expect(try await transport.receive() != nil) }
        await transport.abort()
    }

    @Test("A server that does not read slows down the client's writes") func slowServer() async throws {
        let server = try await server { try await $0.ignore() }
        let transport = try await connect(server).transport
        let sent = Counter()
        let chunk = Array("<message><body>\(String(repeating: "a", count: 1 << 20))</body></message>".utf8)
        let writing = Task {
            for _ in 0..<100 {
                try await transport.send(chunk)
                sent.next()
            }
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(sent.value < 100)
        await transport.abort()
        await #expect(throws: (any Error).self) { try await writing.value }
    }

    @Test("The transport counts bytes while no element is complete", arguments: [true, false])
    func traffic(isEncrypted: Bool) async throws {
        let server = try await ScriptedServer(isEncrypted ? .localhost : nil) { server in
            try await server.logIn("PLAIN")
            try await server.open(ScriptedConnection.sm)
            try await server.hear("<go/>")
            try await server.say("<message><body>a")
            try await server.ignore()
        }
        let transport = try await connect(server) {
            $0.server = server.endpoint(isEncrypted ? .directTLS : .unencrypted)
        }.transport
        let before = try #require(transport.traffic)
        #expect(before.received > 0 && before.sent > 0 && before.waiting == 0)
        let reading = Task { try await transport.receive() }
        try await transport.send(Array("<go/>".utf8))
        try await eventually("a part of a stanza") { transport.traffic.map { $0.received > before.received } == true }
        // More than systems buffer for a peer that does not read.
        let writing = Task { try await transport.send([UInt8](repeating: UInt8(ascii: " "), count: 1 << 26)) }
        try await eventually("the system takes a part") {
            transport.traffic.map { $0.sent > before.sent + 1000 && $0.waiting > 0 } == true
        }
        await transport.abort()
        await #expect(throws: (any Error).self) { try await writing.value }
        await #expect(throws: (any Error).self) { try await reading.value }
    }

    // MARK: Keep-alive

    @Test("An idle connection is kept open by spaces, and pinged where no stanzas are counted")
    func keepAlive() async throws {
        let server = try await server("") { server in
            try await server.hear(" ")
            let ping = try await server.hear("</iq>")
            let id = ping.firstMatch(of: /id=['"]([^'"]*)['"]/)?.1 ?? ""
            #expect(ping.contains("urn:xmpp:ping"))
            try await server.say("<iq type='result' id='\(id)'/><message id='after'/>")
            try await server.wait()
        }
        let transport = try await connect(server) {
            $0.keepAlive.whitespaceInterval = .milliseconds(20)
            $0.keepAlive.pingInterval = .milliseconds(50)
            $0.keepAlive.pingTimeout = .seconds(600)
        }.transport
        // The answer to the ping is not delivered.
        #expect(try await transport.receive()?["id"] == "after")
    }

    @Test("XEP-0478: a connection that is kept open is not idle for the server")
    func idleConnection() async throws {
        let limits = "<limits xmlns='urn:xmpp:stream-limits:0'><idle-seconds>3</idle-seconds></limits>"
        let server = try await server(ScriptedConnection.sm + limits) { server in
            try await server.hear(" ")
            try await server.say("<message id='received'/>")
            try await server.wait()
        }
        let transport = try await connect(server) { $0.keepAlive.whitespaceInterval = .seconds(3600) }.transport
        #expect(try await transport.receive()?["id"] == "received")
    }

    @Test("XEP-0478: the interval of the spaces is at most a third of the server's idle time, within bounds")
    func intervals() {
        func interval(_ configured: Duration, _ idleSeconds: Int?) -> Duration {
            var settings = KeepAlive()
            settings.whitespaceInterval = configured
            return settings.keeping(within: StreamLimits(idleSeconds: idleSeconds)).whitespaceInterval
        }
        #expect(interval(.seconds(60), nil) == .seconds(60))
        #expect(interval(.seconds(60), 1800) == .seconds(60))
        #expect(interval(.seconds(60), 90) == .seconds(30))
        #expect(interval(.seconds(60), 1) == KeepAlive.shortestWhitespaceInterval)
        #expect(interval(.milliseconds(20), 90) == .milliseconds(20))
        // Zero means never.
        #expect(interval(.zero, 90) == .zero)
    }

    @Test("A ping without an answer ends the connection") func deadPeer() async throws {
        let server = try await server("") { try await $0.wait() }
        let transport = try await connect(server) {
            $0.keepAlive.pingInterval = .milliseconds(20)
            $0.keepAlive.pingTimeout = .milliseconds(20)
        }.transport
        await #expect(throws: XMPPConnectionError.timedOut(.pinging)) { try await transport.receive() }
    }
}

extension TransportTests {
    @Test("A session's report of a refused password has the server's reason, and not the password")
    func refusal() async throws {
        let server = try await ScriptedServer { server in
            try await server.logIn("SCRAM-SHA-256", SCRAMServer(password: "another"))
            try await server.wait()
        }
        let configuration = try XMPPConnectorConfiguration.testing(server.endpoint())
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("hunter-two"), configuration: configuration)
        let session = try await StreamSession(account: "alice@localhost", storage: MemoryStorage())
        var events = await session.events().makeAsyncIterator()
        let error = XMPPConnectionError.authenticationFailed(
            condition: "not-authorized", text: ScriptedConnection.refusal)
        await #expect(throws: error) { try await session.run(connecting: connector) }
        let event = await events.next()
        #expect(event == .notConnected(ConnectionFailure(error: error, isFinal: true)))
        var dumped = "\(String(describing: event))"
        dump(event, to: &dumped)
        #expect(dumped.contains("not-authorized") && !dumped.contains("hunter-two"))
        await session.close()
    }
}
