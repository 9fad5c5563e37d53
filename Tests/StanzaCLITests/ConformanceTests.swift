// The project's own suites, one test for each file, and what `stanza conformance` does with long or late answers.
// Tests/Inputs/commands/conformance.txt has suites that fail, malformed ones, and the programs that may answer.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Conformance", .timeLimit(.minutes(60)))
struct ConformanceTests {
    private static let folder = packageFolder.appending(path: "Grammar/conformance")
    private static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test("suite", arguments: files)
    func suite(file: String) throws {
        let suite = try Suite(Array(Data(contentsOf: Self.folder.appending(path: file))))
        #expect(!suite.cases.isEmpty)
        for test in try suite.cases.map({ try $0.test.get() }) {
            if let failure = suite.run(test) { Issue.record("\(file): \(test.name)\n\(failure)") }
        }
    }

    @Test("there are enough cases, and their names are unique")
    func names() throws {
        let names = try ConformanceCase.all().map(\.name)
        #expect(names.count >= 300 && Set(names).count == names.count)
    }

    @Test("failures and outcomes have a bounded length", arguments: ["", "--json"])
    func longOutcomes(form: String) async throws {
        let cases = (1...3).map { #"{"name": "\#($0)", "xml": "<a>LONG</a>", "query": "/#", "results": []}"# }
        let suite = #"{"tests": [\#(cases.joined(separator: ", "))]}"#.replacing("LONG", with: "x" * 100_000)
        let program = """
            long=$(head -c 1000000 /dev/zero | tr '\\0' x)
            read -r line; echo '{"results": [{"string": "'$long'"}]}'
            read -r line; echo '{"first": 1, "'$long'": 1}'
            read -r line; echo '{"unsupported": "'$long'"}'
            """
        let result = try await Shell.run(
            "stanza conformance \(form) s.json; stanza conformance \(form) --program '. ./program' s.json",
            files: ["s.json": suite, "program": program])
        let lines = result.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count < 3_000 } && result.errors.isEmpty, "\(result.errors.prefix(1_000))")
        #expect(lines.count { $0.contains("x…") } == (form.isEmpty ? 5 : 6), "\(lines.count)")
    }

    @Test("the wait for a program has a maximum")
    func silence() {
        #expect(ProgramFailure.silent(.seconds(3_599)).description.hasSuffix(", and --timeout allows more time"))
        #expect(
            ProgramFailure.silent(.seconds(3_600)).description
                == "the program gave no answer within 3600 s; it must flush each line")
    }

    @Test("a late second line does not answer the next case")
    func lateLine() async throws {
        try await blocking {
            let folder = try TemporaryFolder()
            let (go, done) = (folder.file("go"), folder.file("done"))
            let command = """
                read -r line; echo 1; while ! [ -e '\(go.path)' ]; do sleep 0.1; done
                echo 2; : > '\(done.path)'; sleep 300
                """
            let console = Console(
                input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(MemorySink()),
                open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
            let program = try SuiteProgram(command, patience: .seconds(600), on: console)
            #expect(try program.answer(to: []) == Array("1".utf8))
            try Data().write(to: go)
            for _ in 0..<6_000 where !FileManager.default.fileExists(atPath: done.path) { usleep(100_000) }
            let error = #expect(throws: ProgramFailure.self) { try program.answer(to: []) }
            #expect(error?.description.hasPrefix("the program printed a line that answers no case; ") == true)
        }
    }

    /// Grammar/implementations/prosody.lua with documents that its XML parser refuses.
    @Test(
        "Prosody's adapter distinguishes names of XML's fifth edition from malformed documents", .needsProsody,
        arguments: [
            ("<r><b>x</b></r>", "1 passed, 0 failed", CommandStatus.success),
            ("<r><b>x</b><\u{37F}/></r>", "0 passed, 0 failed, 1 unsupported", .nothing),
            ("<r><b>\u{37F}</b></c>", "0 passed, 1 failed", .badInput),
            ("<r><b>x</b>&</r>", "0 passed, 1 failed", .badInput),
        ])
    func adapter(xml: String, summary: String, status: CommandStatus) async throws {
        // A namespace may have any character.
        let test = #"{"name": "n", "xml": "\#(xml)", "query": "b#", "results": [{"string": "x"}]}"#
        let result = try await Shell.run(
            "stanza conformance --program 'lua5.4 Grammar/implementations/prosody.lua' s.json",
            files: ["s.json": #"{"defaultNamespace": "a'<&b", "tests": [\#(test)]}"#])
        #expect(result.output == "\(summary)\n" && result.code == status.rawValue)
    }
}
