// The project's own suites, one test for each file. The test names each case that fails.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Conformance")
struct ConformanceTests {
    static let folder = packageFolder.appending(path: "Grammar/conformance")
    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
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
        let names = try Self.files.flatMap {
            try Suite(Array(Data(contentsOf: Self.folder.appending(path: $0)))).cases.map { try $0.test.get().name }
        }
        #expect(names.count >= 300)
        let repeated = Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys
        #expect(repeated.isEmpty, "\(repeated)")
    }

    @Test("the command reports files that are not suites")
    func noSuites() {
        let result = stanza("conformance", "/nowhere/at/all", "/dev/null", "/dev/zero")
        #expect(result.status == .badInput)
        #expect(
            result.errorLines == [
                "stanza: /nowhere/at/all: No such file or directory",
                "stanza: /dev/null: line 1: not JSON: expected a value at the end of the text",
                "stanza: /dev/zero: more than 16777216 bytes: is this a suite?",
            ])
        #expect(result.lines == ["0 passed, 3 failed"])
    }

    @Test("the command reports why it found no suites, and follows a link given as an argument")
    func folders() async throws {
        let suite = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "a", "results": []}]}"#
        let script = """
            ln -s suites link; mkdir empty suites/.hidden; ln -s ../suites suites/loop; cp suites/a.json suites/.hidden
            stanza conformance link empty 2>&1; cp suites/a.json "empty/$(printf 'b\\377.json')"
            stanza conformance empty 2>&1
            """
        let result = try await Shell.run(script, files: ["suites/a.json": suite])
        #expect(
            result.output.split(separator: "\n").map(String.init) == [
                "stanza: empty: this folder has no '*.json'", "1 passed, 0 failed",
                "1 passed, 0 failed",
            ])
        #expect(result.code == CommandStatus.success.rawValue)
    }

    @Test("the command reports suites without a case, and finds nothing if no suite has one")
    func noCases() {
        let empty = #"{"tests": []}"#
        let one = #"{"tests": [{"name": "n", "xml": "<a/>", "query": "a", "results": []}]}"#
        let alone = stanza("conformance", "empty", files: ["empty": empty])
        #expect(alone.errors == "stanza: empty: this suite has no cases\n")
        #expect(alone.lines == ["0 passed, 0 failed"])
        #expect(alone.status == .nothing)
        let both = stanza("conformance", "empty", "one", files: ["empty": empty, "one": one])
        #expect(both.errors == alone.errors)
        #expect(both.lines == ["1 passed, 0 failed"])
        #expect(both.status == .success)
    }

    @Test("the command shows no name with terminal control characters")
    func hostileNames() async throws {
        let test = #"{"name": "\u001b]0;x\u0007", "query": "a", "xml": "<a/>", "results": []}"#
        let once = #"{"description": "d", "tests": [\#(test)]}"#
        let twice = #"{"\u001b": "d", "tests": [\#(test), \#(test)]}"#
        let result = try await Shell.run(
            "stanza conformance once.json again.json twice.json 2>&1",
            files: ["once.json": once, "again.json": once, "twice.json": twice])
        let warning = #"again.json: case 1 has the name of once.json: case 1, '\u001b]0;x\u0007'"#
        #expect(result.output.contains(warning), "\(result.output)")
        #expect(!result.output.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    }

    @Test("the command runs them all")
    func command() {
        let result = stanza("conformance", Self.folder.path)
        #expect(result.status == .success)
        #expect(result.lines.last?.hasSuffix(" passed, 0 failed") == true)
    }
}
