// The recorded counts, and the comparison with them.

import Foundation

/// `counts.tsv`: name, instructions and allocations of an operation.
struct CountRecord {
    static let file = Corpus.repository.appending(path: "Benchmarks/counts.tsv")

    /// How far a count may be above the record.
    static let tolerance = 0.10
    /// Allocations are few: some hundredths of one per operation are noise of growing buffers.
    static let allocationSlack = 0.02

    private var counts: [String: Counts] = [:]

    static func read() throws -> CountRecord {
        var record = CountRecord()
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 3, let instructions = Double(fields[1]), let allocations = Double(fields[2]) else {
                throw PeerError(description: "\(file.lastPathComponent) has the line '\(line)'")
            }
            record.counts[fields[0]] = Counts(instructions: instructions, allocations: allocations)
        }
        return record
    }

    static func write(_ counts: [(name: String, counts: Counts)]) throws {
        let lines = counts.filter { !$0.name.hasPrefix(CountedWorks.peer) }.map {
            "\($0.name)\t\(String(format: "%.1f", $0.counts.instructions ?? 0))"
                + "\t\(String(format: "%.3f", $0.counts.allocations))\n"
        }
        let head = "# Instructions and allocations per operation, written by `.ci/benchmarks --record`.\n"
        try (head + lines.joined()).write(to: file, atomically: true, encoding: .utf8)
    }

    /// What is more than the tolerance above the record, or not recorded at all.
    func complaints(about counts: [(name: String, counts: Counts)]) -> [String] {
        counts.filter { !$0.name.hasPrefix(CountedWorks.peer) }.flatMap { name, counted -> [String] in
            guard let recorded = self.counts[name] else { return ["\(name): not recorded"] }
            var complaints: [String] = []
            if let instructions = counted.instructions, let limit = recorded.instructions,
                instructions > limit * (1 + Self.tolerance)
            {
                complaints.append("\(name): \(instructions.short) instructions, recorded are \(limit.short)")
            }
            if counted.allocations > recorded.allocations * (1 + Self.tolerance) + Self.allocationSlack {
                complaints.append(
                    "\(name): \(counted.allocations.short) allocations, recorded are \(recorded.allocations.short)")
            }
            return complaints
        }
    }
}
