// A name server in this process that answers from a test's script, to the system's resolver, by UDP and by TCP.

import Locking
import NIOCore
import NIOPosix
import ServerSupport

@testable import XMPPTransport

/// Listens on the loopback interface until its deinit. It answers on threads of SwiftNIO, because tasks may wait for a
/// thread longer than the resolver waits.
final class NameServer: Sendable {
    /// Returns the messages that answer a question.
    typealias Script = @Sendable (DNSQuery) -> [[UInt8]]

    private let port: UInt16
    private let listeners: [any Channel]
    private let answers: Answers

    /// The questions so far.
    var asked: [DNSQuery] { answers.asked }

    init(_ script: @escaping Script) async throws {
        answers = Answers(script)
        listeners = try await Self.listen(answers)
        port = UInt16(listeners[0].localAddress?.port ?? 0)
    }

    deinit {
        for channel in listeners + answers.connections { channel.close(promise: nil) }
    }

    /// The endpoints found with this as the only name server.
    func endpoints(of domain: String = "example.test", within limit: Duration = .seconds(3600)) async throws
        -> [ServerEndpoint]
    {
        defer { withExtendedLifetime(self) {} }
        return try await ServerFinder.endpoints(of: domain, within: limit, from: loopback(port: port))
    }

    func records(of name: String) async throws -> [ServiceRecord] {
        defer { withExtendedLifetime(self) {} }
        return try await ServerFinder.records(of: name, within: .seconds(3600), from: loopback(port: port))
    }

    /// Listens on the same port for both protocols. A port that is free for TCP may be in use for UDP.
    private static func listen(_ answers: Answers) async throws -> [any Channel] {
        let group = MultiThreadedEventLoopGroup.singleton
        for _ in 0..<100 {
            let streams = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(StreamHandler(answers))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let datagrams = try? await DatagramBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DatagramHandler(answers))
                    }
                }
                .bind(host: "127.0.0.1", port: streams.localAddress?.port ?? 0).get()
            if let datagrams { return [streams, datagrams] }
            try await streams.close()
        }
        throw ServerFailure.socket("no free port")
    }
}

/// The script, and the questions received.
private final class Answers: Sendable {
    private let script: NameServer.Script
    private let state = Lock<(asked: [DNSQuery], connections: [any Channel])>(([], []))

    init(_ script: @escaping NameServer.Script) { self.script = script }

    var asked: [DNSQuery] { state.withLock(\.asked) }
    var connections: [any Channel] { state.withLock(\.connections) }

    func add(_ connection: any Channel) { state.withLock { $0.connections.append(connection) } }

    func messages(to message: ByteBuffer, isByTCP: Bool) -> [[UInt8]] {
        guard let query = DNSQuery(Array(message.readableBytesView), isByTCP: isByTCP) else { return [] }
        state.withLock { $0.asked.append(query) }
        return script(query)
    }
}

private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let answers: Answers

    init(_ answers: Answers) { self.answers = answers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let question = Self.unwrapInboundIn(data)
        for message in answers.messages(to: question.data, isByTCP: false) {
            let answer = AddressedEnvelope(remoteAddress: question.remoteAddress, data: ByteBuffer(bytes: message))
            context.write(Self.wrapOutboundOut(answer), promise: nil)
        }
        context.flush()
    }
}

/// By TCP, a message follows its length.
private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: Answers
    private var heard = ByteBuffer()

    init(_ answers: Answers) { self.answers = answers }

    func channelActive(context: ChannelHandlerContext) {
        answers.add(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard.writeImmutableBuffer(Self.unwrapInboundIn(data))
        while let question = heard.readLengthPrefixedSlice(as: UInt16.self) {
            for message in answers.messages(to: question, isByTCP: true) {
                var answer = ByteBuffer(integer: UInt16(message.count))
                answer.writeBytes(message)
                context.write(Self.wrapOutboundOut(answer), promise: nil)
            }
        }
        context.flush()
    }
}
