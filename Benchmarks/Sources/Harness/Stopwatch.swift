// Measures several contenders for the same work side by side.
//
// Samples of all contenders take turns, so that other load on the machine slows all of them. A contender's time is the
// median of its samples. Nothing here depends on the measured work.

import Glibc

/// The clocks, in nanoseconds.
package enum Clocks {
    /// The processor time of this thread: time in which other threads have the processor does not count. Almost all
    /// measured work runs in one thread and never waits.
    package static var thread: Double { time(of: CLOCK_THREAD_CPUTIME_ID) }
    /// The processor time of all threads of this process.
    package static var process: Double { time(of: CLOCK_PROCESS_CPUTIME_ID) }
    /// The time on the wall.
    package static var wall: Double { time(of: CLOCK_MONOTONIC) }

    private static func time(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Something that can be timed. Returns a number that depends on the work: it keeps the optimizer from leaving the
/// work out, and contenders that do the same work have to return the same.
package struct Contender {
    package let name: String
    package let run: () throws -> Int

    package init(_ name: String, _ run: @escaping () throws -> Int) {
        self.name = name
        self.run = run
    }
}

/// An error that ends a run: contenders disagree, a peer refuses its input, or a record is unreadable.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

package struct Stopwatch: Sendable {
    /// Samples of each contender.
    package let samples: Int
    /// The least time of one sample: short work is repeated until it takes that long.
    let sampleNanoseconds: Double

    package static let quick = Stopwatch(samples: 7, sampleNanoseconds: 1e6)
    package static let full = Stopwatch(samples: 21, sampleNanoseconds: 8e6)

    /// The time of each contender for one of the operations of its work, in nanoseconds. Before the timing, all of them
    /// run once, and with `agreeing` must return the same.
    package func time(
        _ work: String, per operations: Int = 1, agreeing: Bool = true, _ contenders: [Contender]
    ) throws -> [Double] {
        let results = try contenders.map { ($0.name, try $0.run()) }
        if agreeing { _ = try Self.agreed(work, results) }
        let repetitions = try contenders.map(repetitions)
        var times = [[Double]](repeating: [], count: contenders.count)
        for _ in 0..<samples {
            for (index, contender) in contenders.enumerated() {
                let time = try duration(of: contender, times: repetitions[index])
                times[index].append(time / Double(repetitions[index] * operations))
            }
        }
        return times.map { $0.sorted()[samples / 2] }
    }

    /// Throws unless all results are the same. Returns that result.
    package static func agreed(_ work: String, _ results: [(name: String, result: Int)]) throws -> Int {
        guard let first = results.first, results.allSatisfy({ $0.result == first.result }) else {
            let list = results.map { "\($0.name) \($0.result)" }.joined(separator: ", ")
            throw BenchmarkError("the contenders disagree about \(work): \(list)")
        }
        return first.result
    }

    private func repetitions(of contender: Contender) throws -> Int {
        var times = 1
        while true {
            let time = try duration(of: contender, times: times)
            if time >= sampleNanoseconds { return times }
            let factor = (sampleNanoseconds / max(time, 1) * 1.2).rounded(.up)
            times = times * Int(min(factor, 100))
        }
    }

    /// The contender before may have had the caches to itself: one call brings them back and is not timed.
    private func duration(of contender: Contender, times: Int) throws -> Double {
        sink = try sink &+ contender.run()
        let start = Clocks.thread
        for _ in 0..<times { sink = try sink &+ contender.run() }
        return Clocks.thread - start
    }
}

extension [Double] {
    package var mean: Double { reduce(0, +) / Double(count) }
}

/// Takes results, so that the compiler cannot remove the work. The benchmarks run in one thread.
nonisolated(unsafe) var sink = 0
