// Measures several contenders for the same work side by side.
//
// Samples of all contenders take turns, so that other load on the machine slows all of them; the median of a
// contender's samples is its time. Nothing here depends on the measured work. The clock is ThreadClock.swift.

/// How long to measure.
struct Effort {
    /// Samples of each contender.
    let samples: Int
    /// The least time of one sample: short work is repeated until it takes that long.
    let sample: Duration

    var sampleNanoseconds: Double { sample / .nanoseconds(1) }

    static let quick = Effort(samples: 7, sample: .milliseconds(1))
    static let full = Effort(samples: 21, sample: .milliseconds(8))
}

/// Something that can be timed. Returns a number that depends on the work: it keeps the optimiser from leaving the
/// work out, and contenders that do the same work have to return the same.
struct Contender {
    let name: String
    let run: () throws -> Int

    init(_ name: String, _ run: @escaping () throws -> Int) {
        self.name = name
        self.run = run
    }
}

/// The median time of one call, in nanoseconds.
struct Timing {
    let name: String
    let nanoseconds: Double
    /// Half the distance between the quartiles, relative to the median.
    let spread: Double
}

struct Disagreement: Error, CustomStringConvertible {
    let work: String
    let results: [(name: String, result: Int)]

    var description: String {
        "the engines disagree about \(work): "
            + results.map { "\($0.name) \($0.result)" }.joined(separator: ", ")
    }
}

struct Stopwatch {
    let effort: Effort

    /// Times contenders. Before that, all of them run once, and with `agreeing` must return the same.
    func time(_ work: String, agreeing: Bool = true, _ contenders: [Contender]) throws -> [Timing] {
        let results = try contenders.map { (name: $0.name, result: try $0.run()) }
        if agreeing, let first = results.first, results.contains(where: { $0.result != first.result }) {
            throw Disagreement(work: work, results: results)
        }
        let repetitions = try contenders.map(repetitions)
        var samples = [[Double]](repeating: [], count: contenders.count)
        for _ in 0..<effort.samples {
            for (index, contender) in contenders.enumerated() {
                let time = try duration(of: contender, times: repetitions[index])
                samples[index].append(time / Double(repetitions[index]))
            }
        }
        return zip(contenders, samples).map { contender, samples in
            let sorted = samples.sorted()
            let median = sorted[sorted.count / 2]
            let spread = (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2 / median
            return Timing(name: contender.name, nanoseconds: median, spread: spread)
        }
    }

    /// Times one piece of work.
    func time(_ name: String, _ run: @escaping () throws -> Int) throws -> Timing {
        try time(name, [Contender(name, run)])[0]
    }

    private func repetitions(of contender: Contender) throws -> Int {
        var times = 1
        while true {
            let time = try duration(of: contender, times: times)
            if time >= effort.sampleNanoseconds { return times }
            let factor = (effort.sampleNanoseconds / max(time, 1) * 1.2).rounded(.up)
            times = times * Int(min(factor, 100))
        }
    }

    /// The contender before may have had the caches to itself: one call brings them back and is not timed.
    private func duration(of contender: Contender, times: Int) throws -> Double {
        sink = try sink &+ contender.run()
        let start = ThreadClock.nanoseconds
        for _ in 0..<times { sink = try sink &+ contender.run() }
        return ThreadClock.nanoseconds - start
    }
}

/// Takes results, so that the compiler cannot remove the work. The benchmarks run in one thread.
nonisolated(unsafe) var sink = 0
