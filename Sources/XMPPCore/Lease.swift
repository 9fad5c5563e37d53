// The lease of an owner. It protects no data, because an owner compares its token in each transaction. It only decides
// whether another process may become the owner. Persistence stores it; the session simulator lets clocks jump.

package import Foundation

/// A lease on the uptime of a machine.
package struct Lease: Sendable, Hashable {
    /// The boot of the machine in which the owner has begun it.
    package let boot: String?
    /// The uptime, in seconds, at which it ends; 0 when the owner has given it up.
    package let end: TimeInterval

    package init(boot: String?, end: TimeInterval) {
        self.boot = boot
        self.end = end
    }

    /// A lease that begins now.
    package init(from clock: any MachineClock, for time: Duration) {
        self.init(boot: clock.boot, end: clock.secondsOfUptime + time / .seconds(1))
    }

    /// Whether it holds, so that other processes leave the owner alone.
    package func holds(by clock: any MachineClock, for time: Duration) -> Bool {
        // The owner has ended with its boot.
        if let boot, let now = clock.boot, boot != now { return false }
        let left = end - clock.secondsOfUptime
        // Far more than a lease is the uptime of another boot, or of a clock that went backwards.
        return left > 0 && left < time / .seconds(1) * 2
    }

    /// Whether its owner has to renew it: a third has passed, or the clock went backwards.
    package func isDue(by clock: any MachineClock, for time: Duration) -> Bool {
        let left = (end - clock.secondsOfUptime) / (time / .seconds(1))
        return left <= 2.0 / 3 || left > 1
    }
}
