// The record of `payload-benchmarks`: a program of its own, because it fetches XMLCoder.

import Foundation

/// `payloads.tsv`: the costs of a structure from a message, by each way to read it.
struct PayloadRecord {
    private var rows: [(name: String, nanoseconds: Double, allocations: String)] = []

    /// Empty when the file is not there.
    init(_ file: URL = Corpus.repository.appending(path: "Benchmarks/payloads.tsv")) throws {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 3, let nanoseconds = Double(fields[1]) else {
                throw PeerError(description: "\(file.lastPathComponent) has the line '\(line)'")
            }
            rows.append((fields[0], nanoseconds, fields[2]))
        }
    }

    private func nanoseconds(_ name: String) -> Double? { rows.first { $0.name == name }?.nanoseconds }

    func add(to report: Report) {
        guard let byHand = nanoseconds("reads by hand, on the tree"), let payload = nanoseconds("payload, on the tree"),
            let parsed = nanoseconds("payload, from bytes"), let coded = nanoseconds("XMLCoder, from bytes")
        else {
            return report.add(
                .open("a payload beside XMLCoder", target: "a ratio", why: "`payload-benchmarks --record` measures it"))
        }
        report.add(
            Section(
                "Payloads, recorded by `payload-benchmarks`",
                note: "A message of five members becomes a structure: `from`, `id`, `type`, `body`, and a delay, which "
                    + "is a structure, too. The reads by hand make the same checks. XMLCoder reads bytes only, ignores "
                    + "namespaces, and reads the date as a string, which the program converts. Medians of the "
                    + "processor time for one message. The two allocations on the tree are the strings of the address "
                    + "and of the body.",
                columns: ["reads", "ns", "× by hand", "allocations"],
                rows: rows.map { [$0.name, $0.nanoseconds.short, ($0.nanoseconds / byHand).short, $0.allocations] }))
        report.add(.atMost(1.1, "a payload: × the reads by hand (recorded)", payload / byHand))
        report.add(.atLeast(5, "a payload from bytes: faster than XMLCoder (recorded)", coded / parsed))
    }
}
