// A TCP connection on the loopback interface, with calls that block: all that the server needs.

import Foundation
import Glibc

/// Reading and writing block; `shutDown()` ends both.
final class LoopbackSocket: Sendable {
    private let descriptor: CInt

    init(accepted descriptor: CInt) {
        self.descriptor = descriptor
        // As NIO's sockets are: small writes are not held back.
        var isOn: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { Glibc.close(descriptor) }

    /// Listens on a port of the loopback interface, which the system chooses.
    static func listening() throws -> (descriptor: CInt, port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
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
}
