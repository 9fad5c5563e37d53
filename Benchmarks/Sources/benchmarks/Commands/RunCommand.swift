// Measures everything and writes the results.

import ArgumentParser
import CLibXML2Peer
import CPugiXMLPeer
import Foundation

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measures everything and writes RESULTS.md and plots (default).")

    @Flag(help: "Few and short samples, in under two minutes; writes no file.")
    var quick = false

    @Option(help: "Only these parts: evaluation, queries, forms, parsing, trees, scaling, sets, archives, counts.")
    var only: [Part] = []

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case evaluation, queries, forms, parsing, trees, scaling, sets, archives, counts
    }

    func run() throws {
        let start = ContinuousClock.now
        let corpus = try Corpus.preferred()
        let report = Report(circumstances: Self.circumstances(corpus, quick: quick))
        let bench = try Bench(corpus: corpus, effort: quick ? .quick : .full, report: report)
        for part in Part.allCases where only.isEmpty || only.contains(part) {
            switch part {
            case .evaluation: try EvaluationSuite(bench).run()
            case .queries: try QuerySuite(bench: bench).run()
            case .forms: try FormSuite(bench: bench).run()
            case .parsing: try ParsingSuite(bench: bench).run()
            case .trees: try TreeSuite(bench: bench).run()
            case .scaling: try ScalingSuite(bench: bench).run()
            case .sets: try SetSuite(bench: bench).run()
            case .archives: try ArchiveSuite(bench: bench).run()
            case .counts: try Self.addCounts(to: report)
            }
        }
        print("\n## Goals\n")
        for goal in report.goals {
            let mark = goal.holds.map { $0 ? "holds " : "FAILS " } ?? "open  "
            print("\(mark) \(goal.text): \(goal.measured) (goal \(goal.target))")
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\nmeasured in \(seconds.short) s")
        if !quick, only.isEmpty {
            let folder = Corpus.repository.appending(path: "Benchmarks")
            try report.write(to: folder)
            print("written: \(folder.appending(path: "RESULTS.md").path)")
        }
    }

    private static func addCounts(to report: Report) throws {
        let counts = try CountRun.collect(onRecordedSessions: false)
        report.add(
            Section(
                "Counts",
                note: "Instructions, counted by callgrind, and allocations per operation: an evaluation, a stanza, a "
                    + "message built, or a query compiled. `check 1` … are the ten queries in their order.",
                columns: ["work", "instructions", "allocations"],
                rows: counts.map {
                    [$0.name, $0.counts.instructions?.short ?? "–", $0.counts.allocations.short]
                }))
        func allocations(_ name: String) -> Double { counts.first { $0.name == name }?.counts.allocations ?? .nan }
        let withoutArguments = BenchmarkQuery.all.filter { !$0.takesNode }
            .map { allocations("check \($0.number + 1)") }
        report.add(
            .atMost(
                0, "`check` without arguments allocates nothing", withoutArguments.reduce(0, +), unit: "allocations"))
        report.add(
            .atMost(0, "`check`, all ten, allocates nothing", allocations("ten check"), unit: "allocations"))
        if let element = counts.first(where: { $0.name == "findFirst, an element" }) {
            report.add(
                .atMost(
                    0, "`findFirst` of an element allocates nothing", element.counts.allocations, unit: "allocations"))
        }
        report.add(
            .atMost(
                2, "allocations per stanza of a stream, without those of libxml2's parser",
                allocations("parse stream") - allocations(CountedWorks.peer + "libxml2 SAX2"), unit: "allocations"))
    }

    private static func circumstances(_ corpus: Corpus, quick: Bool) -> [String] {
        let bytes = corpus.stanzas.reduce(0) { $0 + $1.utf8.count }
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let compiler = (try? Subprocess.output(of: "/usr/bin/env", ["swift", "--version"]))?
            .split(separator: "\n").first.map { ", \($0)" }
        return [
            "corpus: `\(corpus.name)`, \(corpus.stanzas.count) stanzas, \(bytes) bytes",
            "machine: \(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, "
                + "one thread used",
            "build: `swift build -c release` of a package that depends on swift-stanza"
                + (compiler ?? ""),
            "peers: libxml2 \(String(cString: libxml2_version())), pugixml "
                + "\(pugixml_version() / 1000).\(pugixml_version() % 1000 / 10)",
        ]
    }
}
