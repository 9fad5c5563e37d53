// A blocking TCP socket on the loopback interface: all that the tests need of a network.

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection. Reading and writing block; `shutDown()` ends both.
///
/// Sendable: the descriptor never changes, and is closed with the last reference to the socket.
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

    /// A connection that was accepted.
    fileprivate init(accepted descriptor: Int32) {
        self.descriptor = descriptor
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

    /// Has the system reset the connection when the last reference to the socket is released.
    package func resetsAtEnd() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
}

/// A socket on a port of its own: as long as it lives, the port is taken.
package final class ListeningSocket: Sendable {
    package let port: UInt16
    private let descriptor: Int32

    /// Listens on the port, or on any free one if it is 0.
    package init(port wished: UInt16 = 0) throws {
        descriptor = socket(AF_INET, streamSocket, 0)
        var address = loopback(port: wished)
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

    /// Lets others connect.
    package func listen() throws {
        guard Self.listen(descriptor) == 0 else { throw ServerFailure.socket("not listening") }
    }

    private static func listen(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.listen(descriptor, 64)
        #else
        Darwin.listen(descriptor, 64)
        #endif
    }

    /// Waits for the next connection; `nil` when there will be none.
    package func next() -> Socket? {
        let connection = accept(descriptor, nil, nil)
        return connection < 0 ? nil : Socket(accepted: connection)
    }

    package func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

#if canImport(Glibc)
let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
let streamSocket = SOCK_STREAM
#endif

/// The address 127.0.0.1 with a port.
package func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}
