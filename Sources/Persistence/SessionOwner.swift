// The owner of a session, and its lease. Each transaction of an owner compares its token with the token in the row, and
// changes nothing if they differ. So the lease protects no data: it only decides whether another process may take the
// session. An owner whose lease ends too early can lose the session, but no stanza.

import Foundation
import XMPPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A row of the table of owners.
struct SessionOwner: Equatable {
    /// A random number: two tokens are equal less often than disks fail.
    let token: Int64
    /// The owner's process (`ProcessName`).
    let process: String
    let lease: Lease

    /// Whether other owners leave the session alone.
    ///
    /// - Parameters:
    ///   - clock: The clock of this machine.
    ///   - leaseTime: The length of a lease.
    ///   - isOpenHere: Whether this process uses the session of a token.
    func holds(by clock: any MachineClock, _ leaseTime: Duration, isOpenHere: (Int64) -> Bool) -> Bool {
        if process == ProcessName.current { return isOpenHere(token) }
        return lease.holds(by: clock, for: leaseTime) && !ProcessName.hasEnded(process)
    }
}

/// The name of a process that all processes of the machine understand.
enum ProcessName {
    static let current = namespace + "\(getpid())"

    /// Each container counts its processes from one.
    private static let namespace =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")).map { $0 + " " } ?? ""

    /// Whether the process has ended. If it cannot be asked, as one of another container, it counts as running.
    static func hasEnded(_ name: String) -> Bool {
        guard name.hasPrefix(namespace), let number = pid_t(name.dropFirst(namespace.count)), number > 0 else {
            return false
        }
        return kill(number, 0) != 0 && errno == ESRCH
    }
}
