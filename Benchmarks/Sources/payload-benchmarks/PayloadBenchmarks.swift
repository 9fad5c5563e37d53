// Measures how a message of five members becomes a structure: by reads that are written by hand, by a payload, and by
// XMLCoder.
//
//     swift run -c release --package-path Benchmarks payload-benchmarks [--record]
//
// It prints a line for each way: its name, the median of nanoseconds for one message, and allocations. With --record it
// writes them to payloads.tsv, which RESULTS.md shows.

import CCounters
import Foundation
import StanzaQuery
import XMLCoder

@main
enum PayloadBenchmarks {
    private static let rounds = 31
    private static let calls = 2000

    static func main() throws {
        let bytes = Data(Message.document.utf8)
        let tree = try XMLTree.Element(parsing: Message.document)
        let decoder = XMLDecoder()
        let contenders: [(name: String, run: () throws -> Message)] = [
            ("reads by hand, on the tree", { try ByHand.read(tree) }),
            ("payload, on the tree", { try Message(tree) }),
            ("payload, from bytes", { try Message(XMLTree.Element(parsing: Message.document)) }),
            ("XMLCoder, from bytes", { try decoder.decode(Coded.self, from: bytes).message }),
        ]
        // Results first: all contenders have to agree.
        let expected = try ByHand.read(tree)
        for contender in contenders where try contender.run() != expected {
            fatalError("\(contender.name) reads another message")
        }
        var times: [[Double]] = Array(repeating: [], count: contenders.count)
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() { times[index].append(try nanoseconds(contender.run)) }
        }
        let medians = times.map { $0.sorted()[rounds / 2] }
        let day = Date().formatted(.iso8601.year().month().day())
        var lines = ["# The output of payload-benchmarks on \(day): ways to read a message, nanoseconds, allocations."]
        for (contender, median) in zip(contenders, medians) {
            let before = counters_allocations()
            let message = try contender.run()
            let allocations = counters_allocations() - before
            withExtendedLifetime(message) {}
            lines.append("\(contender.name)\t\(Int(median))\t\(allocations)")
        }
        let text = lines.joined(separator: "\n") + "\n"
        print(text, terminator: "")
        guard CommandLine.arguments.contains("--record") else { return }
        // The folder of the package.
        let folder = (0..<3).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
        try text.write(to: folder.appending(path: "payloads.tsv"), atomically: true, encoding: .utf8)
    }

    /// The processor time of one call.
    private static func nanoseconds(_ run: () throws -> Message) rethrows -> Double {
        var bodies = 0
        _ = try run()
        let start = now
        for _ in 0..<calls { bodies += try run().body?.utf8.count ?? 0 }
        let time = now - start
        guard bodies == calls * Message.bodyLength else { fatalError("a body is missing") }
        return time / Double(calls)
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
