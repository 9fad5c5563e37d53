// Ports of servers on the loopback interface.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

enum LoopbackPort {
    /// Finds a port that is free now.
    static func findFree() throws -> UInt16 {
        let descriptor = socket()
        guard descriptor >= 0 else { throw DemoFailure("cannot create a socket") }
        defer { close(descriptor) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var found: UInt16?
        withAddress(of: 0) { address in
            guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else { return }
            found = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
        guard let found else { throw DemoFailure("no port is free") }
        return found
    }

    /// Whether a server listens there.
    static func takesConnections(_ port: UInt16) -> Bool {
        let descriptor = socket()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress(of: port) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
    }

    private static func socket() -> CInt {
        #if canImport(Glibc)
        Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #elseif canImport(Musl)
        Musl.socket(AF_INET, SOCK_STREAM, 0)
        #else
        Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func withAddress<Value>(
        of port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>) -> Value
    ) -> Value {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
