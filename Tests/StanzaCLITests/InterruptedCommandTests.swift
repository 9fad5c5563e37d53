// Ctrl-C while a command counts: it reports the results and counts so far, and exits with the code of shells for it.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Interrupted commands")
struct InterruptedCommandTests {
    /// Runs a command on one file. The interruption happens after this many checks for it, or at a read.
    private func run(
        _ arguments: [String], _ pieces: [String], isLive: Bool = false, afterQuestions most: Int = .max,
        atReading last: Int = .max, failing: Bool = false
    ) -> CommandResult {
        let (output, errors) = (MemorySink(), MemorySink())
        let (questions, readings) = (Counter(), Counter())
        let source = MemorySource(pieces.map { Array($0.utf8) }, isLive: isLive) { () throws(SystemError) in
            if readings.next() >= last, failing { throw SystemError(code: EINTR) }
        }
        let console = Console(
            input: source, output: Output(output), errors: Output(errors),
            isInterrupted: { questions.next() > most || readings.value >= last },
            open: { _ in source })
        let status = StanzaCommand.run(arguments, on: console)
        return CommandResult(status: status, output: output.text, errors: errors.text)
    }

    @Test("of a search print the results so far", arguments: ["1", "2"], [true, false])
    func find(jobs: String, isLive: Bool) {
        let pieces = ["<a/><b/>", "<c><d/></c>", "<e/>"]
        for (form, expected) in [
            ([], "a\nb\nc\n"), (["--count"], "3\n"), (["--json"], "{\"string\": \"a\"}\n"), (["--xml"], "</results>\n"),
        ] {
            let result = run(
                ["find", "--jobs", jobs, "/$"] + form, pieces, isLive: isLive, atReading: 3, failing: true)
            #expect(result.status == .interrupted)
            #expect(result.output.contains(expected), "\(result.output)")
            #expect(result.errors == "stanza: interrupted after 3 stanzas, with 3 results\n")
        }
    }

    @Test("of a search end between two stanzas, too, and search no other file")
    func findInFiles() {
        let result = run(["find", "/$", "1", "2"], ["<a/><b/>", "<c/>"], atReading: 2)
        #expect(result.status == .interrupted)
        #expect(result.output == "a\nb\n")
        #expect(result.errors == "stanza: interrupted after 2 stanzas, with 2 results\n")
        #expect(run(["find", "/$"], ["<a/>"]).status == .success)
    }

    @Test("of a search with several jobs print the first results, and count those", arguments: [2, 5, 8])
    func jobs(reading: Int) throws {
        let pieces = (0..<8).map { piece in
            (0..<5_000).map { "<message id='\(piece)-\($0)'><body>some text of some length</body></message>\n" }
                .joined()
        }
        let arguments = ["find", "--jobs", "3", "/@id"]
        let all = run(arguments, pieces).lines
        let result = run(arguments, pieces, atReading: reading)
        #expect(all.count == 40_000 && result.status == .interrupted)
        #expect(result.lines == Array(all.prefix(result.lines.count)))
        let summary = try #require(result.errors.firstMatch(of: /with (\d+) results?/))
        #expect(Int(summary.1) == result.lines.count)
    }

    @Test("of a conformance run with a program do not wait for its answer")
    func program() {
        let suite = #"{"tests": [{"name": "a", "xml": "<a/>", "query": "b", "results": []}]}"#
        let result = run(["conformance", "--program", "sleep 100", "s.json"], [suite], afterQuestions: 2)
        #expect(result.status == .interrupted && result.output.isEmpty)
        #expect(result.errors == "stanza: interrupted: 0 passed, 0 failed so far\n")
    }

