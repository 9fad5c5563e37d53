// Measures the steps of a handler's life (create, encode, load, call), and the share that each of them has.
//
//     swift run -c release --package-path Benchmarks handlers-benchmarks

import Foundation
import Handlers
import Logging

@main
enum HandlersBenchmarks {
    static func main() async throws {
        print("medians of microseconds for one handler, and shares of its life\n")
        Life.printHead()
        for subject in try Subject.all() {
            try await Life.measure(subject, dispatcher(), samples: 200, handlers: 100).printRow(subject.name)
        }
    }

    private static func dispatcher() throws -> HandlerDispatcher {
        HandlerDispatcher(
            registry: try HandlerRegistry(handlers: [Subject.small.definition, Subject.large.definition]),
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// The times of the steps of one handler, in microseconds.
struct Life {
    private(set) var steps: [(name: String, microseconds: Double)] = []
    private(set) var bytes = 0

    /// Each sample creates so many handlers, then encodes, loads and calls them, so that the clock is read seldom. The
    /// created handlers are gone before the loading, as if another process loaded them.
    static func measure(
        _ subject: Subject, _ dispatcher: HandlerDispatcher, samples: Int, handlers count: Int
    ) async throws -> Life {
        let names = ["create", "encode", "load", "call"]
        var times: [[Double]] = Array(repeating: [], count: names.count)
        var life = Life()
        let before = Subject.calls
        for _ in 0..<samples {
            var clock = StepClock(count: count)
            var created: [Handler] = []
            for _ in 0..<count { created.append(try subject.create()) }
            times[0].append(clock.step())
            let stored = try created.map { try dispatcher.data(of: $0) }
            times[1].append(clock.step())
            life.bytes = stored[0].count
            created = []
            clock.skip()
            let loaded = try stored.map { try dispatcher.load(from: $0) }
            times[2].append(clock.step())
            for handler in loaded { try await dispatcher.call(handler, subject.given) }
            times[3].append(clock.step())
        }
        guard Subject.calls - before == samples * count else { fatalError("not every call arrived") }
        life.steps = zip(names, times).map { ($0, $1.sorted()[$1.count / 2]) }
        return life
    }

    static func printHead() {
        print("| handler | bytes | create | encode | load | call |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
    }

    func printRow(_ name: String) {
        let total = steps.map(\.microseconds).reduce(0, +)
        let cells = steps.map { step in
            let time = step.microseconds.formatted(.number.precision(.fractionLength(step.microseconds < 100 ? 1 : 0)))
            return "\(time) (\((step.microseconds / total).formatted(.percent.precision(.fractionLength(0)))))"
        }
        print("| \(name) | \(bytes) | \(cells.joined(separator: " | ")) |")
    }
}

/// Reads the time that passed between steps.
struct StepClock {
    /// Nanoseconds for which this process had a processor: what others do on the machine does not count.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private let count: Int
    private var last: UInt64

    init(count: Int) {
        self.count = count
        last = Self.now
    }

    /// Microseconds for one handler since the last step.
    mutating func step() -> Double {
        let now = Self.now
        defer { last = now }
        return Double(now - last) / 1e3 / Double(count)
    }

    /// What happened since does not count.
    mutating func skip() { last = Self.now }
}
