// A connection as bytes: reads on demand, writes with back-pressure, TLS on top. It does not depend on the protocol
// above it.
//
// Only this file, InboundBytes.swift and TLSContext.swift use NIO.

import Foundation
import NIOCore
import NIOPosix
import StreamManagement

/// A TCP connection, with TLS after ``startTLS(_:domain:)``.
///
/// One task reads at a time. Any task may write to the connection or cut it.
final class ByteChannel: Sendable {
    private let channel: any Channel
    private let inbound: NIOLoopBound<InboundBytes>
    private let socket: NIOLoopBound<SocketHandle>
    private let meter: ByteMeter
    private let end: NIOLoopBoundBox<ConnectionEnd>

    /// Takes a new channel that reads only on demand. Call it on the channel's event loop.
    init(over channel: any Channel) throws {
        let end = NIOLoopBoundBox(ConnectionEnd(), eventLoop: channel.eventLoop)
        let socket = SocketHandle(end)
        let inbound = InboundBytes(end)
        self.end = end
        self.channel = channel
        meter = socket.meter
        self.inbound = NIOLoopBound(inbound, eventLoop: channel.eventLoop)
        self.socket = NIOLoopBound(socket, eventLoop: channel.eventLoop)
        // Systems without this option keep more.
        channel.setOption(.tcpOption(Self.unsentLimit), value: Self.mostUnsent).whenFailure { _ in }
        try channel.pipeline.syncOperations.addHandlers([socket, inbound])
    }

    deinit {
        // The channel can no longer be read or written.
        channel.close(promise: nil)
    }

    /// Connects to the first of the host's addresses that answers (RFC 8305).
    ///
    /// - Throws: ``XMPPConnectionError/notConnected(host:port:reason:)``.
    static func connect(host: String, port: UInt16, timeout: Duration) async throws -> ByteChannel {
        do {
            return try await connected(host, port, timeout)
        } catch {
            throw XMPPConnectionError.notConnected(host: host, port: port, reason: ConnectFault(error).description)
        }
    }

    private static func connected(_ host: String, _ port: UInt16, _ timeout: Duration) async throws -> ByteChannel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(timeout))
            // The channel reads only on demand.
            .channelOption(.autoRead, value: false)
            // The stream writes whole stanzas: waiting for more would only delay them.
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: Int(port)) { channel in
                channel.eventLoop.makeCompletedFuture { try ByteChannel(over: channel) }
            }
    }

    /// `TCP_NOTSENT_LOWAT`, which system headers name differently and not everywhere.
    #if canImport(Darwin)
    private static let unsentLimit = NIOBSDSocket.Option(rawValue: 0x201)
    #else
    private static let unsentLimit = NIOBSDSocket.Option(rawValue: 25)
    #endif

    /// The most unsent bytes that the system may keep. Without this limit it keeps megabytes, and on a slow line the
    /// next write, such as a ping, waits minutes for them.
    private static let mostUnsent: SocketOptionValue = 1 << 16

    // MARK: Bytes

    /// The traffic so far, including the bytes of TLS.
    var traffic: ByteCounts { meter.traffic }

    /// Reads at least one byte. The channel buffers at most the bytes of one socket read. After a failed write it still
    /// reads all bytes that the other side has sent before.
    ///
    /// - Throws: ``XMPPConnectionError/connectionReset`` if the other side has ended the connection,
    ///   ``XMPPConnectionError/connectionLost``, or the error passed to ``abort(with:)``.
    func read() async throws(XMPPConnectionError) -> [UInt8] {
        let loop = channel.eventLoop
        let bytes = try? await loop.flatSubmit { [inbound] in inbound.value.read(on: loop) }.get()
        guard let bytes else { throw await reason }
        return bytes
    }

    /// Writes bytes, and returns when the system has taken them.
    ///
    /// - Throws: The errors of ``read()``, for the same ends of the connection.
    func write(_ bytes: [UInt8]) async throws(XMPPConnectionError) {
        do { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) } catch { throw await reason }
    }

    /// Writes bytes without waiting. The reader gets the error if that fails.
    func post(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// The reason why an operation has failed. The operation's own error does not show it. After any end, later writes
    /// fail with "channel is closed", and TLS misses its closing alert after a timeout as well as after a reset.
    private var reason: XMPPConnectionError {
        get async { (try? await channel.eventLoop.submit { [end] in end.value.error }.get()) ?? .connectionLost }
    }

    // MARK: TLS

    /// Runs the TLS handshake, as a client of `domain`.
    ///
    /// - Returns: the server's certificate, as DER.
    /// - Throws: ``XMPPConnectionError/dataBeforeTLS`` if unread bytes arrived before the handshake: anyone can have
    ///   sent them.
    func startTLS(_ context: TLSContext, domain: String) async throws -> [UInt8] {
        let loop = channel.eventLoop
        do {
            try await loop.flatSubmit { [channel, inbound, socket] in
                do {
                    guard inbound.value.isDrained else { throw XMPPConnectionError.dataBeforeTLS }
                    // The handler begins the handshake when it is added.
                    let done = inbound.value.awaitHandshake(on: loop)
                    let handler = try context.makeHandler(domain: domain)
                    try channel.pipeline.syncOperations.addHandler(handler, position: .after(socket.value))
                    inbound.value.readForHandshake()
                    return done
                } catch {
                    return loop.makeFailedFuture(error)
                }
            }.get()
            return try await TLSContext.certificate(of: channel, domain: domain)
        } catch let error as XMPPConnectionError {
            throw error
        } catch {
            throw context.diagnose(error, domain: domain)
        }
    }

    // MARK: The end

    /// Cuts the connection. Pending and later reads and writes fail with this error.
    func abort(with error: XMPPConnectionError = .connectionLost) {
        channel.eventLoop.execute { [end, inbound, socket] in
            end.value.note(.local(error))
            inbound.value.end(with: error)
            socket.value.cut()
        }
    }

    /// Closes the connection, with the closing alert of TLS.
    func close() async {
        try? await channel.eventLoop.flatSubmit { [channel, end] in
            end.value.note(.local(.connectionLost))
            return channel.close()
        }.get()
    }
}

extension TimeAmount {
    /// At most a century, which fits.
    fileprivate init(_ duration: Duration) {
        self = .milliseconds(Int64(min(3e12, max(0, duration / .milliseconds(1)))))
    }
}

extension ConnectFault {
    /// The meaning of NIO's errors. Of several addresses, one that refuses connections is the most informative.
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty: self = .unknownHost
        case let error as NIOConnectionError:
            let faults = error.connectionErrors.map { ConnectFault($0.error) }
            self = faults.first { $0 == .refused } ?? faults[0]
        case is SocketAddressError: self = .unknownHost
        case ChannelError.connectTimeout: self = .timedOut
        case let error as IOError: self.init(system: error.errnoCode)
        default: self = .other("\(error)")
        }
    }
}
