// The channel's handlers: one delivers bytes on demand, and one counts traffic and cuts the connection.

import Locking
import NIOCore
import NIOTLS
import StreamManagement

/// Reads from the socket on demand. All calls belong to the channel's event loop.
final class InboundBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connectionEnd: NIOLoopBoundBox<ConnectionEnd>
    private var context: ChannelHandlerContext?
    /// The bytes of one socket read that the reader has not taken yet.
    private var bytes: [UInt8] = []
    private var reader: EventLoopPromise<[UInt8]?>?
    private var handshake: EventLoopPromise<Void>?
    private var hasEnded = false

    init(_ end: NIOLoopBoundBox<ConnectionEnd>) { connectionEnd = end }

    /// Whether the reader has taken all received bytes.
    var isDrained: Bool { bytes.isEmpty }

    /// The next bytes; `nil` at the end of the connection.
    func read(on eventLoop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        if !bytes.isEmpty { return eventLoop.makeSucceededFuture(take()) }
        // Only one reader exists at a time. A second one would wait without end.
        guard !hasEnded, reader == nil, let context else { return eventLoop.makeSucceededFuture(nil) }
        let promise = eventLoop.makePromise(of: [UInt8]?.self)
        reader = promise
        context.read()
        return promise.futureResult
    }

    /// Succeeds when the TLS handler that the caller adds now has completed the handshake.
    func awaitHandshake(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        if hasEnded {
            promise.fail(connectionEnd.value.error ?? .connectionLost)
        } else {
            handshake = promise
        }
        return promise.futureResult
    }

    /// Reads the handshake's first answer. TLS itself requests all later input.
    func readForHandshake() { context?.read() }

    /// Ends reading, and resumes the waiting reader.
    func end(with error: (any Error)? = nil) {
        guard !hasEnded else { return }
        hasEnded = true
        handshake?.fail(connectionEnd.value.errorBelowTLS ?? error ?? XMPPConnectionError.connectionLost)
        handshake = nil
        handOut()
    }

    private func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private func handOut() {
        guard let reader else { return }
        if !bytes.isEmpty {
            self.reader = nil
            reader.succeed(take())
        } else if hasEnded {
            self.reader = nil
            reader.succeed(nil)
        } else {
            // Only TLS's own bytes arrived.
            context?.read()
        }
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if handshake == nil { handOut() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        handshake?.succeed()
        handshake = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connectionEnd.value.note(.init(error))
        end(with: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { end() }
}

/// The handler next to the socket, which counts the traffic. It closes the socket at once, without TLS's closing alert,
/// which the other side could delay.
final class SocketHandle: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let meter = ByteMeter()
    private let end: NIOLoopBoundBox<ConnectionEnd>
    private var context: ChannelHandlerContext?

    init(_ end: NIOLoopBoundBox<ConnectionEnd>) { self.end = end }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func cut() { context?.close(mode: .all, promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        meter.received(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    /// Without an earlier cause, the other side has ended the connection. TLS misses its closing alert only after this.
    func channelInactive(context: ChannelHandlerContext) {
        end.value.note(.remote)
        context.fireChannelInactive()
    }

    /// Writes slices, and counts each one when the system has taken it.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var rest = unwrapOutboundIn(data)
        meter.given(rest.readableBytes)
        while rest.readableBytes > Self.slice, let slice = rest.readSlice(length: Self.slice) {
            write(slice, context.eventLoop.makePromise(), context)
        }
        write(rest, promise ?? context.eventLoop.makePromise(), context)
    }

    private func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        let count = bytes.readableBytes
        promise.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.meter.taken(count)
            case .failure(let error):
                // Other errors only report that the channel is closed already.
                if error is IOError || error as? ChannelError == .eof { self.end.value.note(.init(error)) }
            }
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    /// The size of a slice. A slow line takes seconds for it.
    private static let slice = 1 << 14
}

extension ConnectionEnd.Cause {
    /// The meaning of NIO's errors.
    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case let error as IOError: .system(error.errnoCode)
            case ChannelError.eof: .remote
            default: .invalid
            }
    }
}

/// The traffic so far, readable from any thread.
final class ByteMeter: Sendable {
    private let state = Lock(ByteCounts())

    var traffic: ByteCounts { state.withLock { $0 } }

    func received(_ count: Int) { state.withLock { $0.received &+= UInt64(count) } }

    func given(_ count: Int) { state.withLock { $0.waiting += count } }

    func taken(_ count: Int) {
        state.withLock { traffic in
            traffic.sent &+= UInt64(count)
            traffic.waiting -= count
        }
    }
}
