// A connection as bytes: reading by asking, writing with back-pressure, TLS on top. What is said over it is not known
// here.
//
// This file and its neighbours InboundBytes.swift and TLSContext.swift are the only ones that know NIO.

import NIOCore
import NIOPosix
import StreamManagement

/// A TCP connection, with TLS once that was started.
///
/// One task reads at a time. Writing and cutting may happen from anywhere.
final class ByteChannel: Sendable {
    private let channel: any Channel
    private let inbound: NIOLoopBound<InboundBytes>
    private let socket: NIOLoopBound<SocketHandle>
    private let meter: ByteMeter

    private init(_ channel: any Channel, _ inbound: InboundBytes, _ socket: SocketHandle) {
        self.channel = channel
        meter = socket.meter
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
                    // Systems that do not know it keep more.
                    channel.setOption(.tcpOption(unsentLimit), value: mostUnsent).whenFailure { _ in }
                    try channel.pipeline.syncOperations.addHandlers([socket, inbound])
                    return ByteChannel(channel, inbound, socket)
                }
            }
    }

    /// `TCP_NOTSENT_LOWAT`, which system headers name differently and not everywhere.
    #if canImport(Darwin)
    private static let unsentLimit = NIOBSDSocket.Option(rawValue: 0x201)
    #else
    private static let unsentLimit = NIOBSDSocket.Option(rawValue: 25)
    #endif

    /// What the system may keep that it has not sent. Otherwise it takes megabytes: on a slow line what is written
    /// next, a ping for instance, would stand behind minutes of them, and nobody could tell.
    private static let mostUnsent: SocketOptionValue = 1 << 16

    // MARK: Bytes

    /// What has moved so far, as it is on the line: TLS's own bytes among it.
    var traffic: Traffic { meter.traffic }

    /// Bytes that have come, at least one; `nil` at the end of the connection. At most what one read of the socket
    /// gives is kept in between.
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

    /// Writes bytes that nobody waits for. That it fails is told to the reader.
    func post(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
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
    /// - Returns: the server's certificate, as DER.
    /// - Throws: ``XMPPConnectionError/dataBeforeTLS`` if bytes came before it that nobody has read: they may be
    ///   anybody's.
    func startTLS(_ context: TLSContext, domain: String) async throws -> [UInt8]? {
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
            return try await TLSContext.certificate(of: channel)
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
