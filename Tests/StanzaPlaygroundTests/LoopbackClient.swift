// A client that sends what URLSession would not.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum LoopbackClient {
    struct Failure: Error {
        let errno: Int32
    }

    /// Sends bytes to a port on 127.0.0.1, and gives the first line of what comes back.
    static func firstLine(of request: String, port: Int) throws -> String {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Failure(errno: errno) }
        try send(Array(request.utf8), to: descriptor)
        return try line(from: descriptor)
    }

    private static func send(_ bytes: [UInt8], to descriptor: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    private static func line(from descriptor: CInt) throws -> String {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) == 1 else { throw Failure(errno: errno) }
            if byte == UInt8(ascii: "\r") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
