// A port for a server on the loopback interface.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum FreePort {
    /// A port that is free now.
    static func find() throws -> UInt16 {
        #if canImport(Glibc)
        let kind = CInt(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw DemoFailure("there is no socket to be had") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isFound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isFound else { throw DemoFailure("there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
