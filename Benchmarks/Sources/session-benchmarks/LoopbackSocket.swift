// A TCP connection on the loopback interface, with calls that block: all that the server and the minimal loop need.

import Foundation
import Glibc

/// Reading and writing block; `shutDown()` ends both.
final class LoopbackSocket: Sendable {
    private let descriptor: CInt

    init(accepted descriptor: CInt) {
        self.descriptor = descriptor
        Self.setNoDelay(descriptor)
    }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let result = Self.withLoopback(port: port) { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        Self.setNoDelay(descriptor)
    }

    deinit { Glibc.close(descriptor) }

    /// Listens on a port that the system chooses.
    static func listening() throws -> (descriptor: CInt, port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard withLoopback(port: 0, { Glibc.bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 8) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// The bytes that have come; `nil` at the end.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            rest = rest.dropFirst(count)
        }
    }

    func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// As NIO's sockets are: small writes are not held back.
    private static func setNoDelay(_ descriptor: CInt) {
        var isOn: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func withLoopback(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
