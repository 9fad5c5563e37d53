// Measures the steps of a handler's life (create, store, load, call), and the share that each of them has.
//
//     swift run -c release --package-path Benchmarks handlers-benchmarks [FOLDER]
//
// The stores are memory, with processor time as the clock, and, in FOLDER, a single file: there the disk decides what
// storing costs, and the clock is the one on the wall.

import Foundation
import Handlers
import Logging

@main
enum HandlersBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let folder = URL(filePath: arguments.count > 1 ? arguments[1] : NSTemporaryDirectory())
            .appending(path: "stanza-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        print("medians of microseconds for one handler, and shares of its life\n")
        Life.printHead()
        for subject in try Subject.all() {
            let memory = try dispatcher(MemoryHandlerStore())
            try await Life.measure(subject, memory, .processor, samples: 200, handlers: 100)
                .printRow("\(subject.name), memory")
            let file = try FileHandlerStore(at: folder.appending(path: "\(subject.name).handlers"))
            try await Life.measure(subject, try dispatcher(file), .wall, samples: 20, handlers: 10)
                .printRow("\(subject.name), file")
            file.close()
        }
    }

    private static func dispatcher(_ store: any HandlerStore) throws -> HandlerDispatcher {
        HandlerDispatcher(
            registry: try HandlerRegistry(handlers: [Subject.small.definition, Subject.large.definition]), store: store,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// The times of the steps of one handler, in microseconds.
struct Life {
    private(set) var steps: [(name: String, microseconds: Double)] = []
    private(set) var bytes = 0

    /// Each sample creates so many handlers, then stores, loads and calls them, so that the clock is read seldom. The
    /// created handlers are gone before the loading, as if another process loaded them.
    static func measure(
        _ subject: Subject, _ dispatcher: HandlerDispatcher, _ clock: StepClock.Kind, samples: Int, handlers count: Int
    ) async throws -> Life {
        let names = ["create", "store", "load", "call"]
        var times: [[Double]] = Array(repeating: [], count: names.count)
        var life = Life()
        let before = Subject.calls
        for _ in 0..<samples {
            var clock = StepClock(clock, count: count)
            var created: [Handler] = []
            for _ in 0..<count { created.append(try subject.create()) }
            times[0].append(clock.step())
            for handler in created { try await dispatcher.store(handler) }
            times[1].append(clock.step())
            life.bytes = try dispatcher.data(of: created[0]).count
            let ids = created.map(\.id)
            created = []
            clock.skip()
            var loaded: [Handler] = []
            for id in ids { loaded.append(try await dispatcher.load(id)) }
            times[2].append(clock.step())
            for handler in loaded { try await dispatcher.call(handler, subject.given) }
            times[3].append(clock.step())
            for id in ids { try await dispatcher.remove(id) }
        }
        guard Subject.calls - before == samples * count else { fatalError("not every call arrived") }
        life.steps = zip(names, times).map { ($0, $1.sorted()[$1.count / 2]) }
        return life
    }

    static func printHead() {
        print("| handler | bytes | create | store | load | call |")
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
    enum Kind {
        /// The time that this process had a processor: what others do on the machine does not count.
        case processor
        case wall

        /// Nanoseconds since some beginning.
        fileprivate var now: UInt64 {
            var time = timespec()
            clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    private let kind: Kind
    private let count: Int
    private var last: UInt64

    init(_ kind: Kind, count: Int) {
        self.kind = kind
        self.count = count
        last = kind.now
    }

    /// Microseconds for one handler since the last step.
    mutating func step() -> Double {
        let now = kind.now
        defer { last = now }
        return Double(now - last) / 1e3 / Double(count)
    }

    /// What happened since does not count.
    mutating func skip() { last = kind.now }
}
