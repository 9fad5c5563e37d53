// The channel's handlers: one hands out bytes on demand, one cuts the connection.

import NIOCore
import NIOTLS
import StreamManagement
import Synchronization

/// Reads from the socket on demand. Belongs to the channel's event loop, and so do all calls.
final class InboundBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    /// The bytes of one socket read that the reader has not taken yet.
    private var bytes: [UInt8] = []
    private var reader: EventLoopPromise<[UInt8]?>?
    private var handshake: EventLoopPromise<Void>?
    private var hasEnded = false
    private var failure: (any Error)?

    /// Whether the reader has taken all received bytes.
    var isDrained: Bool { bytes.isEmpty }

    /// The next bytes; `nil` at the end of the connection.
    func read(on eventLoop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        if !bytes.isEmpty { return eventLoop.makeSucceededFuture(take()) }
        if let failure { return eventLoop.makeFailedFuture(failure) }
        // Of two readers at once, which there never are, the second one would wait for ever.
        guard !hasEnded, reader == nil, let context else { return eventLoop.makeSucceededFuture(nil) }
        let promise = eventLoop.makePromise(of: [UInt8]?.self)
        reader = promise
        context.read()
        return promise.futureResult
    }

    /// Is fulfilled when TLS has been set up, by a handler that is added now.
    func awaitHandshake(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        if let failure {
            promise.fail(failure)
        } else if hasEnded {
            promise.fail(XMPPConnectionError.connectionLost)
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
        failure = error
        handshake?.fail(error ?? XMPPConnectionError.connectionLost)
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
        } else if let failure {
            self.reader = nil
            reader.fail(failure)
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
        end(with: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { end() }
}

/// Sits next to the socket and counts the traffic. It closes the socket at once, without TLS's closing alert, which the
/// other side could delay.
final class SocketHandle: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let meter = ByteMeter()
    /// The error of the system that ended the connection while it was written to.
    private(set) var writeFailure: IOError?
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func cut() { context?.close(mode: .all, promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        meter.received(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    /// Hands on slices, each of which is counted when the system has taken it.
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
            case .failure(let error): if self.writeFailure == nil { self.writeFailure = error as? IOError }
            }
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    /// Slow lines take seconds for this.
    private static let slice = 1 << 14
}

/// The traffic so far, readable from any thread.
final class ByteMeter: Sendable {
    private let state = Mutex(Traffic())

    var traffic: Traffic { state.withLock { $0 } }

    func received(_ count: Int) { state.withLock { $0.received &+= UInt64(count) } }

    func given(_ count: Int) { state.withLock { $0.waiting += count } }

    func taken(_ count: Int) {
        state.withLock { traffic in
            traffic.sent &+= UInt64(count)
            traffic.waiting -= count
        }
    }
}
