// Measures everything and writes the results.

import ArgumentParser
import CExpatPeer
import CLibXML2Peer
import CPugiXMLPeer
import Foundation

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measures everything and writes RESULTS.md and plots (default).")

    @Flag(help: "Few and short samples, without instructions, in under two minutes; writes no file.")
    var quick = false

    @Option(help: "Only these parts: evaluation, queries, forms, parsing, trees, scaling, sets, archives, counts.")
    var only: [Part] = []

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case evaluation, queries, forms, parsing, trees, scaling, sets, archives, counts
    }

    func run() throws {
        let start = ContinuousClock.now
        let corpus = try Corpus.preferred()
        let report = Report(circumstances: Self.circumstances(corpus))
        let bench = try Bench(corpus: corpus, effort: quick ? .quick : .full, report: report)
        // Most examples of the specifications are indented. Real traffic is not.
        let session = try Bench(
            corpus: .recorded(), suffix: ", the recorded session", effort: quick ? .quick : .full, report: report)
        try AgreementSuite(bench: bench).run()
        try AgreementSuite(bench: session).run()
        for part in Part.allCases where only.isEmpty || only.contains(part) {
            switch part {
            case .evaluation:
                try EvaluationSuite(bench).run()
                try EvaluationSuite(session).runOnSession()
            case .queries: try QuerySuite(bench: bench).run()
            case .forms:
                try FormSuite(bench: bench).run()
                try PayloadRecord().add(to: report)
            case .parsing:
                try ParsingSuite(bench: bench, goals: .specifications).run()
                try ParsingSuite(bench: session, goals: .session).runOnSession()
            case .trees: try TreeSuite(bench: bench).run()
            case .scaling: try ScalingSuite(bench: bench).run()
            case .sets: try SetSuite(bench: bench).run()
            case .archives: try ArchiveSuite(bench: bench).run()
            case .counts: try CountSuite(report: report, isQuick: quick).run()
            }
        }
        if !quick, only.isEmpty { Self.addQuickMode(to: report) }
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

    /// Runs the quick mode in a process of its own. If that fails, earlier measurements are not lost.
    private static func addQuickMode(to report: Report) {
        let (start, startProcessor) = (WallClock.nanoseconds, ChildClock.nanoseconds)
        do {
            _ = try Subprocess.output(of: "/proc/self/exe", ["run", "--quick"])
        } catch {
            report.add(.open("the quick mode", target: "≤ 120 s", why: "\(error)"))
            return
        }
        let wall = (WallClock.nanoseconds - start) / 1e9
        report.add(
            .atMost(
                120, "the quick mode, processor time (\(wall.short) s on the wall)",
                (ChildClock.nanoseconds - startProcessor) / 1e9, unit: "s"))
    }

    private static func circumstances(_ corpus: Corpus) -> [String] {
        // Before this program makes any.
        let load = MachineLoad()
        let bytes = corpus.stanzas.reduce(0) { $0 + $1.utf8.count }
        let session = try? Corpus.recorded()
        let sessionBytes = session?.stanzas.reduce(0) { $0 + $1.utf8.count } ?? 0
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let compiler = (try? Subprocess.output(of: "/usr/bin/env", ["swift", "--version"]))?
            .split(separator: "\n").first.map { ", \($0)" }
        return [
            "corpus: `\(corpus.name)`, \(corpus.stanzas.count) stanzas, \(bytes) bytes, most of them indented",
            "the recorded session: \(session?.stanzas.count ?? 0) stanzas, \(sessionBytes) bytes, as they are on the wire",
            "machine: \(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, "
                + "one thread used, but for `--jobs 2`",
            "build: `swift build -c release` of a package that depends on swift-stanza"
                + (compiler ?? ""),
            "peers: libxml2 \(String(cString: libxml2_version())), pugixml "
                + "\(pugixml_version() / 1000).\(pugixml_version() % 1000 / 10), \(String(cString: expat_version())); pugixml "
                + "is linked into the program, the others are shared libraries",
            "code: \(code)",
            "load at the beginning: \(load?.description ?? "unknown")",
        ]
    }

    /// The library's sources by the name that git has for them. A commit's own name would change when it is rebased,
    /// and cannot be in the commit.
    private static var code: String {
        func git(_ arguments: String...) -> String? {
            try? Subprocess.output(of: "/usr/bin/env", ["git", "-C", Corpus.repository.path] + arguments)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let tree = git("rev-parse", "HEAD:Sources") else { return "unknown" }
        let isChanged = git("status", "--porcelain", "--", "Sources")?.isEmpty == false
        return "`git rev-parse HEAD:Sources` was `\(tree)`" + (isChanged ? ", **and files differed from it**" : "")
    }
}
