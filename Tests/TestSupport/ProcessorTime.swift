// How long work takes, for tests that hold hostile input to a bound: other work on the machine does not count.

import Foundation

/// The seconds that the calling thread spends in `work`.
public func processorTime(of work: () throws -> Void) rethrows -> Double {
    let start = processorTime()
    try work()
    return processorTime() - start
}

/// How many times as long `long` takes as `short`. What disturbs a measurement makes it too large at times, so the
/// least of some attempts counts, and the first that is below `bound` ends them.
public func growth(from short: () throws -> Void, to long: () throws -> Void, below bound: Double) rethrows -> Double {
    try growth(fromSeconds: { try processorTime(of: short) }, toSeconds: { try processorTime(of: long) }, below: bound)
}

/// The same for work that measures a part of itself: both functions return seconds.
public func growth(
    fromSeconds short: () throws -> Double, toSeconds long: () throws -> Double, below bound: Double
) rethrows -> Double {
    // Shorter times disappear in the noise of the clock.
    let shortest = 0.000_05
    var least = Double.infinity
    for _ in 0..<5 where least >= bound {
        let time = try long()
        // Whatever the short one takes, it counts as much.
        least = min(least, time / shortest)
        if least < bound { break }
        least = min(least, time / max(try min(short(), short()), shortest))
    }
    return least
}

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}
