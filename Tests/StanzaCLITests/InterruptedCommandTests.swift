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
            #expect(result.status == .interrupted && result.output.contains(expected), "\(result.output)")
            #expect(result.errors == "stanza: interrupted after 3 stanzas, with 3 results\n")
        }
        // No other file is searched.
        let files = run(["find", "/$", "1", "2"], ["<a/><b/>", "<c/>"], atReading: 2)
        #expect(files.status == .interrupted && files.output == "a\nb\n")
        #expect(files.errors == "stanza: interrupted after 2 stanzas, with 2 results\n")
    }

    private static let suite = {
        let tests = (0..<3).map { #"{"name": "\#($0)", "xml": "<a/>", "query": "b", "results": []}"# }
        return #"{"tests": [\#(tests.joined(separator: ", "))]}"#
    }()

    @Test(
        "print the counts so far, unless all work is done",
        arguments: [
            (["conformance", "--program", "sleep 100", "f"], suite, 2, "", "interrupted: 0 passed, 0 failed so far"),
            (["conformance", "f"], suite, 3, "", "interrupted: 2 passed, 0 failed so far"),
            (["conformance", "f"], suite, 4, "3 passed, 0 failed\n", ""),
            (["explain", "/a", "--stats", "-"], "<a/><a/><a/>", 3, "2 results in 2 of 2 stanzas; ", "interrupted: "),
            (["explain", "/a", "--stats", "-"], "<a/><a/>", 3, "2 results in 2 of 2 stanzas; ", ""),
            (["find", "/$"], "<a/>", 3, "a\n", ""),
        ])
    func counts(arguments: [String], input: String, questions: Int, output: String, error: String) {
        let result = run(arguments, [input], afterQuestions: questions)
        #expect(result.status == (error.isEmpty ? .success : .interrupted))
        #expect(output.isEmpty ? result.output.isEmpty : result.output.contains(output), "\(result.output)")
        #expect(error.isEmpty ? result.errors.isEmpty : result.errors.hasPrefix("stanza: \(error)"), "\(result.errors)")
    }

    @Test("of suites from a pipe end the wait")
    func waiting() {
        let waiting = run(["conformance", "-"], [Self.suite], atReading: 1, failing: true)
        #expect(waiting.status == .interrupted && waiting.errors.hasSuffix(": 0 passed, 0 failed so far\n"))
    }

    /// Elements include the namespaces in scope: each result of the second stanza would be a thousand times as long as
    /// its element, and each of the third one a quarter of a megabyte.
    private static let wide = "<a>\("<b/>" * 10_000)</a>"
    private static let inNamespace = "<a xmlns='\("n" * 1000)'>\("<b/>" * 10_000)</a>"
    private static let long = {
        let declarations = (0..<250).map { "xmlns:p\($0)='\("n" * 1000)\($0)'" }.joined(separator: " ")
        let attributes = (0..<250).map { "p\($0):b=''" }.joined(separator: " ")
        return "<a \(declarations)>\("<b \(attributes)/>" * 40)</a>"
    }()

    @Test(
        "of a search end within the results of one stanza",
        arguments: [
            (["--jobs", "1"], inNamespace, 2, 1..<200), (["--jobs", "1"], long, 4, 0..<10),
            (["--jobs", "2"], long, 4, 0..<10), (["--jobs", "2"], wide, 2, 0..<10_000),
            (["--jobs", "2"], wide, 3, 0..<10_000), (["--jobs", "1", "--format", "lines"], wide, 2, 0..<10_000),
            (["--jobs", "1", "--format", "lines"], wide, 3, 0..<10_000),
        ])
    func oneStanza(options: [String], stanza: String, questions: Int, count: Range<Int>) {
        let result = run(["find", "*"] + options, [stanza], afterQuestions: questions)
        #expect(result.status == .interrupted && count.contains(result.lines.count), "\(result.lines.count)")
        #expect(result.errors.hasSuffix(", with \(counted(result.lines.count, "result"))\n"), "\(result.errors)")
    }

    @Test("of a search with several jobs print the first results, without a gap, and count those")
    func jobs() throws {
        let stanzas = (0..<8).map { piece in
            (0..<5_000).map { "<message id='\(piece)-\($0)'><body>some text of some length</body></message>\n" }
                .joined()
        }
        let bodies = (0..<40).map { number in "<a>\("<b>\(number)</b>" * 2_000)</a>\n" }
        for (query, pieces, count) in [("/@id", stanzas, 40_000), ("b#", bodies, 80_000)] {
            let all = run(["find", query], pieces).lines
            #expect(all.count == count)
            for ends in [2, 5, 8, 12] {
                let result =
                    count == 40_000
                    ? run(["find", "--jobs", "3", query], pieces, atReading: min(ends, 8))
                    : run(["find", "--jobs", "3", query], pieces, afterQuestions: max(ends, 4))
                #expect(result.status == .interrupted && result.lines == Array(all.prefix(result.lines.count)))
                #expect(result.errors.hasSuffix("with \(counted(result.lines.count, "result"))\n"), "\(result.errors)")
            }
        }
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

    @Test("of sources print the findings so far, and end a walk through folders")
    func lint() throws {
        let folder = try TemporaryFolder()
        for name in ["a.swift", "b.swift"] { try folder.file(name, #"import StanzaQuery; a.check("b@c|integer")"#) }
        // The walk through the folder checks for Ctrl-C, too.
        let result = run(["lint", folder.url.path], [], afterQuestions: 5)
        #expect(result.status == .interrupted)
        #expect(result.lines.count == 1 && result.output.contains("a.swift:1:"))
        #expect(result.errors == "stanza: interrupted after 1 file, with 1 finding\n")
        let one = run(["lint", folder.file("a.swift").path], [], afterQuestions: 2)
        #expect(one.status == .nothing && one.errors.isEmpty)
        for number in 0..<20 { try folder.file("\(number)/x", "") }
        for command in ["lint", "conformance"] {
            let walk = run([command, folder.url.path], [], afterQuestions: 10)
            #expect(walk.status == .interrupted && walk.output.isEmpty)
            #expect(walk.errorLines.count == 1 && walk.errors.hasPrefix("stanza: interrupted"), "\(walk.errors)")
        }
    }

    @Test("do not wait for an item that takes long")
    func longItem() throws {
        let questions = Counter()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(MemorySink()),
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
}
