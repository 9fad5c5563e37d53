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
    /// The writing of the answer that refused a body; `nil` as long as the connection takes requests.
    private var refusal: EventLoopFuture<Void>?
    /// The bytes that were dropped after the refusal.
    private var skippedBytes = 0

    init(desk: EvaluationDesk) {
        self.desk = desk
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if let refusal { return skip(part, after: refusal, on: context.channel) }
        switch part {
        case .head(let head): request = IncomingRequest(head, port: context.localAddress?.port ?? 0)
        case .body(let bytes): request?.append(bytes)
        case .end:
            if let request { answer(request, on: context.channel) }
            request = nil
        }
        // At once: the rest may arrive late, or never.
        if let request, request.isTooLarge {
            refusal = SiteAnswer.tooLarge.write(to: request.head, on: context.channel, closing: .output)
            self.request = nil
        }
    }

    /// Drops the rest of a refused body, and closes the connection after it.
    private func skip(_ part: HTTPServerRequestPart, after refusal: EventLoopFuture<Void>, on channel: any Channel) {
        switch part {
        case .head: break
        case .body(let bytes):
            skippedBytes += bytes.readableBytes
            if skippedBytes > PlaygroundLimits.skippedBytes { channel.close(promise: nil) }
        case .end: refusal.whenComplete { _ in channel.close(promise: nil) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Answers malformed HTTP. After other errors the connection is useless.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, refusal == nil {
            _ = SiteAnswer.malformed.write(to: nil, on: context.channel, closing: .all)
        } else {
            context.close(promise: nil)
        }
    }

    private func answer(_ request: IncomingRequest, on channel: any Channel) {
        let end: CloseMode? = request.head.isKeepAlive ? nil : .all
        switch request.decision {
        case .answer(let answer): _ = answer.write(to: request.head, on: channel, closing: end)
        case .evaluate:
            Task { [desk] in
                let answer = await desk.answer(to: request.body)
                _ = answer.write(to: request.head, on: channel, closing: end)
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
    ///
    /// - Parameters:
    ///   - request: The head of the request; `nil` if it was malformed.
    ///   - end: The part of the connection to close after the response.
    fileprivate func write(
        to request: HTTPRequestHead?, on channel: any Channel, closing end: CloseMode?
    ) -> EventLoopFuture<Void> {
        var headers = HTTPHeaders(PlaygroundSite.headers)
        headers.add(name: "Content-Type", value: contentType)
        headers.add(name: "Content-Length", value: "\(body.count)")
        headers.add(name: "Date", value: Self.dateFormat.string(from: Date()))
        if let allow { headers.add(name: "Allow", value: allow) }
        headers.add(name: "Connection", value: end == nil ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: request?.version ?? .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if request?.method != .HEAD {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        let isWritten = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if let end { isWritten.whenComplete { _ in channel.close(mode: end, promise: nil) } }
        return isWritten
    }
}

/// A request, as far as it has arrived.
private struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    private(set) var decision: SiteDecision
    /// The bytes to evaluate; empty when the decision is an answer.
    private(set) var body: [UInt8] = []
    /// The length of the body that has arrived, kept or dropped.
    private var bodyBytes = 0

    var isTooLarge: Bool { decision == .answer(.tooLarge) }

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
        if bodyBytes > PlaygroundLimits.bodyBytes {
            decision = .answer(.tooLarge)
            body = []
        } else if decision == .evaluate {
            body += bytes.readableBytesView
        }
    }
}
