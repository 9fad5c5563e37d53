// The recorded counts, and the comparison with them.

import Foundation

/// `counts.tsv`: name, instructions and allocations of an operation.
struct CountRecord {
    static let file = Corpus.repository.appending(path: "Benchmarks/counts.tsv")

    /// How far a count may be above the record.
    static let tolerance = 0.10
    /// Allocations are few: some hundredths of one per operation are noise of growing buffers.
    static let allocationSlack = 0.02
    /// What allocates nothing must go on so, on the rarest input, too: the record has three digits.
    static let allocationSlackOfNone = 0.000_5

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
        let lines = try counts.filter { !$0.name.hasPrefix(CountedWorks.peer) }.map { name, counts in
            guard let instructions = counts.instructions else {
                throw PeerError(description: "\(name): instructions were not counted, so nothing is recorded")
            }
            return "\(name)\t\(String(format: "%.1f", instructions))\t\(String(format: "%.3f", counts.allocations))\n"
        }
        let head = "# Instructions and allocations per operation, written by `.ci/benchmarks --record`.\n"
        try (head + lines.joined()).write(to: file, atomically: true, encoding: .utf8)
    }

    /// Counts that exceed the record by more than the tolerance, and work that is only recorded or only counted.
    func complaints(about counts: [(name: String, counts: Counts)]) -> [String] {
        let own = counts.filter { !$0.name.hasPrefix(CountedWorks.peer) }
        let missing = Set(self.counts.keys).subtracting(own.map(\.name)).sorted().map { "\($0): recorded, not counted" }
        return missing
            + own.flatMap { name, counted -> [String] in
                guard let recorded = self.counts[name] else { return ["\(name): not recorded"] }
                var complaints: [String] = []
                if let instructions = counted.instructions, let limit = recorded.instructions {
                    if instructions > limit * (1 + Self.tolerance) {
                        complaints.append("\(name): \(instructions.short) instructions, recorded are \(limit.short)")
                    }
                } else {
                    complaints.append("\(name): instructions were not counted; valgrind and strip are needed")
                }
                let slack = recorded.allocations == 0 ? Self.allocationSlackOfNone : Self.allocationSlack
                if counted.allocations > recorded.allocations * (1 + Self.tolerance) + slack {
                    complaints.append(
                        "\(name): \(counted.allocations.short) allocations, recorded are \(recorded.allocations.short)")
                }
                return complaints
            }
    }
}
