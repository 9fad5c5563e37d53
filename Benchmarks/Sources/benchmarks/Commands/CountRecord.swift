// The recorded counts, and the comparison with them.

import Foundation
import Harness

/// `counts.tsv`: name, instructions and allocations of an operation.
struct CountRecord {
    /// How far a count may be above the record.
    static let tolerance = 0.10
    /// Allocations are few: some hundredths of one per operation are noise of growing buffers.
    static let allocationSlack = 0.02
    /// What allocates nothing must go on so, on the rarest input, too: the record has three digits.
    static let allocationSlackOfNone = 0.000_5

    private static let file = "counts.tsv"
    private var counts: [String: Counts] = [:]

    static func read() throws -> CountRecord {
        var record = CountRecord()
        for fields in try Repository.rows(of: file, fields: 3) {
            guard let instructions = Double(fields[1]), let allocations = Double(fields[2]) else {
                throw BenchmarkError("\(file) has the row \(fields)")
            }
            record.counts[fields[0]] = Counts(instructions: instructions, allocations: allocations)
        }
        return record
    }

    static func write(_ counts: [(name: String, counts: Counts)]) throws {
        let rows = counts.map { name, counts in
            [name, String(format: "%.1f", counts.instructions), String(format: "%.3f", counts.allocations)]
        }
        let head = "Instructions and allocations per operation, written by `.ci/benchmarks --record`."
        try Repository.write(file, head: head, rows)
    }

    /// Counts that exceed the record by more than the tolerance, and work that is only recorded or only counted.
    func complaints(about counts: [(name: String, counts: Counts)]) -> [String] {
        var complaints = Set(self.counts.keys).subtracting(counts.map(\.name)).sorted()
            .map { "\($0): recorded, not counted" }
        for (name, counted) in counts {
            guard let recorded = self.counts[name] else {
                complaints.append("\(name): not recorded")
                continue
            }
            if counted.instructions > recorded.instructions * (1 + Self.tolerance) {
                complaints.append(
                    "\(name): \(counted.instructions.short) instructions, recorded are \(recorded.instructions.short)")
            }
            let slack = recorded.allocations == 0 ? Self.allocationSlackOfNone : Self.allocationSlack
            if counted.allocations > recorded.allocations * (1 + Self.tolerance) + slack {
                complaints.append(
                    "\(name): \(counted.allocations.short) allocations, recorded are \(recorded.allocations.short)")
            }
        }
        return complaints
    }
}
