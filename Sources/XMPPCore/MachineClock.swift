// The machine's clocks, as a protocol that tests can replace. All modules read time and sleep through it.

public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the time of day and the uptime of a machine, and sleeps.
public protocol MachineClock: Sendable {
    /// The time of day. It may be set, forward and back.
    var date: Date { get }
    /// The time since the machine started. It cannot be set, and it also passes while the machine sleeps. All processes
    /// read the same value.
    var uptime: Duration { get }
    /// Identifies the current boot of the machine; `nil` if the system does not report it.
    var boot: String? { get }
    /// Sleeps at least until the given uptime.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until uptime: Duration) async throws
}

extension MachineClock {
    /// The uptime in seconds, as files store it.
    package var secondsOfUptime: TimeInterval { uptime / .seconds(1) }
}

/// The clocks of the system.
public struct SystemClock: MachineClock {
    public init() {}

    public var date: Date { Date() }

    public var uptime: Duration {
        // Both clocks count while the machine sleeps, and setting the time does not change them.
        #if canImport(Darwin)
        let clock = CLOCK_MONOTONIC_RAW
        #else
        let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    public var boot: String? { Self.bootID }

    public func sleep(until uptime: Duration) async throws(CancellationError) {
        repeat {
            // Some systems do not count the time for which they sleep, so this looks at the clock each minute.
            let rest = min(max(uptime - self.uptime, .zero), .seconds(60))
            // A sleep throws for no other reason.
            do { try await Task.sleep(for: rest, clock: .continuous) } catch { throw CancellationError() }
        } while self.uptime < uptime
    }

    private static let bootID: String? = {
        #if canImport(Darwin)
        var bytes = [CChar](repeating: 0, count: 64)
        var count = bytes.count
        guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
        #endif
    }()
}
