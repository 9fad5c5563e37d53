// The system's clocks, as a protocol that tests can replace. PromiseTime.swift computes the time of promises from them.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the time of day and the uptime, and sleeps.
public protocol PromiseClock: Sendable {
    /// The time of day. It may be set, forward and back.
    func now() -> Date
    /// Seconds since the machine started. This clock cannot be set, and it also runs while the machine sleeps. All
    /// processes read the same value.
    var uptime: TimeInterval { get }
    /// Identifies the current boot of the machine; `nil` if the system does not report it.
    var boot: String? { get }
    /// Returns after this time, or earlier, such as when the task is canceled: callers check the time again.
    func sleep(for seconds: TimeInterval) async
}

/// The clocks of the system.
public struct SystemPromiseClock: PromiseClock {
    public init() {}

    public func now() -> Date { Date() }

    public var uptime: TimeInterval {
        // Both clocks count while the machine sleeps, and setting the time does not change them.
        #if canImport(Darwin)
        let clock = CLOCK_MONOTONIC_RAW
        #else
        let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }

    public var boot: String? { Self.bootID }

    /// Sleeps for at most a minute, because some systems do not count the time for which they sleep.
    public func sleep(for seconds: TimeInterval) async {
        try? await Task.sleep(for: .seconds(min(max(seconds, 0), 60)))
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
