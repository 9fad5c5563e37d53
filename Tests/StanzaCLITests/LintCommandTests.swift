// `stanza lint`: files and folders, exit codes, and its two forms of output.

import Foundation
import StanzaCLI
import Testing

@Suite("Lint")
struct LintCommandTests {
    private static let files = [
        "Sources/b.swift":
            "let x = a.check(\"b@c|integer\")\nlet y = a.check(\"fin@complete|bool\")\nimport StanzaQuery\n",
        "Sources/deep/a.m": "[iq find:@\"/<id=%@>\"];",
        "Sources/right.lua": "stanza:find('{urn:x}a')",
        "Sources/.hidden/c.swift": "a.find(\"a//b\")",
        "Sources/notes.txt": "a.find(\"a//b\")",
        "é #1.swift": "/* 𝄞é */ a.find(\"a//b\") ; a.find(\"c<d=\u{9B}1><d=2>\"); import StanzaQuery",
    ]

    private func lint(_ arguments: String) async throws -> (code: Int32, output: String) {
        try await Shell.run("stanza lint \(arguments) 2>&1", files: Self.files)
    }

    @Test("prints findings as compilers do, in the order of the files")
    func lines() async throws {
        let result = try await lint("Sources")
        #expect(result.code == CommandStatus.nothing.rawValue)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(
            lines.first?.hasPrefix("Sources/b.swift:1:22: error: unknown conversion 'integer'; expected one of: ")
                == true)
        #expect(lines.first?.hasSuffix("; did you mean '|int'? [unknownConversion]") == true)
        #expect(
            lines.dropFirst().first
                == "Sources/b.swift:2:31: warning: check asks whether there is a result, and 'false' is one; "
                + "find the value, or check with a filter [check-of-bool]")
        #expect(lines.last == "Sources/deep/a.m:1:12: error: the query takes 1 argument, the call gives 0 [arguments]")
    }

    @Test("reports the result by its exit code")
    func codes() async throws {
        #expect(try await lint("Sources/right.lua") == (0, ""))
        #expect(try await lint("Sources/b.swift Sources/right.lua").code == CommandStatus.nothing.rawValue)
        let missing = try await lint("nowhere.swift Sources/right.lua")
        #expect(missing.code == CommandStatus.badInput.rawValue)
        #expect(
            missing.output == "stanza: nowhere.swift: No such file or directory\n")
        let other = try await lint("Sources/notes.txt")
        #expect(other.code == CommandStatus.badInput.rawValue)
        #expect(other.output.hasPrefix("stanza: Sources/notes.txt: not a source file of Swift (.swift), "))
        let bytes = try await Shell.run("printf '\\377' > x.swift; mkfifo y.swift; stanza lint x.swift y.swift . 2>&1")
        #expect(bytes.code == CommandStatus.badInput.rawValue)
        #expect(
            bytes.output.split(separator: "\n").map(String.init) == [
                "stanza: x.swift: not UTF-8; encode it as UTF-8", "stanza: y.swift: Not a regular file",
                "stanza: ./x.swift: not UTF-8; encode it as UTF-8",
            ])
        // A regular file that even root cannot read.
        let refused = try await Shell.run("ln -s /proc/self/mem z.swift; stanza lint z.swift 2>&1")
        #expect(refused.code == CommandStatus.badInput.rawValue)
        #expect(refused.output == "stanza: z.swift: Input/output error\n")
        #expect(stanza("lint").status == .usage)
        let unknown = stanza("lint", "--disable", "nothing", "x")
        #expect(unknown.status == .usage)
        #expect(unknown.errors.contains("unknown warning 'nothing'; expected one of: contradicting-filters, "))
        #expect(
            stanza("lint", "--disable", "check-of-boll", "x").errors.contains(
                "unknown warning 'check-of-boll'; did you mean 'check-of-bool'?"))
        let long = stanza("lint", "Sources/" + String(repeating: "d", count: 300))
        #expect(long.status == .badInput && long.errors.hasSuffix(": File name too long\n"))
    }

    @Test("follows links given as arguments, but no others; skips everything that is not a file")
    func links() async throws {
        let script = """
            mkdir tree Notes.swift tree/More.lua; ln -s ../Sources/b.swift tree/Old.swift; ln -s nowhere tree/gone.swift
            ln -s . tree/loop; ln -s ../Sources tree/Linked.swift; mkfifo tree/pipe.m; ln -s Sources/b.swift named.swift
            """
        let inside = try await Shell.run("\(script)\nstanza lint tree Notes.swift 2>&1", files: Self.files)
        #expect(inside.code == 0)
        let lines = inside.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("found no .swift, .m,") }, "\(inside.output)")
        let named = try await Shell.run("\(script)\nstanza lint named.swift 2>&1", files: Self.files)
        #expect(named.code == CommandStatus.nothing.rawValue)
        #expect(named.output.split(separator: "\n").count == 2)
        for path in ["to", "to/"] {
            let folder = try await Shell.run("ln -s Sources to; stanza lint \(path)", files: Self.files)
            #expect(folder.code == CommandStatus.nothing.rawValue)
            #expect(folder.output.hasPrefix("to/b.swift:1:22: error: "), "\(folder.output)")
        }
    }

    @Test("reads files whose names are not UTF-8")
    func undecodable() async throws {
        let script = """
            mkdir o "o/$(printf 'b\\377')"; cp Sources/b.swift "o/$(printf 'b\\377/a\\377.swift')"; stanza lint o 2>&1
            """
        let result = try await Shell.run(script, files: Self.files)
        #expect(result.code == CommandStatus.nothing.rawValue)
        #expect(result.output.hasPrefix(#"o/b\xFF/a\xFF.swift:1:22: error: "#), "\(result.output)")
    }

    /// A folder whose path is too long for the system, because root may read all others.
    @Test("reports folders that it cannot read, and continues")
    func unreadable() async throws {
        let script = """
            python3 -c 'for i in range(25): import os; os.mkdir("d" * 200); os.chdir("d" * 200)'
            stanza lint . 2>&1; code=$?; rm -rf d*; exit $code
            """
        let result = try await Shell.run(script, files: Self.files)
        #expect(result.code == CommandStatus.badInput.rawValue)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count { $0.hasSuffix("ddd: File name too long") } == 1)
        #expect(lines.contains { $0.hasPrefix("./Sources/b.swift:1:22: error: ") })
    }

    @Test("reports a folder without source files")
    func emptyFolder() async throws {
        let script = "mkdir d d/.build; touch l.swift d/a.txt d/.build/x.swift; ln -s ../l.swift d; stanza lint d 2>&1"
        let result = try await Shell.run(script)
        #expect(
            result == (
                0,
                "stanza: d: found no .swift, .m, .mm, .h or .lua file; names that begin with a dot, and links, are skipped\n"
            ))
    }

    @Test("leaves out disabled warnings, but no errors")
    func disabled() async throws {
        let result = try await lint("--disable check-of-bool --disable form-in-x Sources/b.swift")
        #expect(result.code == CommandStatus.nothing.rawValue)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(try await lint("--disable unknownConversion Sources").code == CommandStatus.usage.rawValue)
    }

    @Test("skips calls of other libraries, unless the user includes them")
    func otherLibraries() async throws {
        let files = [
            "a.swift": "import SQLite\nlet q = Query(\"SELECT * FROM a\")\nlet u = User.find(\"id 1\", on: db)\n",
            "b.m": "[validator check:@\"a b c\"];\n",
            "c.m": "[(XMPPIQ*)iq check:@\"a b c\"];\n",
        ]
        let passed = try await Shell.run("stanza lint a.swift b.m 2>&1", files: files)
        #expect(passed == (0, ""))
        let notes = try await Shell.run("stanza lint --all a.swift b.m 2>&1", files: files)
        #expect(notes.code == CommandStatus.success.rawValue)
        #expect(notes.output.split(separator: "\n").count == 3)
        #expect(notes.output.hasPrefix("a.swift:2:22: note: unexpected ' '; expected "), "\(notes.output)")
        let both = try await Shell.run("stanza lint --all . 2>&1", files: files)
        #expect(both.code == CommandStatus.nothing.rawValue)
        #expect(both.output.contains("./c.m:1:23: error: "), "\(both.output)")
        let assumed = try await Shell.run("stanza lint --assume-import a.swift b.m 2>&1", files: files)
        #expect(assumed.code == CommandStatus.nothing.rawValue)
        #expect(assumed.output.split(separator: "\n").count { $0.contains(": error: ") } == 3)
        let log = try await Shell.run("stanza lint --all --sarif b.m", files: files)
        #expect(log.code == CommandStatus.success.rawValue && log.output.contains(#""level" : "note""#))
    }

    @Test("shows no terminal control characters")
    func hostile() async throws {
        let result = try await lint("'é #1.swift'")
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(result.output.contains("'\u{FFFD}1' and '2'"))
        #expect(!result.output.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    }

    @Test("escapes bidirectional controls in file names")
    func turned() async throws {
        let result = try await Shell.run(
            "stanza lint . 2>&1", files: ["a\u{202E}tfiws.b/c\u{2066}.swift": "a.find(\"a//b\"); import StanzaQuery"])
        #expect(result.output.contains("a\\u202etfiws.b/c\\u2066.swift:1:"), "\(result.output)")
        #expect(!result.output.unicodeScalars.contains { $0.properties.generalCategory == .format })
    }

    @Test("writes one line for each finding, and a log that can be shown, for any paths and queries")
    func odd() async throws {
        let paths = ["a\nb/\u{1B}[31m c%41#?.swift", "d:e\u{202E}.lua"]
        let files = [
            paths[0]: #"a.find("b<c=1\n><c=\u{1B}[2J>\u{2028}"); import StanzaQuery"#,
            paths[1]: "x:find('a<b=1\u{202E}><b=2\\n>')",
        ]
        let lines = try await Shell.run("stanza lint *b *.lua 2>&1", files: files)
        #expect(lines.output.split(separator: "\n").count == 2, "\(lines.output)")
        #expect(lines.output.contains(#"a\nb/\u001b[31m c%41#?.swift:1:"#))
        #expect(lines.output.contains(#"d:e\u202e.lua:1:"#))
        let log = try await Shell.run("stanza lint --sarif *b *.lua", files: files)
        for output in [lines.output, log.output] {
            let categories = output.unicodeScalars.filter { $0 != "\n" }.map(\.properties.generalCategory)
            #expect(Set(categories).isDisjoint(with: [.control, .format, .lineSeparator]))
        }
        #expect(log.output.contains(#""a%0Ab/%1B%5B31m%20c%2541%23%3F.swift""#), "\(log.output)")
        #expect(log.output.contains(#""d%3Ae%E2%80%AE.lua""#))
        let bytes = try await Shell.run(
            #"name="$(printf 'e\377\001.lua')"; mv *.lua "$name"; stanza lint --sarif "$name""#, files: files)
        #expect(bytes.output.contains(#""e%FF%01.lua""#), "\(bytes.output)")
    }

    /// The parts of the standard that the log uses, section by section.
    @Test("writes a log in the shape of SARIF 2.1.0")
    func sarif() async throws {
        let result = try await lint("--sarif Sources \"$PWD\" 'é #1.swift'")
        #expect(result.code == CommandStatus.nothing.rawValue)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        // 3.13: sarifLog.
        #expect(Set(log.keys) == ["$schema", "version", "runs"])
        #expect(log["version"] as? String == "2.1.0")
        let runs = try #require(log["runs"] as? [[String: Any]])
        try #require(runs.count == 1)
        // 3.14: run. Columns are counted in one of two units.
        #expect(Set(runs[0].keys) == ["tool", "columnKind", "results"])
        #expect(runs[0]["columnKind"] as? String == "utf16CodeUnits")
        // 3.18, 3.19, 3.49: tool, toolComponent, reportingDescriptor.
        let driver = try #require((runs[0]["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "stanza lint" && driver["version"] as? String == StanzaCommand.version)
        let rules = try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        #expect(rules == ["arguments", "check-of-bool", "contradicting-filters", "syntax", "unknownConversion"])
        let results = try #require(runs[0]["results"] as? [[String: Any]])
        #expect(results.count == 10)
        for result in results {
            // 3.27: result, with 3.11: message.
            #expect(Set(result.keys) == ["ruleId", "level", "message", "locations"])
            #expect(rules.contains(result["ruleId"] as? String ?? ""))
            #expect(["error", "warning"].contains(result["level"] as? String ?? ""))
            #expect((result["message"] as? [String: String])?["text"]?.isEmpty == false)
            // 3.28 to 3.30: location, physicalLocation, region; 3.4: artifactLocation.
            let places = try #require(result["locations"] as? [[String: [String: Any]]])
            let place = try #require(places.first?["physicalLocation"])
            let uri = try #require((place["artifactLocation"] as? [String: String])?["uri"])
            #expect(uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
            #expect(URL(string: uri)?.lastPathComponent.contains(".") == true)
            let region = try #require(place["region"] as? [String: Int])
            #expect(Set(region.keys) == ["startLine", "startColumn", "endLine", "endColumn"])
            let numbers = ["startLine", "startColumn", "endLine", "endColumn"].map { region[$0] ?? 0 }
            #expect(numbers.allSatisfy { $0 >= 1 } && numbers[0] == numbers[2] && numbers[1] <= numbers[3])
        }
        let places = results.map { result in
            ((result["locations"] as? [[String: [String: Any]]])?.first?["physicalLocation"]) ?? [:]
        }
        let uris = places.compactMap { ($0["artifactLocation"] as? [String: String])?["uri"] }
        #expect(uris.first == "Sources/b.swift")
        #expect(uris.contains { $0.hasPrefix("file:///") && $0.hasSuffix("/%C3%A9%20%231.swift") })
        #expect(uris.last == "%C3%A9%20%231.swift")
        // The characters before it count as in editors: one has two code units, one has one.
        let columns = places.compactMap { ($0["region"] as? [String: Int])?["startColumn"] }
        #expect(columns.suffix(2).first == 21)
        let empty = try await lint("--sarif Sources/right.lua")
        #expect(empty.code == 0 && empty.output.contains("\"results\" : ["))
    }
}
