// The record of `Benchmarks/archives --long`: twenty million stanzas and Spark take too long for every run.

import Foundation

/// `archives.tsv`: the results of the latest long checks of archives.
struct ArchiveRecord {
    /// The most memory that a search needed, of some of the stanzas and of all.
    struct Memory {
        let form: String
        let fewer: (stanzas: Int, mebibytes: Double)
        let all: (stanzas: Int, mebibytes: Double)
    }

    private(set) var memory: [Memory] = []
    /// The commands whose output was the same as that of `stanza find` alone.
    private(set) var recipes: [String] = []

    /// Empty when the file is not there.
    init(_ file: URL = Corpus.repository.appending(path: "Benchmarks/archives.tsv")) throws {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            if fields.count == 2, fields[0] == "recipe" {
                recipes.append(fields[1])
            } else if fields.count == 6, fields[0] == "memory", let few = Int(fields[2]), let less = Double(fields[3]),
                let many = Int(fields[4]), let more = Double(fields[5])
            {
                memory.append(Memory(form: fields[1], fewer: (few, less), all: (many, more)))
            } else {
                throw PeerError(description: "\(file.lastPathComponent) has the line '\(line)'")
            }
        }
    }

    /// Twenty million stanzas, and a part of them, in the same memory; and Spark.
    var goals: [Goal] {
        let long = "`Benchmarks/archives STANZA --long` measures it"
        let growth = memory.map { $0.all.mebibytes - $0.fewer.mebibytes }.max() ?? .infinity
        let isLong = memory.count == 3 && memory.allSatisfy { $0.all.stanzas >= 20_000_000 }
        let measured = memory.map { "\($0.form) \($0.all.mebibytes.short)" }.joined(separator: ", ")
        let fewer = memory.first.map { $0.fewer.stanzas.formatted(.number.locale(Locale(identifier: "en_US"))) } ?? ""
        let before = memory.map { $0.fewer.mebibytes.short }.joined(separator: ", ")
        let spark = recipes.filter { $0.hasPrefix("spark-submit") }.count
        return [
            isLong
                ? Goal(
                    text: "twenty million stanzas in constant memory (recorded)",
                    target: "≤ 12.0 MiB more than for \(fewer)",
                    measured: "MiB: \(measured) (\(fewer): \(before))", holds: growth <= 12)
                : .open("twenty million stanzas in constant memory", target: "constant", why: long),
            recipes.count > spark && spark > 0
                ? Goal(
                    text: "recipes for GNU parallel and Apache Spark: the output as alone (recorded)",
                    target: "the same",
                    measured: "\(recipes.count - spark) and \(spark) commands", holds: true)
                : .open(
                    "recipes for GNU parallel and Apache Spark: the output as alone", target: "the same", why: long),
        ]
    }
}
