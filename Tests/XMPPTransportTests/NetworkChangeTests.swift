// Sessions on real servers over a path that goes silent, as after a change of the network.

import Foundation
import Locking
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct NetworkChangeTests {
    /// With SASL2, the authentication of the second connection resumes the session.
    @Test("A session leaves a silent connection for a new one, and loses nothing", arguments: ServerKind.tested)
    func silentConnection(kind: ServerKind) async throws {
        let modules = kind == .prosody ? ["sasl2", "sasl2_bind2", "sasl2_sm", "smacks_inline", "tls_info"] : []
        for modules in [[], modules] where modules.isEmpty || kind == .prosody {
            let server =
                modules.isEmpty
                ? try await SharedServers.all.server(kind, for: "transport")
                : try await SharedServers.all.server(kind, for: "inline", modules: modules)
            try await leaves(server)
        }
    }

    private func leaves(_ server: RunningServer) async throws {
        let path = try SilentPath(to: server.port)
        defer { path.end() }
        var configuration = try XMPPConnectorConfiguration.testing(
            ServerEndpoint(host: "127.0.0.1", port: path.port, security: .startTLS))
        configuration.userAgent = UserAgent(id: UUID(), software: "tests")
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
        // It waits for no answer on its own.
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
        var policy = ReconnectionPolicy()
        policy.first = .seconds(3600)
        policy.maximum = .seconds(3600)
        policy.jitter = 0
        policy.shortest = .zero
        policy.signOfLifeTimeout = .seconds(3600)
        policy.probeInterval = .zero
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        try await eventually("the session is enabled") { await session.state == .enabled }
        let address = try #require(await session.address)
        path.silence()
        // They go to the session itself.
        for number in 1...3 {
            try await session.send(try element("<message to='\(address)' id='m\(number)'><body>x</body></message>"))
        }
        await session.networkChanged()
        var ids: [String] = []
        for await stanza in session.stanzas where stanza.element.name == "message" {
            ids.append(stanza.element["id"] ?? "")
            if ids.last == "m3" { break }
        }
        #expect(ids == ["m1", "m2", "m3"])
        #expect(await session.didResume && path.count == 2)
        #expect(await session.address == address)
        await session.close()
        #expect(try await run.value == .closed)
    }
}

/// Forwards connections to a port of this machine, and swallows all bytes of some without an end.
private final class SilentPath: Sendable {
    let port: UInt16
    private let target: UInt16
    private let listening: ListeningSocket
    private let state = Lock<(sockets: [Socket], count: Int, silent: Int)>(([], 0, 0))

    init(to target: UInt16) throws {
        self.target = target
        listening = try ListeningSocket()
        port = listening.port
        try listening.listen()
        let listening = listening
        Thread.detachNewThread { [weak self] in
            while let client = listening.next() { self?.accept(client) }
        }
    }

    /// The number of connections so far.
    var count: Int { state.withLock { $0.count } }

    /// The connections so far forward nothing any more.
    func silence() { state.withLock { $0.silent = $0.count } }

    func end() {
        listening.shutDown()
        for socket in state.withLock({ $0.sockets }) { socket.shutDown() }
    }

    private func accept(_ client: Socket) {
        guard let server = try? Socket(port: target) else { return client.shutDown() }
        let number = state.withLock { state in
            state.sockets += [client, server]
            state.count += 1
            return state.count
        }
        for (source, destination) in [(client, server), (server, client)] {
            Thread.detachNewThread { [self] in
                while let bytes = source.read() {
                    if state.withLock({ $0.silent >= number }) { continue }
                    do { try destination.write(bytes) } catch { break }
                }
                destination.shutDown()
            }
        }
    }
}
