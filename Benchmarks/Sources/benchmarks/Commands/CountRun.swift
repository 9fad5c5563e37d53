// Runs this executable once more under callgrind, and reads its counts.

import Foundation
import Harness

/// The costs of an operation.
struct Counts {
    let instructions: Double
    let allocations: Double
}

enum CountRun {
    /// The counts of all work on the recorded sessions, by name, in order. Needs valgrind and strip.
    static func collect(only: String? = nil) throws -> [(name: String, counts: Counts)] {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "counts-\(ProcessInfo.processInfo.processIdentifier)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        // valgrind does not understand Swift's debug information: it gets a copy without.
        let copy = folder.appending(path: "benchmarks")
        try files.copyItem(at: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(), to: copy)
        _ = try Subprocess.output(of: "/usr/bin/env", ["strip", "-g", copy.path])
        let output = try Subprocess.output(
            of: "/usr/bin/env",
            [
                "valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
                "--callgrind-out-file=\(folder.path)/callgrind.out", copy.path, "count", "--work",
            ] + (only.map { ["--only", $0] } ?? []),
            // Hashes are seeded by chance otherwise, and look-ups would take more or fewer steps.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        let instructions = try dumps(in: folder)
        return try output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let operations = Double(fields[1]), let allocations = Double(fields[2]),
                let instructions = instructions[String(fields[0])]
            else { throw BenchmarkError("the counting process printed '\(line)'") }
            return (String(fields[0]), Counts(instructions: instructions / operations, allocations: allocations))
        }
    }

    /// The instructions of each dump, by the name that the client request gave it.
    private static func dumps(in folder: URL) throws -> [String: Double] {
        var result: [String: Double] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("callgrind.out.") {
            let text = String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
            var work: String?
            for line in text.split(separator: "\n") {
                let trigger = "desc: Trigger: Client Request: "
                if line.hasPrefix(trigger) { work = String(line.dropFirst(trigger.count)) }
                if let work, line.hasPrefix("totals: ") { result[work] = Double(line.dropFirst("totals: ".count)) }
            }
        }
        return result
    }

    /// Adds the counts of everything, and the goal for work that must not allocate.
    static func add(to report: Report) throws {
        let counts = try collect()
        report.add(
            Section(
                "Counts",
                note: "Instructions, counted by callgrind, and allocations per operation on the recorded session: an "
                    + "evaluation, a stanza, a message built, or a query compiled. `check 1` … are the ten queries in "
                    + "their order.",
                columns: ["work", "instructions", "allocations"],
                rows: counts.map { [$0.name, $0.counts.instructions.short, $0.counts.allocations.short] }))
        let free = counts.filter { CountedWorks.isFree($0.name) }.map(\.counts.allocations)
        report.add(
            Goal(
                "allocations: none in `check`, in `findFirst` of an element, and for first results",
                .atMost(0, free.isEmpty ? .nan : free.reduce(0, +), "allocations")))
    }
}