    @Test("are not reported when all work is done")
    func afterTheLastItem() throws {
        let test = #"{"name": "a", "xml": "<a/>", "query": "b", "results": []}"#
        let suite = run(["conformance", "no/such/folder"], [#"{"tests": [\#(test)]}"#], afterQuestions: 2)
        #expect(suite.status == .success && suite.output == "1 passed, 0 failed\n" && suite.errors.isEmpty)
        let folder = try TemporaryFolder()
        let file = try folder.file("lint.swift", #"import StanzaQuery; a.find("b")"#)
        let lint = run(["lint", file.path], [], afterQuestions: 2)
        #expect(lint.status == .success && lint.errors.isEmpty)
        let found = run(["find", "/$"], ["<a/>"], afterQuestions: 3)
        #expect(found.status == .success && found.output == "a\n" && found.errors.isEmpty)
        let statistics = run(["explain", "/a", "--stats", "-"], ["<a/><a/>"], afterQuestions: 3)
        #expect(statistics.status == .success && statistics.errors.isEmpty)
        #expect(statistics.output.contains("2 results in 2 of 2 stanzas; "))
    }

    @Test("of suites report the passed cases")
    func conformance() {
        let tests = (0..<3).map { #"{"name": "\#($0)", "xml": "<a/>", "query": "b", "results": []}"# }
        let suite = #"{"tests": [\#(tests.joined(separator: ", "))]}"#
        let result = run(["conformance", "no/such/folder"], [suite], afterQuestions: 3)
        #expect(result.status == .interrupted)
        #expect(result.output.isEmpty)
        #expect(result.errors == "stanza: interrupted: 2 passed, 0 failed so far\n")
        let waiting = run(["conformance", "-"], [suite], atReading: 1, failing: true)
        #expect(waiting.status == .interrupted && waiting.errors.hasSuffix(": 0 passed, 0 failed so far\n"))
    }

    /// Elements include the namespaces in scope: these results would be a thousand times as long as the stanza.
    @Test("of a search end within the results of one stanza")
    func resultsOfOneStanza() {
        let namespace = String(repeating: "n", count: 1000)
        let stanza = "<a xmlns='\(namespace)'>\(String(repeating: "<b/>", count: 10_000))</a>"
        let result = run(["find", "--jobs", "1", "*"], [stanza], afterQuestions: 2)
        #expect(result.status == .interrupted)
        #expect((1..<200).contains(result.lines.count))
        #expect(result.errors == "stanza: interrupted after 1 stanza, with \(result.lines.count) results\n")
    }

    /// Declarations of prefixes make each result of this stanza a quarter of a megabyte long.
    @Test("of a search end within results of one stanza that are few and long", arguments: ["1", "2"])
    func longResults(jobs: String) {
        let name = String(repeating: "n", count: 1000)
        let declarations = (0..<250).map { "xmlns:p\($0)='\(name)\($0)'" }.joined(separator: " ")
        let attributes = (0..<250).map { "p\($0):b=''" }.joined(separator: " ")
        let stanza = "<a \(declarations)>\(String(repeating: "<b \(attributes)/>", count: 40))</a>"
        let result = run(["find", "--jobs", jobs, "*"], [stanza], afterQuestions: 4)
        #expect(result.status == .interrupted)
        #expect((0..<10).contains(result.lines.count))
        #expect(result.errors.hasSuffix(", with \(counted(result.lines.count, "result"))\n"), "\(result.errors)")
    }

    private static let wide = "<a>\(String(repeating: "<b/>", count: 10_000))</a>"

    @Test("of a search do not end silently when the last work was cut off", arguments: [2, 3])
    func atTheEnd(questions: Int) {
        for arguments in [["--jobs", "2"], ["--jobs", "1", "--format", "lines"]] {
            let result = run(["find", "*"] + arguments, [Self.wide], afterQuestions: questions)
            #expect(result.status == .interrupted)
            #expect(result.lines.count < 10_000)
            let summary = "with \(counted(result.lines.count, "result"))\n"
            #expect(result.errors.hasSuffix(summary), "\(arguments): \(result.errors)")
        }
    }

    @Test("of a search print no results after a gap", arguments: [4, 6, 8, 12])
    func withoutGaps(questions: Int) {
        let pieces = (0..<40).map { number in "<a>\(String(repeating: "<b>\(number)</b>", count: 2_000))</a>\n" }
        let all = run(["find", "b#"], pieces).lines
        let result = run(["find", "--jobs", "3", "b#"], pieces, afterQuestions: questions)
        #expect(all.count == 80_000 && result.status == .interrupted)
        #expect(result.lines == Array(all.prefix(result.lines.count)))
        #expect(result.errors.hasSuffix("with \(counted(result.lines.count, "result"))\n"), "\(result.errors)")
    }

    @Test("in a repl report that results of a stanza are missing")
    func repl() throws {
        let (output, errors, questions) = (MemorySink(), MemorySink(), Counter())
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(output), errors: Output(errors),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        let stanza = try Element(parsing: Self.wide)
        let session = ReplSession(
            [(stanza, ResultSource(file: "f", position: .start))], ReplSettings(), on: console, summarizes: true,
            isInterrupted: { questions.next() > 3 }, now: { .zero })
        #expect(session.run(":set limit 0") && session.run("*"))
        let count = output.text.split(separator: "\n").count
        #expect((1..<10_000).contains(count))
        #expect(
            errors.text == "stanza: interrupted after 0 of 1 stanza\n\(count) results in 1 of 1 stanza\n",
            "\(errors.text)")
    }

    @Test("of sources print the findings so far")
    func lint() throws {
        let folder = try TemporaryFolder()
        for name in ["a.swift", "b.swift"] {
            try Data(#"import StanzaQuery; a.check("b@c|integer")"#.utf8).write(to: folder.file(name))
        }
        // The walk through the folder checks for Ctrl-C, too.
        let result = run(["lint", folder.url.path], [], afterQuestions: 5)
        #expect(result.status == .interrupted)
        #expect(result.lines.count == 1 && result.output.contains("a.swift:1:"))
        #expect(result.errors == "stanza: interrupted after 1 file, with 1 finding\n")
    }

    @Test("end a walk through folders", arguments: ["lint", "conformance"])
    func folders(command: String) throws {
        let folder = try TemporaryFolder()
        for number in 0..<20 {
            try FileManager.default.createDirectory(
                at: folder.file("\(number)"), withIntermediateDirectories: true)
        }
        let result = run([command, folder.url.path], [], afterQuestions: 10)
        #expect(result.status == .interrupted && result.output.isEmpty)
        #expect(result.errorLines.count == 1 && result.errors.hasPrefix("stanza: interrupted"), "\(result.errors)")
    }

    @Test("do not wait for an item that takes long")
    func longItem() throws {
        let (output, errors) = (MemorySink(), MemorySink())
        let questions = Counter()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(output), errors: Output(errors),
            isInterrupted: { questions.next() > 2 }, open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        var interruption = WorkInterruption(on: console)
        #expect(interruption.wait { 7 } == 7 && !interruption.leftWork)
        let isOver = DispatchSemaphore(value: 0)
        let value = interruption.wait {
            isOver.wait()
            return 7
        }
        isOver.signal()
        #expect(value == nil && interruption.leftWork)
    }

    @Test("of statistics show the counts so far")
    func statistics() {
        let result = run(["explain", "/a", "--stats", "-"], ["<a/><a/><a/>"], afterQuestions: 3)
        #expect(result.status == .interrupted)
        #expect(result.output.contains("2 results in 2 of 2 stanzas; "))
        #expect(result.errors == "stanza: interrupted: these are the numbers up to there\n")
    }
}
