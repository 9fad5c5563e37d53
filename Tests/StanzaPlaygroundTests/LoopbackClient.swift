// A client for requests that URLSession cannot send.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection to a port on 127.0.0.1, or on another address of the loopback interface.
final class LoopbackClient: Sendable {
    struct Failure: Error {
        let errno: Int32
    }

    private let descriptor: CInt

    init(address host: UInt32 = 0x7F00_0001, port: Int) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Ends the connection.
    func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the next line, and returns it, or `nil` if the server ends the connection. Its end also ends a line.
    func line() throws -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            guard count >= 0 else { throw Failure(errno: errno) }
            if count == 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\r") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
