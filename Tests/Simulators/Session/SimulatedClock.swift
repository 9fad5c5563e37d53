// The clock of a process, as its machine or its container has it. The rules of leases are those of XMPPCore.

import Foundation
import XMPPCore

/// A clock that jumps.
struct SimulatedClock: MachineClock {
    let uptime: Duration
    let boot: String?

    var date: Date { Date(timeIntervalSince1970: 0) }

    /// No process of a simulation sleeps.
    func sleep(until uptime: Duration) throws(CancellationError) {}
}

extension Lease {
    /// The length of each lease.
    static let time = Duration.seconds(15)
}
