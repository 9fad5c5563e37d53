// The sockets of a scene: this file alone of the module imports NIO. It has no rules: connections become events of the
// scene, and its orders are done. All of it runs on one event loop.

import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The files of a certificate and its key, as PEM.
public struct TortureCertificate: Sendable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// A server on the loopback interface that plays one scenario with one client.
public final class TortureRun: Sendable {
    /// The port for the client.
    public let port: Int
    private let loop: any EventLoop
    private let host: NIOLoopBound<SceneHost>
    private let verdict: EventLoopFuture<Outcome>

    private init(port: Int, loop: any EventLoop, host: NIOLoopBound<SceneHost>, verdict: EventLoopFuture<Outcome>) {
        self.port = port
        self.loop = loop
        self.host = host
        self.verdict = verdict
    }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - scenario: The scenario to play.
    ///   - account: The account that the client logs in with.
    ///   - certificate: The certificate of the server; without, it does not encrypt.
    ///   - port: The port on 127.0.0.1; 0 for any that is free.
    ///   - patience: The longest wait of a step.
    /// - Throws: An error of NIO or NIOSSL, if the server cannot listen or the certificate is wrong.
    public static func start(
        _ scenario: Scenario, account: TortureAccount, certificate: TortureCertificate?, port: Int = 0,
        patience: Duration
    ) async throws -> TortureRun {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let context = try certificate.map { files in
            let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
        }
        let promise = loop.makePromise(of: Outcome.self)
        let host = try await loop.submit {
            NIOLoopBound(SceneHost(loop: loop, context: context, promise: promise), eventLoop: loop)
        }.get()
        do {
            let second = try await listen(on: 0, host, isSecond: true, loop)
            let first = try await listen(on: port, host, isSecond: false, loop)
            let number = second.localAddress?.port ?? 0
            try await loop.submit {
                host.value.begin(scenario, account: account, secondPort: number, patience: patience)
            }.get()
            return TortureRun(
                port: first.localAddress?.port ?? 0, loop: loop, host: host, verdict: promise.futureResult)
        } catch {
            loop.execute { host.value.end(.failure(error)) }
            throw error
        }
    }

    private static func listen(
        on port: Int, _ host: NIOLoopBound<SceneHost>, isSecond: Bool, _ loop: any EventLoop
    ) async throws -> any Channel {
        try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { host.value.listeners.append(channel) }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SceneConnection(host.value, isSecond: isSecond))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    /// The client's program has ended. Before the verdict, that is a failure.
    public func clientEnded(_ reason: String) { loop.execute { [host] in host.value.take(.clientEnded(reason)) } }

    /// Closes all sockets, as the verdict does. `outcome()` then has none.
    public func cancel() { loop.execute { [host] in host.value.end(.failure(CancellationError())) } }

    /// Waits for the verdict.
    ///
    /// - Throws: `CancellationError`, if the task or this run is canceled before the verdict.
    public func outcome() async throws -> Outcome {
        try await withTaskCancellationHandler {
            try await verdict.get()
        } onCancel: {
            cancel()
        }
    }
}

/// The scene on its event loop.
private final class SceneHost {
    private let loop: any EventLoop
    private let context: NIOSSLContext?
    private let promise: EventLoopPromise<Outcome>
    private let began = NIODeadline.now()
    private var scene: Scene?
    private var scenario: Scenario?
    var listeners: [any Channel] = []
    private var channels: [Int: any Channel] = [:]
    private var nextNumber = 0
    private var ticking: RepeatedTask?
    /// Events that came while an earlier one was handled.
    private var events: [Scene.Event] = []
    private var isBusy = false
    private var isOver = false

    init(loop: any EventLoop, context: NIOSSLContext?, promise: EventLoopPromise<Outcome>) {
        self.loop = loop
        self.context = context
        self.promise = promise
    }

    func begin(_ scenario: Scenario, account: TortureAccount, secondPort: Int, patience: Duration) {
        self.scenario = scenario
        scene = Scene(
            scenario, account: account, encrypts: context != nil, secondPort: secondPort, patience: patience)
        let host = NIOLoopBound(self, eventLoop: loop)
        ticking = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { _ in
            host.value.take(.tick)
        }
    }

    private var elapsed: Duration { .nanoseconds((NIODeadline.now() - began).nanoseconds) }

    func add(_ channel: any Channel) -> Int {
        nextNumber += 1
        channels[nextNumber] = channel
        return nextNumber
    }

    func remove(_ number: Int) {
        channels[number] = nil
        take(.disconnected(number))
    }

    func take(_ event: Scene.Event) {
        if isOver { return }
        events.append(event)
        if isBusy { return }
        isBusy = true
        while !events.isEmpty {
            let event = events.removeFirst()
            for order in scene?.handle(event, at: elapsed) ?? [] { perform(order) }
        }
        isBusy = false
        guard let verdict = scene?.verdict, let scenario else { return }
        end(
            .success(
                Outcome(scenario: scenario, verdict: verdict, transcript: scene?.transcript ?? [], duration: elapsed)))
    }

    func end(_ result: Result<Outcome, any Error>) {
        if isOver { return }
        isOver = true
        ticking?.cancel()
        for listener in listeners { listener.close(promise: nil) }
        // The scene closes the connections before its verdict.
        if case .failure = result { for channel in channels.values { channel.close(promise: nil) } }
        promise.completeWith(result)
    }

    private func perform(_ order: Order) {
        switch order {
        case .write(let number, let bytes):
            channels[number]?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        case .startTLS(let number):
            guard let context, let channel = channels[number] else { return }
            do {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context), position: .first)
            } catch {
                channel.close(promise: nil)
            }
        case .close(let number, let closing):
            guard let channel = channels[number] else { return }
            switch closing {
            case .graceful: channel.close(promise: nil)
            case .abrupt: closeSocket(of: channel)
            case .reset:
                // The system then discards all data that it has not sent.
                let options = channel as? any SocketOptionProvider
                let isSet = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                let bound = NIOLoopBound(self, eventLoop: loop)
                guard let isSet else { return closeSocket(of: channel) }
                isSet.whenComplete { _ in bound.value.closeSocket(of: channel) }
            }
        }
    }

    /// Closes the socket without the end of TLS.
    private func closeSocket(of channel: any Channel) {
        do {
            try channel.pipeline.syncOperations.addHandler(SocketCloser(), position: .first)
        } catch {
            channel.close(promise: nil)
        }
    }
}

/// Closes the connection when it is added. As the first handler, it bypasses TLS.
private final class SocketCloser: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func handlerAdded(context: ChannelHandlerContext) { context.close(promise: nil) }
}

/// Makes events of one connection.
private final class SceneConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let host: SceneHost
    private let isSecond: Bool
    private var number = 0

    init(_ host: SceneHost, isSecond: Bool) {
        self.host = host
        self.isSecond = isSecond
    }

    func channelActive(context: ChannelHandlerContext) {
        number = host.add(context.channel)
        host.take(.connected(number, toSecondPort: isSecond))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        host.take(.received(number, Array(buffer: unwrapInboundIn(data))))
    }

    func channelInactive(context: ChannelHandlerContext) { host.remove(number) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
