// `stanza conformance --program`: the lines between the command and the program, and programs that break the rules.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Conformance programs", .timeLimit(.minutes(60)))
struct ConformanceProgramTests {
    private static let suite = """
        {"defaultNamespace": "u", "documents": {"d": "<a k='1'><b/></a>"}, "tests": [
            {"name": "one", "document": "d", "query": "/@k", "results": [{"string": "1"}]},
            {"name": "two", "xml": "<c/>", "query": "/@k", "results": []},
            {"name": "three", "document": "d", "context": [0], "query": "/<k=%@>", "arguments": [5.0, -1, true, "x"],
                "options": ["strictConversions"], "unordered": true, "results": []},
            {"name": "four", "query": "a@b|integer", "error": "unknownConversion", "at": [4, 11]}]}
        """

    private func run(
        _ program: String, _ options: String = "", files: [String: String] = [:], then command: String = ""
    ) async throws -> (code: Int32, lines: [String]) {
        let files = files.merging(["s.json": Self.suite, "program": program]) { $1 }
        let script = "stanza conformance \(options) --program '. ./program' s.json 2>&1; code=$?; \(command) exit $code"
        let result = try await Shell.run(script, files: files)
        return (result.code, result.output.split(separator: "\n").map(String.init))
    }

    /// Gives every case the same answer.
    private func always(_ answer: String) -> String { "while read -r line; do echo '\(answer)'; done" }

    /// The seconds to wait. Where many tests run, a program may need some of them to start.
    private func patience(_ reason: String) -> Int {
        reason.contains("within 1 s") ? 1 : reason.contains("5 s") || reason.hasPrefix("closed") ? 5 : 600
    }

