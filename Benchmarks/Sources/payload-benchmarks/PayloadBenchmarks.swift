// Measures how a message of five members becomes a structure: by reads that are written by hand, by a payload, and by
// XMLCoder.
//
//     swift run -c release --package-path Benchmarks payload-benchmarks

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
        print("medians of nanoseconds for one message, and allocations\n")
        print("| | ns | × by hand | allocations |\n| --- | ---: | ---: | ---: |")
        for (contender, median) in zip(contenders, medians) {
            let ratio = (median / medians[0]).formatted(.number.precision(.fractionLength(2)))
            let before = counters_allocations()
            let message = try contender.run()
            let allocations = counters_allocations() - before
            withExtendedLifetime(message) {}
            print("| \(contender.name) | \(Int(median)) | \(ratio) | \(allocations) |")
        }
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
