// The command line: `run` measures times, `count` counts instructions and allocations, `evictions` stresses the cache.

import ArgumentParser
import CLibXML2Peer
import CPugiXMLPeer
import Foundation
import Harness

@main
struct BenchmarksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures swift-stanza beside its peers.",
        subcommands: [RunCommand.self, CountCommand.self, EvictionsCommand.self],
        defaultSubcommand: RunCommand.self)
}

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measures everything and writes RESULTS.md (default).")

    @Flag(help: "Few and short samples, without counts, in under two minutes; writes no file.")
    var quick = false

    @Option(help: "Only these parts: evaluation, queries, parsing, trees, results, sets, archives, counts.")
    var only: [Part] = []

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case evaluation, queries, parsing, trees, results, sets, archives, counts
    }

    func run() throws {
        let start = Clocks.wall
        let stopwatch = quick ? Stopwatch.quick : .full
        let (corpus, recorded) = (try Corpus.preferred(), try Corpus.recorded())
        let report = Report(circumstances: Self.circumstances(corpus, recorded))
        let bench = try Bench(corpus: corpus, stopwatch: stopwatch, report: report)
        // Most examples of the specifications are indented. Real traffic is not.
        let session = try Bench(
            corpus: recorded, suffix: ", the recorded session", stopwatch: stopwatch, report: report)
        try AgreementSuite(bench: bench).run()
        try AgreementSuite(bench: session).run()
        for part in Part.allCases where only.isEmpty || only.contains(part) {
            switch part {
            case .evaluation: try EvaluationSuite(bench: bench, session: session).run()
            case .queries:
                try QuerySuite(bench: bench).run()
                try Self.addPayloads(to: report)
            case .parsing: try ParsingSuite(bench: bench, session: session).run()
            case .trees: try TreeSuite(bench: bench).run()
            case .results: try ResultSuite(bench: bench).run()
            case .sets: try SetSuite(bench: bench).run()
            case .archives: try ArchiveSuite(bench: bench).run()
            // The quick mode leaves them to `benchmarks count`.
            case .counts: if !quick { try CountRun.add(to: report) }
            }
        }
        print("\n" + report.goalsSection.markdown)
        print("measured in \(((Clocks.wall - start) / 1e9).short) s")
        if quick || !only.isEmpty { return }
        try report.write()
        print("written: \(Repository.benchmarks.path)/RESULTS.md")
    }

    /// The record of `payload-benchmarks`: a program of its own, because its macros take long to build.
    private static func addPayloads(to report: Report) throws {
        report.add(
            Section(
                "Payloads",
                note: "A message of five members becomes a structure: `from`, `id`, `type`, `body`, and a delay, which "
                    + "is a structure, too. The reads by hand make the same checks. Medians of the processor time for one "
                    + "message, as recorded by `payload-benchmarks`.",
                columns: ["reads", "ns", "allocations"], rows: try Repository.rows(of: "payloads.tsv", fields: 3)))
    }

    private static func circumstances(_ corpus: Corpus, _ session: Corpus) -> [String] {
        // Before this program makes any.
        let load =
            (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").prefix(3) ?? []
        // Other work shares the caches and the memory with the measured work.
        let isQuiet = load.first.flatMap { Double($0) }.map { $0 < 0.3 } ?? false
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let compiler = (try? Subprocess.output(of: "/usr/bin/env", ["swift", "--version"]))?
            .split(separator: "\n").first.map { ", \($0)" }
        func bytes(_ corpus: Corpus) -> Int { corpus.stanzas.reduce(0) { $0 + $1.utf8.count } }
        return [
            "corpus: `\(corpus.name)`, \(corpus.stanzas.count) stanzas, \(bytes(corpus)) bytes, most of them indented",
            "the recorded session: `\(session.name)`, \(session.stanzas.count) stanzas, \(bytes(session)) bytes, as they "
                + "are on the wire",
            "machine: \(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, "
                + "one thread used, but for `--jobs 2`",
            "build: `swift build -c release` of a package that depends on swift-stanza" + (compiler ?? ""),
            "peers: libxml2 \(String(cString: libxml2_version())), a shared library; pugixml "
                + "\(pugixml_version() / 1000).\(pugixml_version() % 1000 / 10), linked into the program",
            "code: \(code)",
            "load at the beginning: \(load.joined(separator: ", ")) processes in the last 1, 5 and 15 minutes: "
                + (isQuiet ? "a quiet machine" : "**not a quiet machine** (0.3 or more)"),
        ]
    }

    /// The library's sources by the name that git has for them. A commit's own name would change when it is rebased,
    /// and cannot be in the commit.
    private static var code: String {
        func git(_ arguments: String...) -> String? {
            try? Subprocess.output(of: "/usr/bin/env", ["git", "-C", Repository.folder.path] + arguments)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let tree = git("rev-parse", "HEAD:Sources") else { return "unknown" }
        let isChanged = git("status", "--porcelain", "--", "Sources")?.isEmpty == false
        return "`git rev-parse HEAD:Sources` was `\(tree)`" + (isChanged ? ", **and files differed from it**" : "")
    }
}
