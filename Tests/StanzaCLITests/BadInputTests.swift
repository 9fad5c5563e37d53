// Bad input: results before and after it are found, the place of the mistake is reported, and the exit code is 3.

import Foundation
import StanzaCLI
import TestSupport
import Testing

@Suite("Bad input")
struct BadInputTests {
    private static let header = InputFormatTests.header

    @Test(
        "loses nothing",
        arguments: [
            // Streams and documents end at their first mistake.
            (header + "<a/>\n<b>&x;</b><c/></stream:stream>", ["a"], ["2:4"]),
            (header + "<a/>\n<!-- --><c/></stream:stream>", ["a"], ["2:1"]),
            (header + "<a/><b>", ["a"], ["1:93"]),
            (header + "<a/>text<b/>", ["a"], ["1:90"]),
            (header + "<a/></stream:stream>\n<b/>", ["a"], ["2:1"]),
            // A fault of namespaces ends only its stanza.
            (header + "<a/>\n<p:b/><c/>\n <d>\n<e p:f=''/></d><g/></stream:stream>", ["a", "c", "g"], ["2:1", "3:2"]),
            ("<?xml version='1.0'?>\n<a>\n</b>", [], ["3:1"]),
            ("<?xml version='1.0'?><a/><b/>", ["a"], ["1:26"]),
            ("<?xml version='1.0'?>", [], nil),
            // Fragments continue with the next line that begins like one.
            ("<a/>\n<b></c>\n<d/>", ["a", "d"], ["2:4"]),
            ("<a/>\n<b p:c=''/>\n<d/>", ["a", "d"], ["2:4"]),
            ("<a/>\n<b></c><x/>\n <y/>\n<d/>", ["a", "d"], ["2:4"]),
            ("<a/> text\n<b/>", ["a", "b"], ["1:6"]),
            ("<a/>\n<b></b>\nfoo\n<c/><d/> text\n<e/>", ["a", "b", "c", "d", "e"], ["3:1", "4:10"]),
            ("<a/>\n<b", ["a"], nil),
            // JSON lines continue with the next line.
            (#"{"xml": "<a/>"}"# + "\n[1]\n" + #"{"xml": "<b/>"}"#, ["a", "b"], ["2:1"]),
            (#"{"xml": "<a/>"}"# + "\n" + #"{"x": 1}"# + "\n" + #"{"xml": "<b/>"}"#, ["a", "b"], ["2:1"]),
            (#"{"é": 1, "xml": 2}"# + "\n" + #"{"xml": "<b/>"}"#, ["b"], ["1:17"]),
            (#"{"xml": "<a>"}"# + "\n" + #"{"xml": "<b/>"}"#, ["b"], ["1:9"]),
            (#"{"xml": "<p:a/>"}"# + "\n" + #"{"xml": "<b/>"}"#, ["b"], ["1:9"]),
            (#"{"xml": ""}"# + "\n" + #"{"xml": "<b/><c/>"}"#, [], ["1:9", "2:9"]),
            (#"{"xml": "<a/>""# + "\n" + #"{"xml": "<b/>"}"# + "\n{", ["b"], ["1:15", "3:2"]),
            (#"{"xml": "<a/>\ud800"}"#, [], ["1:14"]),
        ] as [(String, [String], [String]?)])
    func losesNothing(input: String, expected: [String], places: [String]?) {
        for length in [1, 5, 100_000] {
            let result = stanza(["find", "/$"], input: pieces(input, of: length))
            #expect(result.lines == expected, "\(input)")
            #expect(result.status == .badInput, "\(input)")
            guard let places else {
                #expect(result.errors.hasPrefix("stanza: -:"), "\(input)")
                continue
            }
            #expect(result.errorLines.count == places.count, "\(result.errors)")
            for (line, place) in zip(result.errorLines, places) {
                #expect(line.hasPrefix("stanza: -:\(place): "), "\(line)")
            }
        }
    }

    /// A stream as servers relay it.
    @Test("with faults of namespaces is left out, and the rest is found", arguments: ["1", "2"])
    func namespaceFaults(jobs: String) throws {
        let file = packageFolder.appending(path: "Grammar/corpus/namespace-faults.xml")
        let input = try String(contentsOf: file, encoding: .utf8)
        let result = stanza("find", "--parse-all", "--jobs", jobs, "@id", input: input)
        #expect(result.lines == ["1", "4"] && result.status == .badInput)
        #expect(result.errorLines.count == 2, "\(result.errors)")
        #expect(result.errors.hasPrefix("stanza: -:3:1: <message id='2'> is left out: not namespace-well-formed: "))
        #expect(
            result.errors.contains("\nstanza: -:4:1: <message id='3'> is left out: the prefix 'p' is not declared; "))
    }

    @Test("of JSON lines reports the place inside the XML")
    func placeInXML() {
        let result = stanza("find", "", input: #"{"n": 1, "xml": "<a>\n é</b>"}"#)
        #expect(result.errors.hasPrefix("stanza: -:1:17: in 'xml', line 2, column 3: "))
    }

    @Test("in a line reports places of the input")
    func placeInLine() {
        let input = "<iq/>\n<message><body></y></body></message>\n"
        let result = stanza("find", "--format", "lines", "body", input: input)
        #expect(result.errors.hasPrefix("stanza: -:2:16: "))
        #expect(result.errors.hasSuffix("the end of what begins at line 2, column 10\n"), "\(result.errors)")
    }

    @Test("that ends inside an element reports the element and its beginning", arguments: ["1", "2"])
    func unclosed(jobs: String) {
        let header = InputFormatTests.header + "\n"
        for (input, place) in [
            ("<a/>\n<b>\n <c>\n", "</c>, the end of what begins at line 3, column 2"),
            (header + "<a/>\n  <b>", "</b>, the end of what begins at line 3, column 3"),
            (#"{"xml": "<a><b>"}"#, "</b>, the end of what begins at line 1, column 4"),
        ] {
            let result = stanza("find", "--jobs", jobs, "", input: input)
            #expect(result.errorLines.count == 1)
            #expect(result.errors.hasSuffix("; expected \(place)\n"), "\(result.errors)")
        }
        let second = header + "<a><?xml version='1.0'?>"
        #expect(stanza("find", "", input: second).errors.contains("an XML declaration may occur at the beginning only"))
    }

    @Test("is reported without control characters of the file's name")
    func oddNames() {
        let name = "a\n\u{1B}[31m\\\u{9B}b"
        let shown = #"a\n\u001b[31m\\\u009bb"#
        let files = [name: "<a>\n</b>"]
        for command in [["find", "", name], ["explain", "", "--trace", name], ["form", name]] {
            let missing = stanza(command, input: [])
            #expect(missing.errors == "stanza: \(shown): No such file or directory\n")
            #expect(missing.status == .badInput)
            let malformed = stanza(command, input: [], files: files)
            #expect(malformed.errors.hasPrefix("stanza: \(shown):2:1: "))
        }
        #expect(stanza("conformance", name).errors.hasPrefix("stanza: \(shown): "))
        let trace = stanza(["explain", "", "--trace", name], input: [], files: [name: "<a/>"])
        #expect(trace.output.contains("Trace on \(shown):1:\n"))
    }

    @Test("is reported with a visible name, also if the name is empty")
    func emptyNames() {
        for command in [
            ["find", "body", ""], ["explain", "", "--stats", ""], ["explain", "", "--on", ""],
            ["explain", "--set", ""], ["form", ""], ["repl", ""], ["lint", ""], ["conformance", ""],
        ] {
            let result = stanza(command, input: [])
            #expect(result.errors.hasPrefix("stanza: '': "), "\(command): \(result.errors)")
            #expect(result.status == .badInput, "\(command)")
        }
    }

    @Test(
        "beyond a limit names the option that allows more, if there is one",
        arguments: [
            ("<a>" + String(repeating: " ", count: 1 << 20) + "</a>", "--max-stanza-bytes allows more"),
            (
                String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257),
                "--max-depth allows more"
            ),
            (
                "<a>" + String(repeating: "<b/>", count: 1 << 16) + "</a>",
                "65536 elements; --max-stanza-bytes allows more"
            ),
            (
                "<a " + (0..<257).map { "k\($0)='' " }.joined() + "/>",
                "has more than 256 attributes, which is the limit"
            ),
            ("<a" + String(repeating: "a", count: 1024) + "/>", "has more than 1024 bytes, which is the limit"),
        ])
    func limits(input: String, advice: String) {
        let result = stanza("find", "/$", input: input + "\n<b/>")
        #expect(result.errorLines.count == 1 && result.errors.hasPrefix("stanza: -:1:1: <a"), "\(result.errors)")
        #expect(result.errorLines.first?.hasSuffix(advice) == true, "\(result.errors)")
        #expect(!result.errors.contains("ParserLimits"))
        #expect(result.lines == ["b"] && result.status == .badInput)
    }

    /// Reading continues after it, in every format that has several stanzas, with one job and with two.
    @Test("does not include a stanza that is too large: it is skipped", arguments: ["1", "2"])
    func tooLarge(jobs: String) {
        let large =
            "<message id='big' from='romeo@example.net'><body>" + String(repeating: "x", count: 2 << 20)
            + "</body></message>"
        let small = ["<message id='one'/>", "<message id='two'/>"]
        func json(_ xml: String) -> String { "{\"xml\": \"\(xml)\"}\n" }
        let header = InputFormatTests.header
        for (input, place) in [
            (small[0] + "\n  " + large + "\n" + small[1], "2:3"), (small[0] + large + small[1], "1:20"),
            (header + small[0] + "\n " + large + small[1] + "</stream:stream>", "2:2"),
            (json(small[0]) + json(large) + json(small[1]), "2:1"),
        ] {
            let result = stanza("find", "--parse-all", "--jobs", jobs, "@id", input: input)
            #expect(result.lines == ["one", "two"], "\(place)")
            #expect(result.status == .badInput)
            #expect(result.errorLines.count == 1 && result.errors.hasPrefix("stanza: -:\(place): "), "\(result.errors)")
            #expect(
                result.errors.contains("more than 1048576 bytes; --max-stanza-bytes allows more"), "\(result.errors)")
            #expect(
                result.errors.contains("<message id='big' from='romeo@example.net'> is left out") || place == "2:1",
                "\(result.errors)")
        }
    }

    @Test("includes invalid UTF-8")
    func invalidUTF8() {
        let fragments = stanza(["find", "/$"], input: [Array("<a/>\n<b>".utf8) + [0xFF] + Array("</b>\n<c/>".utf8)])
        #expect(fragments.lines == ["a", "c"])
        #expect(fragments.errors.hasPrefix("stanza: -:2:4: "))
        let line = Array(#"{"xml": "<a>"#.utf8) + [0xC3] + Array("</a>\"}\n{\"xml\": \"<b/>\"}".utf8)
        let lines = stanza(["find", "/$"], input: [line])
        #expect(lines.lines == ["b"])
        #expect(lines.errors.hasPrefix("stanza: -:1:10: "))
    }

    @Test(
        "that is compressed reports how to decompress it",
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00], "gzip", "gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD, 0x24], "zstd", "zstd -dcq"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x00], "xz", "xz -dc"),
            (Array("BZh91AY".utf8), "bzip2", "bzip2 -dc"),
        ] as [([UInt8], String, String)])
    func compressed(bytes: [UInt8], name: String, command: String) {
        let input = bytes + (0..<2_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for length in [1, 3, 100_000] {
            let pieces = pieces(input, of: length)
            // For a command that needs one stanza, the second line reports that there is none.
            for (arguments, reader, lines) in [
                (["find", "/$"], "find QUERY", 1), (["find", "--jobs", "2", "/$"], "find QUERY", 1),
                (["find", "--format", "jsonl", "/$"], "find QUERY", 1),
                (["explain", "/$", "--stats", "-"], "explain QUERY --stats -", 1),
                (["explain", "/$", "--on", "-"], "explain QUERY --on -", 2),
                (["explain", "/$", "--trace", "-"], "explain QUERY --trace -", 2), (["form", "-"], "form -", 2),
            ] {
                let result = stanza(arguments, input: pieces)
                #expect(result.status == .badInput)
                let expected =
                    "stanza: -:1:1: this is compressed (\(name)); write '\(command) FILE | stanza \(reader)', "
                    + "or decompress the file first"
                #expect(result.errorLines.first == expected && result.errorLines.count == lines, "\(result.errors)")
            }
        }
        // An incomplete signature does not count.
        for length in 1..<min(bytes.count, 3) where bytes[..<length] != [0x1F, 0x8B] {
            let result = stanza(["find", "/$"], input: [Array(bytes[..<length])])
            #expect(result.status != .success && !result.errors.contains("compressed"), "\(result.errors)")
        }
        // Inside an input it is an ordinary mistake.
        let inside = stanza(["find", "/$"], input: [Array("<a/>\n".utf8) + bytes])
        #expect(inside.lines == ["a"] && !inside.errors.contains("compressed"))
    }

    @Test("that is compressed must not come from standard input if queries do")
    func compressedStanzasOfTheRepl() {
        let repl = stanza("repl", "f", files: ["f": "BZh91AY"])
        #expect(repl.errorLines.first == "stanza: f:1:1: this is compressed (bzip2); decompress the file first")
    }

    /// The message comes first, whatever the query, and replaces those of its line.
    @Test(
        "that is JSON, but not in lines, reports how to make lines of it",
        arguments: [
            (#"[{"xml": "<a/>"}, {"xml": "<b/>"}]"#, "1:1", true), ("[\n  {\"xml\": \"<a/>\"}\n]", "1:1", true),
            ("[\r\n{\r\n\"xml\": \"<a/>\"}]", "1:1", true), ("\u{FEFF}[{\"xml\": \"<a/>\"}]", "1:1", true),
            ("\n [\t{ \"xml\": \"<a/>\"}]", "2:2", true), ("{\n  \"xml\": \"<a/>\"\n}", "1:1", false),
            ("\u{FEFF} { \t\r\n\"xml\": \"<a/>\"\r\n}", "1:2", false),
        ])
    func json(input: String, place: String, isArray: Bool) {
        let (name, command, objects) =
            isArray
            ? ("a JSON array", "jq -c \".[]\" FILE", "each of its objects")
            : ("JSON with line breaks", "jq -c . FILE", "each object")
        for options in [[], ["--jobs", "2"], ["--parse-all"], ["--parse-all", "--jobs", "2"]] {
            for length in [1, 2, 100_000] {
                let result = stanza(["find", "/zzz"] + options, input: pieces(input, of: length))
                #expect(result.status == .badInput && result.lines.isEmpty)
                #expect(
                    result.errorLines.first
                        == "stanza: -:\(place): this is \(name); write '\(command) | stanza find QUERY', "
                        + "or write \(objects) on a line first")
                let line = place.prefix { $0 != ":" }
                #expect(result.errorLines.count { $0.hasPrefix("stanza: -:\(line):") } == 1, "\(result.errors)")
                // Lines are independent of each other.
                let places = result.errorLines.map { $0.prefix { $0 != " " } }
                #expect(isArray || !options.contains("--parse-all") || places.count == 3, "\(result.errors)")
            }
        }
        let repl = stanza("repl", "f", files: ["f": input])
        #expect(repl.errorLines.first == "stanza: f:\(place): this is \(name); write \(objects) on a line first")
    }

    /// Logs have such lines.
    @Test(
        "that begins like JSON is read nevertheless",
        arguments: [
            ("[1] <a/>\n<b/>\n", ["--format", "fragments"], ["b"]), ("[", [], []),
            ("[\"info\"] <a/>\n<b/>", ["--format", "fragments"], ["b"]),
            ("[\"info\"] <a/>\n<b/>", ["--format", "lines"], ["b"]),
            ("[{\"a\":1}] <a/>\n<b>\n</b>", [], ["a", "b"]), ("[{\"a\":1}] <a/>\n<b/>", ["--format", "lines"], ["b"]),
            ("{\n<a/>\n}", ["--format", "fragments"], ["a"]),
            ("{\n<a/>\n}", ["--format", "lines"], ["a"]),
            ("{\n\"xml\": \"broken\"\n}\n{\"xml\":\"<a/>\"}\n{\"xml\":\"<b/>\"}", [], ["a", "b"]),
            ("{\n<a/>\n{\"xml\":\"<b/>\"}", ["--format", "jsonl"], ["b"]), ("{", [], []), ("{ \r", [], []),
            (String(repeating: " ", count: 1_023) + "{\n{\"xml\":\"<b/>\"}", [], ["b"]),
        ])
    func likeJSON(input: String, options: [String], expected: [String]) {
        for jobs in [[], ["--jobs", "2"]] {
            for length in [1, 2, 100_000] {
                let result = stanza(["find", "/$"] + options + jobs, input: pieces(input, of: length))
                #expect(result.lines == expected && result.status == .badInput, "\(result.errors)")
                #expect(!options.isEmpty ? !result.errors.contains("jq") : true, "\(result.errors)")
            }
        }
    }

    /// XML 1.0, appendix F.
    @Test("is reported as UTF-16 only if it begins with a byte order mark, or with zeros beside a '<'")
    func encodings() {
        for bytes: [UInt8] in [[0, 0x61], [0x20, 0, 0x3C], [0x61, 0], [0], [0xFE, 0x3C]] {
            #expect(!stanza(["find", "/a"], input: [bytes]).errors.contains("UTF-16 or UTF-32"), "\(bytes)")
        }
        // The zero may come from UTF-16 nevertheless.
        for bytes: [UInt8] in [[0, 0x0A, 0, 0x3C], [0x0A, 0, 0x3C, 0], [0, 0x32, 0, 0x30]] {
            let errors = stanza(["find", "/a"], input: [bytes]).errors
            #expect(errors.contains("U+0000; remove it, or convert UTF-16 to UTF-8"), "\(errors)")
        }
        for bytes: [UInt8] in [[0, 0x3C, 0, 0x61], [0x3C, 0, 0x61, 0], [0xFE, 0xFF, 0, 0x3C]] {
            #expect(stanza(["find", "/a"], input: [bytes]).errors.contains("UTF-16"), "\(bytes)")
        }
    }

    @Test("in one file does not stop the search of the others")
    func otherFiles() {
        let files = ["1": "<?xml version='1.0'?><a>", "2": "<b/>"]
        let result = stanza("find", "/$", "missing", "1", "2", files: files)
        #expect(result.lines == ["b"])
        #expect(result.status == .badInput)
        #expect(result.errorLines.first == "stanza: missing: No such file or directory")
        #expect(result.errorLines.count == 2)
    }

    @Test("does not end the documents of --xml and --count")
    func completeOutput() {
        let input = "<a/>\n<b>"
        #expect(stanza("find", "--count", "", input: input).output == "1\n")
        #expect(stanza("find", "--xml", "/$", input: input).output.hasSuffix("<result>a</result>\n</results>\n"))
        #expect(stanza("find", "--json", "/$", input: input).lines == [#"{"string": "a"}"#])
    }

    @Test("includes input beyond the limits")
    func limits() {
        let long = "<a>" + String(repeating: "x", count: 1 << 20) + "</a>"
        for (input, place) in [
            ("<b/>\n" + long + "\n<c/>", "2:1"),
            ("{\"xml\": \"<b/>\"}\n{\"xml\": \"\(long)\"}\n{\"xml\": \"<c/>\"}", "2:1"),
        ] {
            let result = stanza("find", "/$", input: input)
            #expect(result.lines == ["b", "c"])
            #expect(result.status == .badInput)
            #expect(result.errors.hasPrefix("stanza: -:\(place): "))
            #expect(result.errors.contains("--max-stanza-bytes"))
            #expect(stanza("find", "--max-stanza-bytes", "2000000", "/$", input: input).lines == ["b", "a", "c"])
        }
        #expect(stanza("find", "/$", input: "<?xml version='1.0'?>" + long).lines == ["a"])
        let small = stanza("find", "--max-stanza-bytes", "100", "/$", input: "<?xml version='1.0'?>" + long)
        #expect(small.status == .badInput)

        let wide = "<a>" + String(repeating: "<b/>", count: 1 << 16) + "</a>"
        #expect(stanza("find", "/$", input: wide).status == .badInput)
        #expect(stanza("find", "--max-stanza-bytes", "2000000", "/$", input: wide).lines == ["a"])

        let deep = "<a><a><a/></a></a>"
        let shallow = stanza("find", "--max-depth", "2", "/$", input: deep)
        #expect(shallow.status == .badInput)
        #expect(shallow.errors.contains("--max-depth"))
        #expect(stanza("find", "--max-depth", "3", "/$", input: deep).status == .success)
    }

    @Test("includes a source that fails")
    func failingSource() {
        let sink = MemorySink()
        let errors = MemorySink()
        var reads = 0
        let source = MemorySource([Array("<a/>".utf8), Array("<b/>".utf8)], isLive: true) { () throws(SystemError) in
            reads += 1
            if reads == 2 { throw SystemError(code: 5) }
        }
        let console = Console(input: source, output: Output(sink), errors: Output(errors)) { _ throws(SystemError) in
            throw SystemError(code: 2)
        }
        #expect(StanzaCommand.run(["find", "/$"], on: console) == .badInput)
        #expect(sink.text == "a\n")
        #expect(errors.text == "stanza: -: Input/output error\n")
    }
}
