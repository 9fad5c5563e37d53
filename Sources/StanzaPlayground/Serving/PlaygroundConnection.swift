// One HTTP connection: reads a request, asks PlaygroundSite for the decision, and writes the response.

import Foundation
import NIOCore
import NIOHTTP1

/// The handler of a connection, after NIO's handlers for HTTP. Its event loop alone calls it.
///
/// NIO's handler for pipelining passes the next request only after the response to the previous one.
final class PlaygroundConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let desk: EvaluationDesk
    /// The request that arrives; `nil` between requests.
    private var request: IncomingRequest?

    init(desk: EvaluationDesk) {
        self.desk = desk
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = IncomingRequest(head, port: context.localAddress?.port ?? 0)
        case .body(let bytes):
            request?.append(bytes)
            if let request, request.bodyBytes > PlaygroundLimits.skippedBytes { context.close(promise: nil) }
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, on: context.channel)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// NIO has answered malformed HTTP before. After other errors the connection is useless.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: IncomingRequest, on channel: any Channel) {
        switch request.decision {
        case .answer(let answer): answer.write(to: request.head, on: channel)
        case .evaluate:
            Task { [desk] in
                let answer = await desk.answer(to: request.body)
                answer.write(to: request.head, on: channel)
            }
        }
    }
}

extension SiteAnswer {
    /// The form of dates in HTTP: RFC 9110, section 5.6.7.
    private static let dateFormat = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }()

    /// Writes the response. A closed channel drops it.
    fileprivate func write(to request: HTTPRequestHead, on channel: any Channel) {
        var headers = HTTPHeaders(PlaygroundSite.headers)
        headers.add(name: "Content-Type", value: contentType)
        headers.add(name: "Content-Length", value: "\(body.count)")
        headers.add(name: "Date", value: Self.dateFormat.string(from: Date()))
        if let allow { headers.add(name: "Allow", value: allow) }
        headers.add(name: "Connection", value: request.isKeepAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: request.version, status: HTTPResponseStatus(statusCode: status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if request.method != .HEAD {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        let isWritten = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !request.isKeepAlive { isWritten.whenComplete { _ in channel.close(promise: nil) } }
    }
}

/// A request, as far as it has arrived.
private struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    private(set) var decision: SiteDecision
    /// The bytes to evaluate; empty when the decision is an answer.
    private(set) var body: [UInt8] = []
    /// The length of the body that has arrived, kept or skipped.
    private(set) var bodyBytes = 0

    init(_ head: HTTPRequestHead, port: Int) {
        self.head = head
        decision = PlaygroundSite(port: port).decide(
            SiteRequest(
                method: head.method.rawValue, target: head.uri, hosts: head.headers["Host"],
                origin: head.headers.first(name: "Origin"), contentType: head.headers.first(name: "Content-Type"),
                contentLength: head.headers.first(name: "Content-Length")))
    }

    mutating func append(_ bytes: ByteBuffer) {
        bodyBytes += bytes.readableBytes
        guard decision == .evaluate else { return }
        if bodyBytes > PlaygroundLimits.bodyBytes {
            decision = .answer(.tooLarge)
            body = []
        } else {
            body += bytes.readableBytesView
        }
    }
}
