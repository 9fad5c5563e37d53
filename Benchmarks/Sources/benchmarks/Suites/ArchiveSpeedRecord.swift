// The record of `Benchmarks/archive-speed`: whole processes, which this one cannot measure.

import Foundation

/// `archive-speed.tsv`: the speeds of `stanza find` and of other programs, and the goals, of the latest measurement.
struct ArchiveSpeedRecord {
    private var speeds: [[String]] = []
    private var goals: [Goal] = []

    /// Empty when the file is not there.
    init(_ file: URL = Corpus.repository.appending(path: "Benchmarks/archive-speed.tsv")) throws {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            switch (fields.first, fields.count) {
            case ("speed", 3): speeds.append(Array(fields.dropFirst()))
            case ("goal", 5):
                goals.append(
                    Goal(
                        text: fields[1] + " (recorded)", target: fields[2], measured: fields[3],
                        holds: fields[4] == "yes",
                        reason: fields[1].contains("--jobs")
                            ? "beside the jobs, another thread reads and cuts the input; this machine has two cores."
                            : nil))
            default: throw PeerError(description: "\(file.lastPathComponent) has the line '\(line)'")
            }
        }
    }

    func add(to report: Report) {
        if goals.isEmpty {
            report.add(
                .open(
                    "`stanza find` beside `grep -c`", target: "a ratio",
                    why: "`Benchmarks/archive-speed STANZA` measures it"))
            return
        }
        report.add(
            Section(
                "Archives, whole processes",
                note: "Programs that read the same files from memory, on one core but for `--jobs 2`, as recorded by "
                    + "`Benchmarks/archive-speed`. MB/s on the wall, the best of some runs.",
                columns: ["command", "MB/s"], rows: speeds))
        goals.forEach(report.add)
    }
}
