// Counts instructions and allocations, and compares them with the record.

import ArgumentParser
import Harness

struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Counts instructions and allocations on the recorded sessions, and compares them with counts.tsv.")

    @Flag(help: "Writes the counts to counts.tsv instead of comparing.")
    var record = false

    @Option(help: "Only work whose name contains this; nothing is compared.")
    var only: String?

    @Flag(help: .private)
    var work = false

    func run() throws {
        if work { return try runWork() }
        let counts = try CountRun.collect(only: only)
        for (name, counted) in counts {
            print("\(name): \(counted.instructions.short) instructions, \(counted.allocations.short) allocations")
        }
        if only != nil { return }
        if record { return try CountRecord.write(counts) }
        let complaints = try CountRecord.read().complaints(about: counts)
        if complaints.isEmpty {
            print("counts: none is more than 10 % above the record")
        } else {
            print("\nabove the record; `.ci/benchmarks --record` accepts the new counts:")
            complaints.forEach { print("  \($0)") }
            throw ExitCode.failure
        }
    }

    /// In the counted process: does all work, and prints its own counts.
    private func runWork() throws {
        let bench = try Bench(corpus: .recorded(), stopwatch: .quick, report: Report(circumstances: []))
        for work in try CountedWorks(bench: bench).all() where only.map(work.name.contains) ?? true {
            let allocations = try Counter.allocations(of: work)
            try Counter.mark(work)
            print("\(work.name)\t\(work.operations)\t\(allocations)")
        }
    }
}
