// A blocking TCP socket on the loopback interface: all that the tests need of a network.

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection. Reading and writing block; `shutDown()` ends both.
///
/// Sendable: the descriptor never changes, and is closed when nobody holds the socket any more.
package final class Socket: Sendable {
    private let descriptor: Int32

    package init(port: UInt16) throws {
        descriptor = socket(AF_INET, streamSocket, 0)
        var address = loopback(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard result == 0 else { throw ServerFailure.socket("no connection to port \(port)") }
    }

    deinit {
        close(descriptor)
    }

    /// The bytes that have come; `nil` at the end.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    package func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.send(descriptor, $0) }
            guard count > 0 else { throw ServerFailure.socket("writing failed") }
            rest = rest.dropFirst(count)
        }
    }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        // A connection that is gone is an error here, not a signal for the whole process.
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #endif
    }

    package func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// A socket that nobody connects to: as long as it lives, its port is taken.
final class ListeningSocket {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, streamSocket, 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard result else { throw ServerFailure.socket("no free port") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}

#if canImport(Glibc)
let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
let streamSocket = SOCK_STREAM
#endif

/// The address 127.0.0.1 with a port.
func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}
