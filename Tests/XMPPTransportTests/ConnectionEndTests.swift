// Each way in which a connection can end, and the error that its reader and its writer get.

import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct ConnectionEndTests {
    /// When the system notices that a connection is gone.
    enum Moment: CaseIterable {
        case reading, writing, idle
    }

    /// A connection under test.
    private struct Line: Sendable {
        let channel: any Channel
        let bytes: ByteChannel
        /// The server listens as long as this line exists.
        let server: ScriptedServer

        /// Reads until an error ends the reading.
        func readingError() async -> XMPPConnectionError? {
            do {
                while true { _ = try await bytes.read() }
            } catch {
                return error
            }
        }

        /// Fails the channel as an error of the system does: NIO closes the channel.
        func fail(_ errno: Int32, _ moment: Moment) async throws {
            try await channel.eventLoop.submit { [channel] in
                let error = IOError(errnoCode: errno, reason: "test")
                if moment == .writing {
                    try channel.pipeline.syncOperations.addHandler(FailingSocket(error), position: .first)
                } else {
                    channel.pipeline.fireErrorCaught(error)
                    channel._channelCore.close0(error: error, mode: .all, promise: nil)
                }
            }.get()
        }

        func writingError() async -> XMPPConnectionError? {
            do {
                try await bytes.write([UInt8(ascii: " ")])
                return nil
            } catch {
                return error
            }
        }
    }

    /// Connects as ``ByteChannel/connect(host:port:timeout:)`` does, and keeps the channel.
    private func connect(to server: ScriptedServer, isEncrypted: Bool) async throws -> Line {
        let line = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: Int(server.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    Line(channel: channel, bytes: try ByteChannel(over: channel), server: server)
                }
            }
        if isEncrypted {
            let trust = TrustRoots.certificates(pem: try Certificates.shared.get().authority)
            let context = try TLSContext(trust: trust, isDirect: true)
            _ = try await line.bytes.startTLS(context, domain: "localhost")
        }
        // The script runs now. A server that ends earlier drops the connection in another way.
        #expect(try await line.bytes.read() == Array("<hello/>".utf8))
        return line
    }

    /// How the server ends the connection.
    enum End {
        case reset, cut, closed, garbage
    }

    /// - Parameter end: How the server ends the connection after `<go/>`; `nil` leaves that to the client.
    private func server(_ end: End?, isEncrypted: Bool) async throws -> ScriptedServer {
        try await ScriptedServer(isEncrypted ? .localhost : nil) { server in
            try await server.say("<hello/>")
            try await server.hear("<go/>")
            switch end {
            case .reset: try await server.cut(isReset: true)
            case .cut: try await server.cut(isReset: false)
            // TLS sends close_notify.
            case .closed: break
            case .garbage:
                try await server.sayWithoutTLS(String(repeating: "garbage ", count: 10))
                try await server.wait()
            case nil: try await server.wait()
            }
        }
    }

    @Test(
        "A reader learns that the other side has ended the connection",
        arguments: [End.reset, .cut, .closed], [false, true])
    func reading(end: End, isEncrypted: Bool) async throws {
        let line = try await connect(to: try await server(end, isEncrypted: isEncrypted), isEncrypted: isEncrypted)
        try await line.bytes.write(Array("<go/>".utf8))
        #expect(await line.readingError() == .connectionReset)
        #expect(await line.writingError() == .connectionReset)
        #expect(await line.readingError() == .connectionReset)
    }

    @Test(
        "A writer learns that the other side has ended a connection without a reader",
        arguments: [End.reset, .cut], [false, true])
    func pausedReader(end: End, isEncrypted: Bool) async throws {
        let line = try await connect(to: try await server(end, isEncrypted: isEncrypted), isEncrypted: isEncrypted)
        try await line.bytes.write(Array("<go/>".utf8))
        // After that, the write is too late for an error of its own.
        try await line.channel.closeFuture.get()
        #expect(await line.writingError() == .connectionReset)
        #expect(await line.writingError() == .connectionReset)
        #expect(await line.readingError() == .connectionReset)
    }

    @Test("Bytes that are not TLS's are not a reset") func invalidBytes() async throws {
        let line = try await connect(to: try await server(.garbage, isEncrypted: true), isEncrypted: true)
        try await line.bytes.write(Array("<go/>".utf8))
        #expect(await line.readingError() == .connectionLost)
        #expect(await line.writingError() == .connectionLost)
    }

    @Test("An end that this side causes does not count as a reset", arguments: [false, true], [false, true])
    func ownEnd(isOrderly: Bool, isEncrypted: Bool) async throws {
        let server = try await server(nil, isEncrypted: isEncrypted)
        let line = try await connect(to: server, isEncrypted: isEncrypted)
        let reading = Task { await line.readingError() }
        if isOrderly { await line.bytes.close() } else { line.bytes.abort(with: .timedOut(.pinging)) }
        try await line.channel.closeFuture.get()
        let error = isOrderly ? XMPPConnectionError.connectionLost : .timedOut(.pinging)
        #expect(await reading.value == error)
        #expect(await line.writingError() == error)
        #expect(await line.readingError() == error)
    }

    @Test("The first cause of an end counts", arguments: [ECONNRESET, ETIMEDOUT])
    func firstCause(errno: Int32) {
        var end = ConnectionEnd()
        #expect(end.error == nil)
        end.note(.system(errno))
        let error: XMPPConnectionError = errno == ECONNRESET ? .connectionReset : .connectionLost
        #expect(end.error == error)
        for later in [ConnectionEnd.Cause.remote, .system(ECONNRESET), .system(ETIMEDOUT), .invalid] {
            end.note(later)
            end.note(.local(.timedOut(.pinging)))
            #expect(end.error == error)
        }
    }

    @Test("Each cause has its error") func causes() {
        func error(_ cause: ConnectionEnd.Cause) -> XMPPConnectionError? {
            var end = ConnectionEnd()
            end.note(cause)
            return end.error
        }
        #expect(error(.remote) == .connectionReset)
        #expect(error(.system(ECONNRESET)) == .connectionReset && error(.system(EPIPE)) == .connectionReset)
        #expect(error(.system(ETIMEDOUT)) == .connectionLost && error(.system(EHOSTUNREACH)) == .connectionLost)
        #expect(error(.invalid) == .connectionLost)
        #expect(error(.local(.timedOut(.pinging))) == .timedOut(.pinging))
    }

    @Test(
        "The system's error decides whether the end is a reset, at each moment",
        arguments: [ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENETDOWN], Moment.allCases)
    func systemErrors(errno: Int32, moment: Moment) async throws {
        let expected = [ECONNRESET, EPIPE].contains(errno) ? XMPPConnectionError.connectionReset : .connectionLost
        for isEncrypted in [false, true] {
            let server = try await self.server(nil, isEncrypted: isEncrypted)
            let line = try await connect(to: server, isEncrypted: isEncrypted)
            let reading = moment == .reading ? Task { await line.readingError() } : nil
            try await line.fail(errno, moment)
            if moment != .writing { try await line.channel.closeFuture.get() }
            if let reading { #expect(await reading.value == expected) }
            #expect(await line.writingError() == expected)
            #expect(await line.writingError() == expected)
            #expect(await line.readingError() == expected)
        }
    }
}

/// Fails the next flush as NIO does where the system refuses a write.
private final class FailingSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let error: IOError

    init(_ error: IOError) { self.error = error }

    func flush(context: ChannelHandlerContext) {
        context.channel._channelCore.close0(error: error, mode: .all, promise: nil)
    }
}
