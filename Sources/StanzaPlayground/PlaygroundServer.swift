// The server of the playground: the only file that knows Hummingbird. It turns requests into SiteRequest and SiteAnswer
// into responses; Serving/PlaygroundSite.swift has the rules, Evaluation/Evaluation.swift makes the answers.

import Hummingbird
import HummingbirdCore
import Logging

/// A local page in which one types a query and a stanza, and sees what comes of them.
///
/// It listens on 127.0.0.1 only, answers only those who call it by a name of this machine's loopback interface, keeps
/// nothing, and asks nobody: the page is a part of the program.
///
/// ```swift
/// let server = PlaygroundServer(port: 0)
/// try await server.run { address in show(address) }
/// ```
public struct PlaygroundServer: Sendable {
    /// Where the server listens unless it is told otherwise. The same port each time, so that links to it stay right.
    public static let defaultPort = 6120

    /// The port on 127.0.0.1; 0 for any that is free.
    public let port: Int

    private let desk: EvaluationDesk
    private let connections: Int
    private let idleSeconds: Int64

    /// A server that does not run yet.
    ///
    /// - Parameter port: The port on 127.0.0.1, up to 65,535; 0 for any that is free.
    public init(port: Int = PlaygroundServer.defaultPort) {
        self.init(port: port, desk: EvaluationDesk())
    }

    init(
        port: Int, desk: EvaluationDesk = EvaluationDesk(), connections: Int = PlaygroundLimits.connections,
        idleSeconds: Int64 = PlaygroundLimits.idleSeconds
    ) {
        self.port = port
        self.desk = desk
        self.connections = connections
        self.idleSeconds = idleSeconds
    }

    /// Serves until the task is cancelled. Connections that are open are closed then.
    ///
    /// - Parameter isListening: Is told the page's address, `http://127.0.0.1:PORT/`, when the server listens.
    /// - Throws: `PlaygroundError` if it cannot listen.
    public func run(_ isListening: @escaping @Sendable (_ address: String) -> Void) async throws {
        var application = Application(
            responder: PlaygroundResponder(desk: desk),
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(idleSeconds),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: PlaygroundLimits.headerBytes,
                        maxHeaderListSize: PlaygroundLimits.headerBytes))),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(connections)),
            onServerRunning: { channel in
                // The address that is bound, and not the one that was meant: who reads it sees if others can connect.
                if let address = channel.localAddress, let host = address.ipAddress, let port = address.port {
                    isListening("http://\(host):\(port)/")
                }
            })
        // What a user has to know is thrown.
        application.logger.logLevel = .critical
        do {
            try await application.run()
        } catch is CancellationError {
            return
        } catch {
            throw PlaygroundError(port: port, reason: "\(error)")
        }
    }
}

/// Why the playground cannot listen.
public struct PlaygroundError: Error, Sendable, CustomStringConvertible {
    /// The port that was asked for.
    public let port: Int
    /// What the system says.
    public let reason: String

    public var description: String {
        "cannot listen on 127.0.0.1:\(port): another program does, or this one may not; name another port with --port, or 0 "
            + "for any that is free (the system says: \(reason))"
    }
}

/// Answers the requests of all connections.
private struct PlaygroundResponder: HTTPResponder {
    let desk: EvaluationDesk

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let answer: SiteAnswer
        switch PlaygroundSite(port: context.port).decide(SiteRequest(request)) {
        case .answer(let decided): answer = decided
        case .evaluate:
            do {
                let body = try await request.body.collect(upTo: PlaygroundLimits.bodyBytes)
                answer = await desk.answer(to: Array(body.readableBytesView))
            } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
                answer = .tooLarge
            }
        }
        let response = Response(answer)
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// What is known of a connection: the port that it came to.
private struct ConnectionContext: InitializableFromSource {
    let port: Int

    init(source: ApplicationRequestContextSource) {
        port = source.channel.localAddress?.port ?? 0
    }
}

extension SiteRequest {
    fileprivate init(_ request: Request) {
        self.init(
            method: request.method.rawValue, target: request.head.path ?? "", host: request.head.authority,
            origin: request.headers[.origin], contentType: request.headers[.contentType],
            contentLength: request.headers[.contentLength])
    }
}

extension Response {
    fileprivate init(_ answer: SiteAnswer) {
        var headers = HTTPFields()
        for (name, value) in PlaygroundSite.headers {
            if let name = HTTPFields.Element.Name(name) { headers[name] = value }
        }
        headers[.contentType] = answer.contentType
        headers[.allow] = answer.allow
        self.init(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
