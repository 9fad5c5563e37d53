// `stanza explain`.

import Foundation
import StanzaCLI
import Testing

@Suite("Explain")
struct ExplainTests {
    @Test("shows tree, program and kind of results")
    func sections() {
        let result = stanza("explain", "/{jabber:client}iq<type=%s>@id|int")
        #expect(result.status == .success)
        #expect(result.errors.isEmpty)
        let sections = result.output.components(separatedBy: "\n\n")
        #expect(sections.count == 4)
        #expect(sections[0].hasPrefix("Syntax tree:\n  rooted\n  elements {jabber:client}iq\n    type = %s\n"))
        #expect(sections[1].hasPrefix("Program:\n  "))
        #expect(sections[2] == "Results: int\nArguments: 1")
        #expect(sections[3] == "Prefilter:\n  name \"iq\"\n  name \"type\"\n  name \"id\"\n")
    }

    @Test("shows no regex instruction for patterns that need none")
    func reducedPattern() {
        for (query, needsRegex) in [("a<k~^.*$>", false), ("a<k~^(x|y)$>", false), ("a<k~x.y>", true)] {
            let result = stanza("explain", query)
            #expect(result.status == .success)
            let program = result.output.components(separatedBy: "Program:").last ?? ""
            #expect(program.contains("yield"))
            #expect(program.contains("~ /") == needsRegex, "\(program)")
        }
    }

    @Test("follows the compile options")
    func options() {
        let plain = stanza("explain", "a<k=x>@k|int").output
        #expect(stanza("explain", "--ignore-case", "a<k=x>@k|int").output != plain)
        #expect(stanza("explain", "--strict", "a<k=x>@k|int").output != plain)
    }

    @Test("shows the tree and all mistakes of a wrong query")
    func wrongQuery() {
        let result = stanza("explain", "a//b@c|x")
        #expect(result.status == .usage)
        #expect(result.output.hasPrefix("Syntax tree:\n  elements a\n"))
        #expect(result.output.contains("Program") == false)
        #expect(result.errorLines.count { $0.hasPrefix("error: ") } == 2)
    }

    @Test("keeps every instruction in its line, with any query")
    func hostile() {
        let query = "{a\nb}c<d~\u{1B}]0;x\u{7}><e='\u{9B}\u{202E}'>"
        let input = "<r><c xmlns='a&#10;b' d='x'/></r>"
        let plain = stanza("explain", "{ab}c<d~y><e='x'>", "--trace", "-", input: "<r><c xmlns='ab' d='x'/></r>")
        let result = stanza("explain", query, "--trace", "-", input: input)
        #expect(result.status == .success && result.lines.count == plain.lines.count)
        let counted = stanza("explain", query, "--bytes", "--stats", "-", input: input)
        let set = stanza("explain", "--set", "-", input: query.replacing("\n", with: ""))
        #expect(set.lines.count == stanza("explain", "--set", "-", input: "{ab}c<d~x><e='x'>").lines.count)
        for output in [result.output, counted.output, set.output] {
            let isVisible = output.unicodeScalars.allSatisfy { scalar in
                ![.control, .format].contains(scalar.properties.generalCategory) || scalar == "\n"
            }
            #expect(isVisible, "\(output.debugDescription)")
        }
    }

    @Test("explains the empty query")
    func emptyQuery() {
        #expect(stanza("explain", "").output.hasPrefix("Syntax tree:\n  the element itself\n"))
    }
}

@Suite("Explain in detail")
struct ExplainTraceTests {
    private let query = "items/item<id~^a>@id"
    private static let stanzas = ["<pubsub/>", "<pubsub><items><item id='b'/>\n<item id='a1'/></items></pubsub>"]

    /// The stanzas in each format, with the line in which the second one begins.
    private static let inputs = [
        ("fragments", stanzas.joined(separator: "\n"), 2),
        ("stream", InputFormatTests.header + "\n\n" + stanzas.joined(separator: "\n") + "</stream:stream>", 4),
        ("jsonl", stanzas.map { "{\"xml\": \"\($0.replacing("\n", with: " "))\"}\n" }.joined(separator: "\n"), 3),
    ]

    private func trace(_ output: String) -> [String] {
        let lines = output.components(separatedBy: "\n")
        guard let start = lines.firstIndex(where: { $0.hasPrefix("Trace") }) else { return [] }
        return Array(lines[start...].dropLast())
    }

    @Test("shows the part of the query that each instruction comes from")
    func sourceColumns() {
        let lines = stanza("explain", query).lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(lines.contains("0 0-5 child"))
        #expect(lines.contains("1 6-10 child"))
    }

    @Test("shows the encoding")
    func encoding() {
        let plain = stanza("explain", "a<k=bc>").lines
        let encoded = stanza("explain", "--bytes", "a<k=bc>").lines
        #expect(encoded.count > plain.count)
        #expect(encoded.contains { $0.hasSuffix("62 63") })
    }

    @Test("traces the requested stanza, in every format", arguments: inputs)
    func traces(format: String, input: String, line: Int) {
        for length in [3, 100_000] {
            let result = stanza(["explain", query, "--trace", "-", "--stanza", "2"], input: pieces(input, of: length))
            #expect(result.status == .success)
            #expect(result.errors.isEmpty)
            let trace = trace(result.output)
            #expect(trace.first == "Trace on -:\(line):")
            #expect(trace.count == 9)
            #expect(trace.contains { $0.contains("pubsub/items[0]/item[1]") && $0.hasSuffix("→ \"a1\"") })
        }
        func lines(_ options: String...) -> Int {
            trace(stanza(["explain", query, "--trace", "f"] + options, input: [], files: ["f": input]).output).count
        }
        #expect(lines("--stanza", "1") == 2 && lines() == 9, "the second stanza has a result")
    }

