// A connection as bytes: reading by asking, writing with back-pressure, TLS on top. What is said over it is not known here.
//
// This file and its neighbours InboundBytes.swift and TLSContext.swift are the only ones that know NIO.

import NIOCore
import NIOPosix

/// A TCP connection, with TLS once that was started.
///
/// One task reads at a time. Writing and cutting may happen from anywhere.
final class ByteChannel: Sendable {
    private let channel: any Channel
    private let inbound: NIOLoopBound<InboundBytes>
    private let socket: NIOLoopBound<SocketHandle>

    private init(_ channel: any Channel, _ inbound: InboundBytes, _ socket: SocketHandle) {
        self.channel = channel
        self.inbound = NIOLoopBound(inbound, eventLoop: channel.eventLoop)
        self.socket = NIOLoopBound(socket, eventLoop: channel.eventLoop)
    }

    deinit {
        // Nobody can read or write any more.
        channel.close(promise: nil)
    }

    /// Connects to the first of the host's addresses that answers (RFC 8305).
    static func connect(host: String, port: UInt16, timeout: Duration) async throws -> ByteChannel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(timeout))
            // Nothing is read that nobody has asked for.
            .channelOption(.autoRead, value: false)
            // Stanzas are written whole: waiting for more would only make them late.
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: Int(port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let socket = SocketHandle()
                    let inbound = InboundBytes()
                    try channel.pipeline.syncOperations.addHandlers([socket, inbound])
                    return ByteChannel(channel, inbound, socket)
                }
            }
    }

    // MARK: Bytes

    /// Bytes that have come, at least one; `nil` at the end of the connection. At most what one read of the socket gives is
    /// kept in between.
    ///
    /// - Throws: ``XMPPConnectionError/connectionLost``, or what ``abort(with:)`` was told.
    func read() async throws -> [UInt8]? {
        let loop = channel.eventLoop
        return try await typed {
            try await loop.flatSubmit { [inbound] in inbound.value.read(on: loop) }.get()
        }
    }

    /// Writes bytes, and returns when the system has taken them.
    ///
    /// - Throws: ``XMPPConnectionError/connectionLost``.
    func write(_ bytes: [UInt8]) async throws {
        try await typed { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }
    }

    /// However the system or TLS puts it: the connection is gone.
    private func typed<Value: Sendable>(_ body: () async throws -> Value) async throws(XMPPConnectionError) -> Value {
        do {
            return try await body()
        } catch let error as XMPPConnectionError {
            throw error
        } catch {
            throw .connectionLost
        }
    }

    // MARK: TLS

    /// Shakes hands, as a client of `domain`.
    ///
    /// - Throws: ``XMPPConnectionError/dataBeforeTLS`` if bytes came before it that nobody has read: they may be anybody's.
    func startTLS(_ context: TLSContext, domain: String) async throws {
        let loop = channel.eventLoop
        do {
            try await loop.flatSubmit { [channel, inbound, socket] in
                do {
                    guard inbound.value.isDrained else { throw XMPPConnectionError.dataBeforeTLS }
                    // The handler begins to shake hands when it is added.
                    let done = inbound.value.awaitHandshake(on: loop)
                    let handler = try context.makeHandler(domain: domain)
                    try channel.pipeline.syncOperations.addHandler(handler, position: .after(socket.value))
                    inbound.value.readForHandshake()
                    return done
                } catch {
                    return loop.makeFailedFuture(error)
                }
            }.get()
        } catch let error as XMPPConnectionError {
            throw error
        } catch {
            throw TLSContext.diagnose(error, domain: domain)
        }
    }

    // MARK: The end

    /// Cuts the connection: whoever reads or writes is told at once, the reader by this error if there is one.
    func abort(with error: (any Error)? = nil) {
        channel.eventLoop.execute { [inbound, socket] in
            inbound.value.end(with: error)
            socket.value.cut()
        }
    }

    /// Closes the connection, with TLS's farewell.
    func close() async {
        try? await channel.close()
    }
}

extension TimeAmount {
    /// At most a century, which fits.
    fileprivate init(_ duration: Duration) {
        self = .milliseconds(Int64(min(3e12, max(0, duration / .milliseconds(1)))))
    }
}
