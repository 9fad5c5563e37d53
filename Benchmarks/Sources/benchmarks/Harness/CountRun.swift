// Runs this executable once more under callgrind, and reads its counts.

import Foundation

enum CountRun {
    /// The counts of all work, by name, in order. Without valgrind they lack instruction counts.
    ///
    /// - Parameter instructions: Whether instructions are counted, which takes some twenty times as long.
    static func collect(
        onRecordedSessions: Bool, instructions countsInstructions: Bool = true, only: String? = nil
    ) throws -> [(name: String, counts: Counts)] {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "counts-\(ProcessInfo.processInfo.processIdentifier)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }

        // valgrind does not understand Swift's debug information: it gets a copy without.
        let copy = folder.appending(path: "benchmarks")
        try files.copyItem(at: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(), to: copy)
        let arguments =
            ["count", "--work"] + (onRecordedSessions ? ["--recorded"] : []) + (only.map { ["--only", $0] } ?? [])
        // Hashes are seeded by chance otherwise, and look-ups would take more or fewer steps.
        let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        let output: String
        let outputFile = folder.appending(path: "callgrind.out")
        if countsInstructions, let valgrind = tool("valgrind"), let strip = tool("strip") {
            _ = try Subprocess.output(of: strip, ["-g", copy.path])
            output = try Subprocess.output(
                of: valgrind,
                [
                    "-q", "--tool=callgrind", "--collect-atstart=no", "--callgrind-out-file=\(outputFile.path)",
                    copy.path,
                ] + arguments, environment: environment)
        } else {
            if countsInstructions { print("valgrind is not installed: no instructions are counted") }
            output = try Subprocess.output(of: copy.path, arguments, environment: environment)
        }

        let instructions = try dumps(in: folder)
        return try output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let operations = Double(fields[1]), let allocations = Double(fields[2]) else {
                throw PeerError(description: "the counting process printed '\(line)'")
            }
            let name = String(fields[0])
            return (
                name, Counts(instructions: instructions[name].map { $0 / operations }, allocations: allocations)
            )
        }
    }

    private static func tool(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
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
}