    @Test("takes arguments")
    func arguments() {
        let result = stanza("explain", "--trace", "-", "--arg", "5", "/a<k=%d>@k|int", input: "<a k='5'/>")
        #expect(result.status == .success)
        #expect(trace(result.output).last?.hasSuffix("→ 5") == true)
        let wrong = stanza("explain", "--trace", "-", "--arg", "x", "/a<k=%d>", input: "<a k='5'/>")
        #expect(wrong.status == .usage)
        #expect(wrong.errors.contains("^"))
        #expect(stanza("explain", "--trace", "-", "/a<k=%d>", input: "<a/>").status == .usage)
    }

    @Test("reports why it cannot trace")
    func failures() {
        let missing = stanza("explain", "a", "--trace", "-", "--stanza", "3", input: "<a/><a/>")
        #expect(missing.status == .nothing)
        #expect(missing.errors == "stanza: -: no stanza 3; there are 2 in all\n")
        let unreadable = stanza("explain", "a", "--trace", "nowhere")
        #expect(unreadable.status == .badInput)
        #expect(unreadable.errors == "stanza: nowhere: No such file or directory\n")
        let bad = stanza("explain", "/$", "--trace", "-", "--stanza", "2", input: "<a/>\n<b></c>\n<d/>")
        #expect(bad.status == .badInput)
        #expect(bad.errors.hasPrefix("stanza: -:2:4: "))
        #expect(trace(bad.output).last?.contains("\"d\"") == true)
        for arguments in [["--stanza", "2"], ["--arg", "x"], ["--trace", "-", "--stanza", "0"]] {
            #expect(stanza(["explain", "a"] + arguments, input: []).status == .usage)
        }
        #expect(stanza("explain", "a", "--trace", "-", "--max-depth", "0").status == .usage)
    }
}

@Suite("Explain a set")
struct ExplainSetTests {
    @Test("shows the common parts of the queries of all files, and the queries that no hash finds")
    func sets() {
        let files = ["a": "/<type=error>\r\nbody#\n\n", "b": "body<k=%d>\n{urn:q}q<node=%@><n=%f>\n/@id"]
        let result = stanza("explain", "--set", "a", "b", files: files)
        #expect(result.status == .success)
        #expect(result.errors.isEmpty)
        #expect(
            result.output == """
                5 queries
                filter type = "error"
                    0  /<type=error>
                child body
                    yield text
                        1  body#
                    filter k = "0"
                        2  body<k=%d> "0"
                child {urn:q}q
                    filter node = "…"
                        filter n = "0.000000"
                            3  {urn:q}q<node=%@><n=%f> "…" "0.0"
                yield @id
                    4  /@id

                """)
        #expect(stanza("explain", "--set", "-", input: "a").output == "1 query\nchild a\n    0  a\n")
        #expect(stanza("explain", "--set", "-").output == "0 queries\n")
        // Longer than a typed line.
        let long = "a<k=\(String(repeating: "x", count: 70_000))>"
        #expect(stanza("explain", "--set", "-", input: long).status == .success)
    }

    @Test("skips a byte order mark at the beginning of each file, but not in a query, whose name it is a part of")
    func byteOrderMarks() {
        let files = ["a": "\u{FEFF}a\r\nb", "b": "\u{FEFF}c", "empty": "\u{FEFF}"]
        let result = stanza("explain", "--set", "a", "b", "empty", files: files)
        #expect(result.output == stanza("explain", "--set", "-", input: "a\nb\nc").output)
        #expect(result.status == .success && result.errors.isEmpty)
        #expect(stanza("explain", "--set", "-", input: "a\n\u{FEFF}b").output.contains(#"\u{FEFF}b"#))
        #expect(stanza("explain", "\u{FEFF}a").output.contains(#"\u{FEFF}a"#))
    }

    @Test("follows the compile options")
    func options() {
        let plain = stanza("explain", "--set", "-", input: "a<k=x>").output
        #expect(stanza("explain", "--ignore-case", "--set", "-", input: "a<k=x>").output != plain)
    }

    @Test("reports all mistakes, with their places")
    func mistakes() {
        let result = stanza("explain", "--set", "-", "nowhere", input: "a\nb@c|integer\nd<e~(>\n")
        #expect(result.status == .badInput)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("-:2: error: unknown conversion 'integer'\n  b@c|integer\n      ^~~~~~~"))
        #expect(result.errorLines.contains { $0.hasPrefix("-:3: error: ") })
        #expect(result.errorLines.last == "stanza: nowhere: No such file or directory")
        #expect(stanza("explain", "--set", "-", input: "b@c|integer").status == .usage)
        let bytes = stanza(["explain", "--set", "-"], input: [[0x61, 0x0A, 0xFF]])
        #expect(bytes.status == .badInput)
        #expect(bytes.errors == "stanza: -:2: not UTF-8; encode it as UTF-8\n")
    }

    @Test("reads no more than its limit")
    func limits() {
        let long = stanza(
            ["explain", "--set", "-"], input: Array(repeating: Array(repeating: 0x61, count: 1 << 20), count: 17))
        #expect(long.status == .badInput)
        #expect(long.errors == "stanza: -: more than 16777216 bytes: are these queries?\n")
        let many = stanza("explain", "--set", "-", input: String(repeating: "a\n", count: 100_001))
        #expect(many.status == .badInput)
        #expect(many.errors == "stanza: -:100001: more than 100000 queries\n")
    }

    @Test("takes neither a query nor its options")
    func usage() {
        for arguments in [
            [], ["--set"], ["a", "--set", "-"], ["--set", "-", "--bytes"], ["--set", "-", "--trace", "-"],
        ] {
            #expect(stanza(["explain"] + arguments, input: []).status == .usage)
        }
    }
}
