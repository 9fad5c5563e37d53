// The server of the playground: listens, and adds the handlers to each connection. Serving/PlaygroundConnection.swift
// reads requests and writes responses, Serving/PlaygroundSite.swift has the rules, Evaluation/Evaluation.swift makes
// the answers.

public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A local page in which you type a query and a stanza, and see the results.
///
/// It listens on 127.0.0.1 only, and answers only requests to a name of this machine's loopback interface. It stores
/// nothing and sends no requests: the page is a part of the program.
///
/// ```swift
/// let server = PlaygroundServer(port: 0)
/// try await server.run { address in show(address) }
/// ```
public struct PlaygroundServer: Sendable {
    /// The default port. It is the same each time, so that links to it stay valid.
    public static let defaultPort = 6120

    /// The port on 127.0.0.1; 0 for any that is free.
    public let port: Int

    private let desk: EvaluationDesk
    private let connections: Int
    private let times: ConnectionTimes

    /// Creates a server that does not run yet.
    ///
    /// - Parameter port: The port on 127.0.0.1, up to 65,535; 0 for any that is free.
    public init(port: Int = PlaygroundServer.defaultPort) {
        self.init(port: port, desk: EvaluationDesk())
    }

    init(
        port: Int, desk: EvaluationDesk = EvaluationDesk(), connections: Int = PlaygroundLimits.connections,
        times: ConnectionTimes = ConnectionTimes()
    ) {
        self.port = port
        self.desk = desk
        self.connections = connections
        self.times = times
    }

    /// Serves until the task is canceled. Then it closes open connections.
    ///
    /// - Parameter isListening: Gets the page's address, `http://127.0.0.1:PORT/`, when the server listens.
    /// - Throws: `PlaygroundError` if it cannot listen.
    public func run(
        _ isListening: @escaping @Sendable (_ address: String) -> Void
    ) async throws(PlaygroundError) {
        let listener: any Channel
        do {
            listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
        } catch {
            // NIO's own description begins with the signature of a function.
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
            throw PlaygroundError(port: port, reason: reason ?? "\(error)")
        }
        // The address that is bound, not the requested one: it shows whether other machines can connect.
        if let address = listener.localAddress, let host = address.ipAddress, let port = address.port {
            isListening("http://\(host):\(port)/")
        }
        await withTaskCancellationHandler {
            // NIO completes this future without an error, for any reason of the close.
            try? await listener.closeFuture.get()
        } onCancel: {
            listener.close(promise: nil)
        }
    }

    private var bootstrap: ServerBootstrap {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = PlaygroundLimits.headerBytes
        limits.maxHeaderListSize = PlaygroundLimits.headerBytes
        return ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // The gate counts each connection before the listener accepts the next.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { [connections] listener in
                listener.eventLoop.makeCompletedFuture {
                    try listener.pipeline.syncOperations.addHandler(ConnectionGate(limit: connections))
                }
            }
            .childChannelInitializer { [desk, times, limits] connection in
                connection.eventLoop.makeCompletedFuture {
                    let pipeline = connection.pipeline.syncOperations
                    // Without it, the answers to a client that reads none would have no bound.
                    try pipeline.addHandler(BackPressureHandler())
                    try pipeline.configureHTTPServerPipeline(
                        withErrorHandling: false, withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: limits)
                    try pipeline.addHandler(PlaygroundConnection(desk: desk, times: times))
                }
            }
    }
}

/// The reason why the playground cannot listen.
public struct PlaygroundError: LocalizedError, Sendable, CustomStringConvertible {
    /// The requested port.
    public let port: Int
    /// The system's description of the error.
    public let reason: String

    public var description: String {
        "cannot listen on 127.0.0.1:\(port): \(reason); name another port with --port, or 0 for any that is free"
    }

    public var errorDescription: String? { description }
}
