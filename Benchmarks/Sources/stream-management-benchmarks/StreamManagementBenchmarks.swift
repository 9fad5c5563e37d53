// Measures stream management: stanzas a second through the core alone and with storage, the writes to storage for each
// stanza, and how many bytes acknowledgements take.
//
//      swift run -c release --package-path Benchmarks stream-management-benchmarks [FOLDER] [COUNT]
//
// The database is made in FOLDER: its disk decides how much a commit costs. `strace -f -c -e trace=fdatasync,fsync`
// before the program counts how often it waits for the disk. Benchmarks/STREAM-MANAGEMENT.md has the output.

import CCounters
import Foundation
import Persistence
import StreamManagement

@main
enum StreamManagementBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let folder = URL(filePath: arguments.count > 1 ? arguments[1] : NSTemporaryDirectory())
            .appending(path: "stanza-benchmark-\(UUID().uuidString)")
        let count = arguments.count > 2 ? Int(arguments[2]) ?? 2000 : 2000
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        print(head)
        try measureCore()
        print(storageHead)
        try await measureStorage(in: folder, count: count)
        print(trafficHead)
        try AcknowledgementTraffic.measure()
    }

    private static let head = """
        # Stream management

        Written by `stream-management-benchmarks`; README.md shows how to run it. \
        Messages of \(Exchange.text.utf8.count) bytes, acknowledged by
        fives. Compare ratios within one run: times depend on the machine, and with a database on its disk.

        ## The core alone

        Nanoseconds of processor time and allocations for each stanza, the best of three runs. The core's actions are
        discarded.

        """

    private static let storageHead = """
        ## With storage

        Stanzas a second by the wall clock, and the cost of storing each. Each write is one transaction, and waits for the
        disk once. The bytes are those that the process passes to the system to write.

        """

    private static let trafficHead = """
        ## Bytes of requests and acknowledgements

        For each stanza, with its answer if it is a request, by policy and rate. These are the same on every machine.

        """

    // MARK: The core

    private static func measureCore() throws {
        let count = 200_000
        let answers = try Exchange.answers(count: count)
        var table = Table(["", "stanzas a second", "ns", "allocations"])
        for direction in Direction.allCases {
            var (best, allocations) = (Double.infinity, 0.0)
            for _ in 0..<3 {
                let exchange = try Exchange(store: nil)
                let before = (time: processorSeconds(), allocations: counters_allocations())
                try exchange.run(direction, answers: answers)
                best = min(best, (processorSeconds() - before.time) / Double(count))
                allocations = Double(counters_allocations() - before.allocations) / Double(count)
            }
            table.add(["\(direction)", "\(Int(1 / best))", "\(Int(best * 1e9))", allocations.shortly])
        }
        table.print()
    }

    // MARK: Storage

    private static func measureStorage(in folder: URL, count: Int) async throws {
        let database = try await StanzaDatabase.open(at: folder.appending(path: "sessions.db").path)
        let memory = MemoryStorage(servesSeveralAccounts: true)
        let answers = try Exchange.answers(count: count)
        let stores: [(String, any SessionStore)] = [
            ("memory", try memory.open("a")), ("SQLite", try database.openSession("b")),
        ]
        var table = Table(["", "", "stanzas a second", "writes for each", "bytes for each"])
        for (name, store) in stores {
            for direction in Direction.allCases {
                let counting = CountingStore(store)
                let exchange = try Exchange(store: counting)
                let before = (counting.writes, ProcessIO.now)
                let start = ContinuousClock.now
                try exchange.run(direction, answers: answers)
                try exchange.flush()
                let seconds = (ContinuousClock.now - start).inSeconds
                let written = ProcessIO.now.bytes - before.1.bytes
                table.add([
                    name, "\(direction)", "\(Int(Double(count) / seconds))",
                    (Double(counting.writes - before.0) / Double(count)).shortly, "\(written / count)",
                ])
            }
        }
        table.print()
    }
}

/// Counts the writes that reach a store.
private final class CountingStore: SessionStore, @unchecked Sendable {
    private let store: any SessionStore
    // One thread makes all calls.
    private(set) var writes = 0

    init(_ store: any SessionStore) {
        self.store = store
    }

    func load() throws -> StoredSession? { try store.load() }

    func write(_ changes: [StorageChange]) throws {
        writes += 1
        try store.write(changes)
    }

    func close() { store.close() }
}

/// The process's writes to the system, as Linux counts them.
private struct ProcessIO {
    let bytes: Int

    static var now: ProcessIO {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
        return ProcessIO(bytes: line.flatMap { Int($0.dropFirst(7)) } ?? 0)
    }
}

/// The processor time of this thread.
private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A table of Markdown.
struct Table {
    private var rows: [[String]]

    init(_ head: [String]) {
        rows = [head, head.indices.map { $0 == 0 || head[$0].isEmpty ? "---" : "---:" }]
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    func print() {
        for row in rows { Swift.print("| \(row.joined(separator: " | ")) |") }
        Swift.print()
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

extension Double {
    var shortly: String { formatted(.number.precision(.fractionLength(2))) }
}
