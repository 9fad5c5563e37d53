// `stanza find` over an archive, with one thread and with all: how it compares with what one parser reads.

import Foundation
import StanzaCLI
import StanzaQuery

struct ArchiveSuite {
    let bench: Bench

    /// So many bytes at least: starting threads must not count.
    private var archiveLength: Int { bench.stopwatch.effort.samples > 7 ? 150_000_000 : 20_000_000 }
    private static let query = "{urn:xmpp:delay}delay@stamp"
    /// The goals: how much of a parser's speed each of several jobs has to reach, and one alone.
    private static let share = 0.6
    private static let shareAlone = 0.9

    func run() throws {
        let times = archiveLength / bench.corpus.stream.count + 1
        // One example is a whole stream: in a recording, it would begin another stream.
        let stanzas = bench.corpus.stanzas.filter { !$0.hasPrefix("<stream:stream") }
        let stream = Self.archive(stanzas, times: times, Corpus.streamStart, Corpus.streamEnd)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let objects = try bench.corpus.stanzas.map { String(decoding: try encoder.encode(["xml": $0]), as: UTF8.self) }
        let lines = Self.archive(objects, times: times, "", "")

        let query = try Query(Self.query)
        let results = try bench.elements.reduce(0) { try $0 + $1.find(query).count } * times
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let jobs = [1, 2, 4, 8, 16].filter { $0 <= max(2, cores) }
        var contenders = [
            Contender("parser alone, a stream", bytes: stream, expected: stanzas.count * times) {
                try Parsing.stream($0, chunk: 1 << 18)
            }
        ]
        for (name, bytes) in [("a stream", stream), ("JSON lines", lines)] {
            for jobs in jobs {
                contenders.append(
                    Contender("`stanza find --jobs \(jobs)`, \(name)", bytes: bytes, expected: results) {
                        Self.find(jobs: jobs, $0)
                    })
            }
        }
        let speeds = try contenders.indices.map { try speed(of: contenders[$0]) }
        let parser = speeds[0].wall
        bench.report.add(
            Section(
                "Archives",
                note: "`stanza find` of `\(Self.query)` in \(stream.count) bytes of a stream and \(lines.count) "
                    + "of JSON lines, from memory, on \(cores) cores. MB/s on the wall, the best of some runs; the "
                    + "same by the processor time of all threads.",
                columns: ["command", "MB/s", "× parser", "MB/s of processor time"],
                rows: zip(contenders, speeds).map {
                    [$0.name, $1.wall.short, ($1.wall / parser).short, $1.processor.short]
                },
                plot: .bars(
                    unit: "MB/s",
                    values: zip(contenders, speeds).map { ($0.name.replacing("`", with: ""), $1.wall) })))
        try ArchiveRecord().goals.forEach(bench.report.add)
        try ArchiveSpeedRecord().add(to: bench.report)
        // By the processor's time: others on the machine do not count.
        bench.report.add(
            .atLeast(
                Self.shareAlone, "`stanza find --jobs 1` in a stream: × the parser alone",
                speeds[1].processor / speeds[0].processor))
        for (index, count) in jobs.enumerated() where count > 1 && count <= cores {
            let slowest = min(speeds[1 + index].wall, speeds[1 + jobs.count + index].wall)
            bench.report.add(
                .atLeast(
                    Self.share * Double(count), "`stanza find --jobs \(count)` in an archive: × one parser",
                    slowest / parser
                ).because("the clock is the one on the wall, and so many jobs need so many cores for themselves."))
        }
    }

    private struct Contender {
        let name: String
        let bytes: [UInt8]
        let expected: Int
        let run: ([UInt8]) throws -> Int

        init(_ name: String, bytes: [UInt8], expected: Int, _ run: @escaping ([UInt8]) throws -> Int) {
            self.name = name
            self.bytes = bytes
            self.expected = expected
            self.run = run
        }
    }

    /// MB/s on the wall and of processor time. What others do on the machine can only make it slower: the best counts.
    private func speed(of contender: Contender) throws -> (wall: Double, processor: Double) {
        var wall = Double.infinity
        var processor = Double.infinity
        for _ in 0..<max(3, bench.stopwatch.effort.samples / 3) {
            let (startWall, startProcessor) = (WallClock.nanoseconds, ProcessClock.nanoseconds)
            let result = try contender.run(contender.bytes)
            wall = min(wall, WallClock.nanoseconds - startWall)
            processor = min(processor, ProcessClock.nanoseconds - startProcessor)
            guard result == contender.expected else {
                throw Disagreement(
                    work: "an archive", results: [("expected", contender.expected), (contender.name, result)])
            }
        }
        let megabytes = Double(contender.bytes.count) * 1e3
        return (megabytes / wall, megabytes / processor)
    }

    private static func archive(_ lines: [String], times: Int, _ start: String, _ end: String) -> [UInt8] {
        let once = Array((lines.joined(separator: "\n") + "\n").utf8)
        var bytes = Array(start.utf8)
        bytes.reserveCapacity(once.count * times + 1_000)
        for _ in 0..<times { bytes += once }
        return bytes + Array(end.utf8)
    }

    /// How many results the command finds, each of which is a line.
    private static func find(jobs: Int, _ bytes: [UInt8]) -> Int {
        let output = LineCounter()
        let console = Console(
            input: Memory(bytes), output: Output(output), errors: Output(LineCounter()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        let status = StanzaCommand.run(["find", "--jobs", "\(jobs)", query], on: console)
        return status == .badInput || status == .usage ? -1 : output.count
    }
}

/// Standard input from memory.
private final class Memory: ByteSource {
    private let bytes: [UInt8]
    private var offset = 0
    let mayWait = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
        offset += count
        return count
    }
}

/// Standard output that only counts.
private final class LineCounter: ByteSink {
    private(set) var count = 0

    func write(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count { $0 == UInt8(ascii: "\n") }
    }
}
