// A server in this process that runs a test's script, over real connections.

import Crypto
import Foundation
import Locking
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerSupport
import Testing

@testable import XMPPTransport

/// Listens on the loopback interface until its deinit, and runs the script on each connection.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: any Channel
    private let scripts = Scripts()
    private let negotiated = Negotiated()

    /// The protocols that direct TLS has negotiated with clients (ALPN); `nil` for a client that named none.
    var protocols: [String?] { negotiated.protocols }

    /// - Parameter identity: The identity in the server's certificate, if connections begin with TLS.
    init(
        _ identity: ServerIdentity? = nil, _ script: @escaping @Sendable (ScriptedConnection) async throws -> Void
    ) async throws {
        let tls = try identity.map { try $0.context }
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Only a little unread data is in transit.
            .childChannelOption(.socketOption(.so_sndbuf), value: 1 << 16)
            .childChannelInitializer { [scripts, negotiated] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandlers([
                            NIOSSLServerHandler(context: tls), ProtocolListener(negotiated),
                        ])
                    }
                    let connection = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                    // NIO traps if such a channel is released without this call, also after the server's end.
                    scripts.run {
                        // A script ends when its client disconnects: the test checks the client's side.
                        try? await connection.executeThenClose { inbound, outbound in
                            try await script(ScriptedConnection(channel, inbound.makeAsyncIterator(), outbound))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = UInt16(listener.localAddress?.port ?? 0)
    }

    deinit {
        listener.close(promise: nil)
        scripts.end()
    }

    func endpoint(_ security: ConnectionSecurity = .unencrypted) -> ServerEndpoint {
        ServerEndpoint(host: "127.0.0.1", port: port, security: security)
    }
}

/// The running scripts of a server.
private final class Scripts: Sendable {
    private let state = Lock<(tasks: [Task<Void, Never>], areOver: Bool)>(([], false))

    /// Runs a script until it or its server ends.
    func run(_ script: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let task = Task { await script() }
            if state.areOver { task.cancel() } else { state.tasks.append(task) }
        }
    }

    func end() {
        let tasks = state.withLock { state in
            state.areOver = true
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }
}

/// The protocols agreed on, across connections.
private final class Negotiated: Sendable {
    private let state = Lock<[String?]>([])

    var protocols: [String?] { state.withLock { $0 } }

    func add(_ name: String?) { state.withLock { $0.append(name) } }
}

/// Receives the protocol that TLS has agreed on.
private final class ProtocolListener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let negotiated: Negotiated

    init(_ negotiated: Negotiated) { self.negotiated = negotiated }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let name)? = event as? TLSUserEvent { negotiated.add(name) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The script's view of a connection.
final class ScriptedConnection {
    private let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// The server's name for itself.
    var domain = "localhost"
    /// The received text that the script has not read yet.
    private var heard = ""
    /// The client's proofs, as they appeared in the XML.
    private(set) var credentials: [String] = []

    /// The beginning of the client's first SCRAM message.
    var header: String {
        let first = credentials.first.flatMap { Data(base64Encoded: $0) } ?? Data()
        return String(String(decoding: first, as: UTF8.self).prefix { $0 != "," })
    }

    init(
        _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.channel = channel
        self.inbound = inbound
        self.outbound = outbound
    }

    struct Gone: Error {}

    /// Reads until this text has arrived, and returns everything up to its end.
    @discardableResult
    func hear(_ text: String) async throws -> String {
        while true {
            if let range = heard.range(of: text) {
                defer { heard.removeSubrange(..<range.upperBound) }
                return String(heard[..<range.upperBound])
            }
            guard let bytes = try await inbound.next() else { throw Gone() }
            heard += String(buffer: bytes)
        }
    }

    /// The base64 between two tags.
    func hearBase64(until text: String) async throws -> [UInt8] {
        let content = try await hear(text).dropLast(text.count).split(separator: ">").last ?? ""
        credentials.append(String(content))
        return Array(Data(base64Encoded: String(content)) ?? Data())
    }

    func say(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// Sends the text byte by byte, each in a separate packet.
    func trickle(_ text: String, every pause: Duration) async throws {
        for byte in text.utf8 {
            try await outbound.write(ByteBuffer(bytes: [byte]))
            try await Task.sleep(for: pause)
        }
    }

    /// Waits until the client has disconnected.
    func wait() async throws {
        while try await inbound.next() != nil {}
    }

    /// Keeps the connection without reading.
    func ignore() async throws { try await Task.sleep(for: .seconds(3600)) }

    /// Closes the socket at once: TLS does not send close_notify.
    ///
    /// - Parameter isReset: Whether the client gets a reset instead of the end of the bytes.
    func cut(isReset: Bool) async throws {
        let channel = channel
        if isReset {
            // The system then discards all data that it has not sent.
            let options = try #require(channel as? any SocketOptionProvider)
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await atSocket { $0.close(promise: nil) }
    }

    /// Sends text that TLS does not encrypt.
    func sayWithoutTLS(_ text: String) async throws {
        try await atSocket { $0.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil) }
    }

    private func atSocket(_ body: @escaping @Sendable (ChannelHandlerContext) -> Void) async throws {
        let channel = channel
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AtSocket(body), position: .first)
        }.get()
    }

    /// Sends text and switches to TLS, before an answer of the client can arrive.
    func say(_ text: String, thenTLSAs identity: ServerIdentity) async throws {
        let context = try identity.context
        let channel = channel
        try await channel.eventLoop.submit {
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: context), position: .first)
        }.get()
    }
}

/// Runs an action when it is added. As the first handler, it bypasses all others.
private final class AtSocket: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let body: (ChannelHandlerContext) -> Void

    init(_ body: @escaping (ChannelHandlerContext) -> Void) { self.body = body }

    func handlerAdded(context: ChannelHandlerContext) { body(context) }
}

/// The domain of a server's certificate, and its days of validity; below zero, it has expired.
struct ServerIdentity: Sendable {
    var domain: String
    var days = 2
    /// Whether the domain is more than a common name.
    var isNamed = true

    static let localhost = ServerIdentity(domain: "localhost")

    /// The channel-binding data of an authentication: the certificate is signed with SHA-256.
    var certificateHash: [UInt8] {
        get throws {
            let file = try Certificates.shared.get().files(for: domain, days: days, isNamed: isNamed).certificate
            let der = try NIOSSLCertificate.fromPEMFile(file.path).first?.toDERBytes()
            return Array(SHA256.hash(data: der ?? []))
        }
    }

    var context: NIOSSLContext {
        get throws {
            let files = try Certificates.shared.get().files(for: domain, days: days, isNamed: isNamed)
            let certificate = try NIOSSLCertificate.fromPEMFile(files.certificate.path)
            let key = try NIOSSLPrivateKey(file: files.key.path, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificate.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.applicationProtocols = ["xmpp-client"]
            return try NIOSSLContext(configuration: configuration)
        }
    }
}