    @Test("run the example of the documentation")
    func documentedProgram() async throws {
        let page = try String(
            contentsOf: packageFolder.appending(path: "Grammar/conformance/own-engine.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let program = lines.drop { !$0.hasPrefix("    import json") }.prefix { $0.isEmpty || $0.hasPrefix("    ") }
        let text = program.map { String($0.dropFirst(4)) }.joined(separator: "\n")
        let result = try await run("python3 my.py", files: ["my.py": text])
        #expect(result.lines == ["2 passed, 0 failed, 2 unsupported"])
        #expect(result.code == CommandStatus.success.rawValue)
        let all = try await run("python3 my.py", "--timeout 600 Grammar/conformance", files: ["my.py": text])
        #expect(all.lines.count == 1 && all.lines.last?.contains(" passed, 0 failed, ") == true, "\(all.lines)")
        #expect(all.code == CommandStatus.success.rawValue)
    }

    @Test("get the cases without their expectations")
    func questions() async throws {
        let program = #"while read -r line; do printf '%s\n' "$line" >&2; echo '{"unsupported": "all"}'; done"#
        let result = try await run(program)
        #expect(
            result.lines == [
                #"{"suite": "s", "name": "one", "defaultNamespace": "u", "query": "/@k", "xml": "<a k='1'><b/></a>"}"#,
                #"{"suite": "s", "name": "two", "defaultNamespace": "u", "query": "/@k", "xml": "<c/>"}"#,
                #"{"suite": "s", "name": "three", "defaultNamespace": "u", "query": "/<k=%@>", "context": [0], "#
                    + #""arguments": [5.0, -1, true, "x"], "options": ["strictConversions"], "xml": "<a k='1'><b/></a>"}"#,
                #"{"suite": "s", "name": "four", "defaultNamespace": "u", "query": "a@b|integer"}"#,
                "0 passed, 0 failed, 4 unsupported",
            ])
        #expect(result.code == CommandStatus.nothing.rawValue)
    }

    @Test("fail with wrong answers, unless these are documented")
    func differences() async throws {
        let answer = always(#"{"results": []}"#)
        let plain = try await run(answer)
        #expect(plain.lines.filter { $0.hasPrefix("s.json") } == ["s.json: case 1: one", "s.json: case 4: four"])
        #expect(plain.lines.last == "2 passed, 2 failed")
        #expect(plain.code == CommandStatus.nothing.rawValue)
        let documented = try await run(
            answer, "--differences d.json", files: ["d.json": #"{"why": ["one", "four", "two"]}"#])
        #expect(
            documented.lines == [
                "stanza: warning: the difference of 'two' is not needed: its cases pass",
                "2 passed, 0 failed, 2 different",
            ])
        #expect(documented.code == CommandStatus.success.rawValue)
        // Neither case ran.
        let unsupported = always(#"{"unsupported": "all"}"#)
        let others = try await run(
            unsupported, "--differences d.json", files: ["d.json": #"{"why": ["one", "x"]}"#])
        #expect(others.lines == ["0 passed, 0 failed, 4 unsupported"])
        let ofSuite = try await run(answer, "--differences d.json", files: ["d.json": #"{"why": ["s"]}"#])
        #expect(ofSuite.lines == ["2 passed, 0 failed, 2 different"])
    }

    @Test(
        "need differences in their form",
        arguments: [
            ("[]", "differences are a JSON object"),
            (#"{"a": "b"}"#, "'a' must be an array of names of cases and suites"),
            (#"{"a": ["b"], "c": ["b"]}"#, "has 'b' twice"), ("{", "line 1: not JSON: "),
        ])
    func wrongDifferences(text: String, reason: String) async throws {
        let result = try await run("cat", "--differences d.json", files: ["d.json": text])
        #expect(result.lines.first?.hasPrefix("stanza: d.json: \(reason)") == true, "\(result.lines)")
        #expect(result.lines.count == 1 && result.code == CommandStatus.badInput.rawValue)
    }

    @Test("and the engine have their outcomes as JSON")
    func outcomes() async throws {
        let program = """
            read -r line; echo '{"first": {"string": "2"}}'
            read -r line; echo '{"first": null}'
            read -r line; echo '{"results": [{"element": []}]}'
            read -r line; echo '{"unsupported": "errors"}'
            """
        let result = try await run(
            program, "--json --differences d.json", files: ["d.json": #"{"why": ["three"]}"#])
        #expect(
            result.lines == [
                #"{"suite": "s", "name": "one", "outcome": "failed", "expected": "[{\"string\": \"1\"}]", "#
                    + #""got": "first [{\"string\": \"2\"}]"}"#,
                #"{"suite": "s", "name": "two", "outcome": "passed"}"#,
                #"{"suite": "s", "name": "three", "outcome": "different", "reason": "why"}"#,
                #"{"suite": "s", "name": "four", "outcome": "unsupported", "reason": "errors"}"#,
            ])
        #expect(result.code == CommandStatus.nothing.rawValue)
        let one = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "b", "results": []}]}"#
        let engine = stanza("conformance", "--json", "f.json", files: ["f.json": one])
        #expect(engine.lines == [#"{"suite": "f", "name": "n", "outcome": "passed"}"#])
    }

    @Test("have no excuse for malformed answers", arguments: [#"{"check": true}"#, "1", #"{"results": 1}"#])
    func malformedDifference(answer: String) async throws {
        let result = try await run(
            always(answer), "--differences d.json", files: ["d.json": #"{"why": ["s", "one"]}"#])
        #expect(result.lines.last == "0 passed, 4 failed")
        #expect(result.code == CommandStatus.nothing.rawValue)
    }

    @Test("have outcomes of bounded length", arguments: ["", "--json"])
    func longOutcomes(form: String) async throws {
        let long = "$(head -c 1000000 /dev/zero | tr '\\0' x)"
        let program = """
            read -r line; echo '{"results": [{"string": "'\(long)'"}]}'
            read -r line; echo '{"first": 1, "'\(long)'": 1}'
            read -r line; echo '{"unsupported": "'\(long)'"}'
            read -r line; echo '{"results": []}'
            """
        let result = try await run(program, form)
        #expect(result.lines.allSatisfy { $0.count < 3_000 })
        #expect(result.lines.filter { $0.contains("x…") }.count == (form.isEmpty ? 2 : 3), "\(result.lines)")
    }

    /// It joins the group of the shell that runs the test, which no kill of the program's group reaches.
    private static let leaving =
        "exec python3 -c 'import os, time; os.setpgid(0, os.getpgid(os.getppid())); time.sleep(300)'"

    @Test(
        "that cannot answer end the run",
        arguments: [
            ("exit 3", "ended with exit code 3"), ("kill -9 $$", "ended with signal 9"),
            // The command ignores this signal, and its programs do not.
            ("kill -PIPE $$", "ended with signal 13"), ("no-such-program", "ended with exit code 127"),
            ("read -r line; echo garbage; cat > /dev/null", "answer is wrong at byte 0: not JSON: expected a value"),
            ("yes", "printed a line that answers no case; expected one line after each line that it reads"),
            (#"printf '{}\n\n'; sleep 300"#, "printed a line that answers no case"),
            ("read -r line; head -c 5000000 /dev/zero; sleep 300", "answer has more than 4194304 bytes"),
            ("sleep 300 & exit 3", "ended with exit code 3"), (leaving, "gave no answer within 1 s"),
            ("exec sleep 300", "gave no answer within 1 s; it must flush each line, and --timeout allows more time"),
            ("exec < /dev/null; sleep 300", "gave no answer within 1 s"),
            ("read -r line; printf '{}'; sleep 300", "gave no answer within 1 s"),
            ("exec > /dev/null; sleep 300", "closed its output"),
        ])
    func failures(program: String, reason: String) async throws {
        let result = try await run(program, "--timeout \(patience(reason))")
        let lines = result.lines.filter { !$0.contains("not found") }
        #expect(lines.count == 2 && lines.last == "0 passed, 1 failed", "\(lines)")
        #expect(lines.first?.hasPrefix("stanza: s.json: case 1: one: the program") == true, "\(lines)")
        #expect(lines.first?.contains(reason) == true, "\(lines)")
        #expect(result.code == CommandStatus.badInput.rawValue)
    }

    @Test("that are silent for the maximum time get no advice to wait longer")
    func silence() {
        #expect(ProgramFailure.silent(.seconds(3_599)).description.hasSuffix(", and --timeout allows more time"))
        #expect(
            ProgramFailure.silent(.seconds(3_600)).description
                == "the program gave no answer within 3600 s; it must flush each line")
    }

    @Test(
        "have to end after their input",
        arguments: [
            ("exit 7", "ended with exit code 7"), ("sleep 300 & exit 7", "ended with exit code 7"),
            ("echo", "printed a line that answers no case; expected one line after each line that it reads"),
            ("sleep 300", "did not end within 5 s after the end of its input"),
            ("exec > /dev/null; sleep 300", "did not end within 5 s after the end of its input"),
        ])
    func ends(after: String, reason: String) async throws {
        let answers = always(#"{"unsupported": "all"}"#)
        let result = try await run(
            "\(answers); \(after)", "--timeout \(patience(reason))")
        #expect(result.lines == ["stanza: the program \(reason)", "0 passed, 0 failed, 4 unsupported"])
        #expect(result.code == CommandStatus.badInput.rawValue)
    }

    /// Prints a line if the process with the number in a file still runs. One without a parent may stay as a zombie.
    private static let check = """
        for try in $(seq 600); do
            case $(ps -o stat= -p $(cat other)) in '' | Z*) gone=1; break ;; esac; sleep 0.1
        done; [ $gone ] || echo runs;
        """

    @Test("end with all processes that they started")
    func processes() async throws {
        for end in ["exec sleep 300", "exit 0"] {
            let program = "sleep 300 > /dev/null & echo $! > other; \(end)"
            let result = try await run(program, "--timeout 1", then: Self.check)
            #expect(result.lines.last == "0 passed, 1 failed", "\(result.lines)")
        }
    }

    /// The signal comes as early as possible.
    @Test("end when a signal ends the command", arguments: ["TERM", "HUP"])
    func signals(name: String) async throws {
        let script = """
            stanza conformance --timeout 3600 --program 'echo $$ > other; exec sleep 300' s.json 2>&1 &
            while kill -0 $! && ! [ -s other ]; do :; done
            kill -\(name) $!; wait $! 2> /dev/null; echo $?; \(Self.check)
            """
        let result = try await Shell.run(script, files: ["s.json": Self.suite])
        #expect(result.output == (name == "TERM" ? "143\n" : "129\n"))
    }

    @Test("end although the parent process ignores the ends of its own")
    func ignoredSignal() async throws {
        let program = "while read -r line; do echo '{\"unsupported\": \"all\"}'; done; exit 7"
        let script = """
            import signal, subprocess
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            subprocess.run(["stanza", "conformance", "--program", ". ./program", "s.json"], stderr=subprocess.STDOUT)
            """
        let result = try await Shell.run(
            "python3 run.py", files: ["run.py": script, "program": program, "s.json": Self.suite])
        #expect(result.output.hasPrefix("stanza: the program ended with exit code 7\n"), "\(result.output)")
    }

    @Test("do not answer a case with a late second line for the one before")
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

    @Test("get the environment byte by byte")
    func environment() async throws {
        let program = """
            [ "$odd" = "$(printf 'a\\377')" ] && answer='{"unsupported": "all"}'
            while read -r line; do echo "$answer"; done
            """
        let result = try await Shell.run(
            #"odd=$(printf 'a\377') stanza conformance --program '. ./program' s.json"#,
            files: ["program": program, "s.json": Self.suite])
        #expect(result.output == "0 passed, 0 failed, 4 unsupported\n")
    }

    @Test("need options that make sense")
    func usage() {
        let files = ["s.json": Self.suite]
        for wrong in [["--timeout", "0"], ["--timeout", "3601"], ["--differences", "d.json"]] {
            let result = stanza(["conformance", "s.json"] + wrong, input: [], files: files)
            #expect(result.status == .usage, "\(wrong)")
            #expect(result.errors.hasPrefix("Error: \(wrong[0]) "), "\(result.errors)")
        }
    }
}
