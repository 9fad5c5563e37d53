// `stanza find` over an archive, with one thread and with two: how it compares with the speed of one parser.

import Foundation
import Harness
import StanzaCLI
import StanzaQuery

struct ArchiveSuite {
    let bench: Bench

    /// So many bytes at least: starting threads must not count.
    private var archiveLength: Int { bench.stopwatch.samples > 7 ? 150_000_000 : 20_000_000 }
    private static let query = "{urn:xmpp:delay}delay@stamp"

    func run() throws {
        let times = archiveLength / bench.corpus.stream.count + 1
        // One example is a whole stream: in a recording, it would begin another stream.
        let stanzas = bench.corpus.stanzas.filter { !$0.hasPrefix("<stream:stream") }
        let block = stanzas.joined(separator: "\n") + "\n"
        let stream = Corpus.stream(of: String(repeating: block, count: times))
        let query = try Query(Self.query)
        let results = try bench.elements.reduce(0) { try $0 + $1.find(query).count } * times
        let contenders =
            [Contender("parser alone") { try Parsing.stream(stream, chunk: 1 << 18) }]
            + [1, 2].map { jobs in Contender("`stanza find --jobs \(jobs)`") { Self.find(jobs: jobs, stream) } }
        let speeds = try zip(contenders, [stanzas.count * times, results, results]).map { contender, expected in
            var (wall, processor) = (Double.infinity, Double.infinity)
            // What others do on the machine can only make it slower: the best counts.
            for _ in 0..<max(3, bench.stopwatch.samples / 3) {
                let (startWall, startProcessor) = (Clocks.wall, Clocks.process)
                let result = try contender.run()
                wall = min(wall, Clocks.wall - startWall)
                processor = min(processor, Clocks.process - startProcessor)
                _ = try Stopwatch.agreed("an archive", [("expected", expected), (contender.name, result)])
            }
            return (wall: Double(stream.count) * 1e3 / wall, processor: Double(stream.count) * 1e3 / processor)
        }
        let parser = speeds[0]
        bench.report.add(
            Section(
                "Archives",
                note: "`stanza find` of `\(Self.query)` in \(stream.count) bytes of a stream, from memory. MB/s on the "
                    + "wall, the best of some runs; the same by the processor time of all threads.",
                columns: ["command", "MB/s", "× parser", "MB/s of processor time"],
                rows: zip(contenders, speeds).map {
                    [$0.name, $1.wall.short, ($1.wall / parser.wall).short, $1.processor.short]
                }))
        bench.report.add(
            Goal(
                "`stanza find` in an archive, with `--jobs 1` and `--jobs 2`: × one parser",
                .atLeast(0.9, speeds[1].processor / parser.processor), .atLeast(1.2, speeds[2].wall / parser.wall)))
        try addRecords()
    }

    /// Long measurements of whole processes, which other programs record.
    private func addRecords() throws {
        bench.report.add(
            Section(
                "Archives, whole processes",
                note: "Programs that read the same files from memory, on one core but for `--jobs 2`, as recorded by "
                    + "`Benchmarks/archive-speed`. MB/s on the wall, the best of some runs.",
                columns: ["command", "MB/s"], rows: try Repository.rows(of: "archive-speed.tsv", "speed", fields: 3)))
        bench.report.add(
            Section(
                "Archives, memory",
                note: "The most MiB that `stanza find` needed, as recorded by `Benchmarks/archives`.",
                columns: ["archive", "stanzas", "MiB", "stanzas", "MiB"],
                rows: try Repository.rows(of: "archives.tsv", "memory", fields: 6)))
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
