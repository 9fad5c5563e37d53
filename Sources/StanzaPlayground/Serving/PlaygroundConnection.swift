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
    private let times: ConnectionTimes
    /// The request that arrives; `nil` between requests.
    private var request: IncomingRequest?
    /// Whether the connection takes no more requests, because one was answered before its body arrived.
    private var isRefused = false
    /// The end of the connection, whatever arrives until then.
    private var end: Scheduled<Void>?

    init(desk: EvaluationDesk, times: ConnectionTimes) {
        self.desk = desk
        self.times = times
    }

    func handlerAdded(context: ChannelHandlerContext) { close(context.channel, in: times.requestSeconds) }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    private func close(_ channel: any Channel, in seconds: Int64) {
        end?.cancel()
        end = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Closing a connection with unread bytes may lose the answer. So the rest is read and dropped.
        if isRefused { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let request = IncomingRequest(head, port: context.localAddress?.port ?? 0)
            self.request = request
            if case .answer(let answer) = request.decision, request.announcesBody {
                refuse(with: answer, on: context.channel)
            }
        case .body(let bytes):
            request?.body += bytes.readableBytesView
            if let request, request.body.count > PlaygroundLimits.bodyBytes {
                refuse(with: .tooLarge, on: context.channel)
            }
        case .end:
            close(context.channel, in: times.requestSeconds)
            let complete = request
            // Before the answer: writing it may deliver the next request, within this call.
            request = nil
            if let complete { answer(complete, on: context.channel) }
        }
    }

    /// Answers at once: the rest of the body may arrive late, or never.
    private func refuse(with answer: SiteAnswer, on channel: any Channel) {
        let head = request?.head
        request = nil
        isRefused = true
        close(channel, in: times.refusalSeconds)
        answer.write(to: head, on: channel, closing: .output)
    }

    /// Answers malformed HTTP. After other errors the connection is useless.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What follows a refused request is dropped: the connection ends in a moment.
        if isRefused { return }
        if let error = error as? HTTPParserError {
            let answer = error == .invalidContentLength ? SiteAnswer.invalidLength : .malformed
            request = nil
            refuse(with: answer, on: context.channel)
        } else {
            context.close(promise: nil)
        }
    }

    private func answer(_ request: IncomingRequest, on channel: any Channel) {
        let end: CloseMode? = request.head.isKeepAlive ? nil : .all
        switch request.decision {
        case .answer(let answer): answer.write(to: request.head, on: channel, closing: end)
        case .evaluate:
            Task { [desk] in
                let answer = await desk.answer(to: request.body)
                answer.write(to: request.head, on: channel, closing: end)
            }
        }
    }
}

/// The times after which a connection is closed.
struct ConnectionTimes: Sendable {
    /// From the beginning of the connection, or the end of a request, to the end of the next request.
    var requestSeconds = PlaygroundLimits.requestSeconds
    /// From the answer to a request whose body is not read.
    var refusalSeconds = PlaygroundLimits.refusalSeconds
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
    fileprivate func write(to request: HTTPRequestHead?, on channel: any Channel, closing end: CloseMode?) {
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
    }
}

/// A request, as far as it has arrived.
private struct IncomingRequest: Sendable {
    let head: HTTPRequestHead
    let decision: SiteDecision
    /// The bytes to evaluate.
    var body: [UInt8] = []

    init(_ head: HTTPRequestHead, port: Int) {
        self.head = head
        decision = PlaygroundSite(port: port).decide(
            SiteRequest(
                method: head.method.rawValue, target: head.uri, hosts: head.headers["Host"],
                origin: head.headers.first(name: "Origin"), contentType: head.headers.first(name: "Content-Type"),
                contentLength: head.headers.first(name: "Content-Length")))
    }

    /// Whether a body follows the head: RFC 9112, section 6.3.
    var announcesBody: Bool {
        head.headers.contains(name: "Transfer-Encoding") || head.headers["Content-Length"].contains { $0 != "0" }
    }
}
