// `stanza find` on long input, on input that fails, and its second look at input without results.
// Tests/Inputs/commands has all that needs no more than some lines.

import Foundation
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

/// The beginning of a stream.
let streamHeader = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

@Suite("Find")
struct FindTests {
    // MARK: Formats

    @Test(
        "recognizes the format from the beginning",
        arguments: [
            (streamHeader + "<a/><b/></stream:stream>", ["a", "b"]),
            ("\n \t" + streamHeader + "<a/></stream:stream>", ["a"]),
            ("\u{FEFF}" + streamHeader + "<a/></stream:stream>", ["a"]),
            ("<?xml version='1.0' encoding='UTF-8'?>\r\n \(streamHeader)<a/><b/></stream:stream>", ["a", "b"]),
            ("<?xml version='1.0'?><a><b/></a>", ["a"]), ("<!DOCTYPE a><a><b/></a>", ["a"]),
            ("\u{FEFF}<?xml version='1.0'?><a/>", ["a"]), ("<?xml version='1.0'?> <s/>", ["s"]),
            ("<?xml version='1.0'?><stream:streams xmlns:stream='s'/>", ["streams"]), ("<a/>\n<b/>", ["a", "b"]),
            ("\u{FEFF}<a/><b/>", ["a", "b"]), ("<stream:streams/><a/>", ["streams", "a"]),
            ("<?xml-stylesheet href='x'?><a/><b/>", ["a", "b"]), ("<!-- x --><a/><b/>", ["a", "b"]), (" ", []),
            ("", []),
            (#"{"xml": "<a/>"}"# + "\n" + #"{"xml": "<b/>"}"#, ["a", "b"]), ("\n  {\"xml\": \"<a/>\"}\n", ["a"]),
            ("\u{FEFF}{\"xml\": \"<a/>\"}\r\n", ["a"]), ("BZ", []), ("<s/><t/> ", ["s", "t"]),
        ])
    func recognized(input: String, expected: [String]) {
        for length in [1, 2, 7, 100_000] {
            let result = stanza(["find", "/$"], input: pieces(input, of: length))
            #expect(result.lines == expected, "\(input), in pieces of \(length)")
            #expect(result.errors == (expected.isEmpty ? "no stanza in the input\n" : ""))
        }
    }

    @Test("takes a document for a stream only if it begins soon, and fragments for lines only after little space")
    func farBeginnings() {
        let most = FormatRecognizer.maximumDeclaration
        for (spaces, expected) in [(most - 100, ["a"]), (most, ["stream"])] {
            let input = "<?xml version='1.0'?>\(" " * spaces)\(streamHeader)<a/></stream:stream>"
            #expect(stanza(["find", "/$"], input: pieces(input, of: 7)).lines == expected)
        }
        #expect(FormatRecognizer.maximumSpace == 65_536)
        for (count, status) in [(65_536, CommandStatus.success), (65_537, .badInput), (70_000, .badInput)] {
            for length in [100, 100_000] {
                let result = stanza(["find", ""], input: pieces(" " * count + #"{"xml": "<a/>"}"#, of: length))
                #expect(result.status == status, "\(count)")
                #expect(result.errors.hasPrefix(status == .success ? "" : "stanza: -:1:\(count + 1): "))
            }
        }
        // JSON is recognized after some space, too.
        let unfinished = " " * 1_023 + "{\n{\"xml\":\"<b/>\"}"
        let result = stanza(["find", "/$"], input: pieces(unfinished, of: 2))
        #expect(result.lines == ["b"] && result.status == .badInput)
    }

    // MARK: Limits

    private static let deep = "<a>" * 257 + "</a>" * 257
    private static let wide = "<a>" + "<b/>" * 65_536 + "</a>"
    private static let long = "<a>" + "x" * (1 << 20) + "</a>"

    @Test(
        "leaves out stanzas beyond a limit, and names the option that allows more",
        arguments: [
            (long, [], "--max-stanza-bytes allows more"), (deep, [], "--max-depth allows more"),
            (wide, [], "65536 elements; --max-stanza-bytes allows more"),
            (
                "<a " + (0..<257).map { "k\($0)='' " }.joined() + "/>", [],
                "more than 256 attributes, which is the limit"
            ),
            ("<a" + "a" * 1024 + "/>", [], "has more than 1024 bytes, which is the limit"),
            (long, ["--max-stanza-bytes", "2000000"], nil), (wide, ["--max-stanza-bytes", "2000000"], nil),
            (deep, ["--max-depth", "257"], nil), ("<a>" + "<b/>" * 65_535 + "</a>", [], nil),
            ("<a>" * 256 + "</a>" * 256, [], nil),
        ] as [(String, [String], String?)])
    func limits(input: String, options: [String], advice: String?) {
        let forms = [[input, "<b/>"], [#"{"xml": "\#(input)"}"#, #"{"xml": "<b/>"}"#]]
        for lines in input == Self.long ? forms : [forms[0]] {
            let result = stanza(["find", "/$"] + options, input: [Array(lines.joined(separator: "\n").utf8)])
            #expect(result.lines == (advice == nil ? ["a", "b"] : ["b"]))
            #expect(result.status == (advice == nil ? .success : .badInput))
            #expect(result.errorLines.count == (advice == nil ? 0 : 1))
            if let advice {
                #expect(result.errors.hasPrefix("stanza: -:1:1: "), "\(result.errors)")
                #expect(result.errors.hasSuffix(advice + "\n"), "\(result.errors)")
            }
        }
        // A document may be longer.
        if input == Self.long { #expect(stanza("find", "/$", input: "<?xml version='1.0'?>" + input).lines == ["a"]) }
    }

    /// Reading continues after it, in every format that has several stanzas, with one job and with two.
    @Test("skips a stanza that is too large", arguments: ["1", "2"])
    func tooLarge(jobs: String) {
        let large = "<message id='big' from='romeo@example.net'><body>" + "x" * (2 << 20) + "</body></message>"
        let small = ["<message id='one'/>", "<message id='two'/>"]
        let json = [small[0], large, small[1]].map { "{\"xml\": \"\($0)\"}\n" }
        for (input, place) in [
            (small[0] + "\n  " + large + "\n" + small[1], "2:3"), (small[0] + large + small[1], "1:20"),
            (streamHeader + small[0] + "\n " + large + small[1] + "</stream:stream>", "2:2"), (json.joined(), "2:1"),
        ] {
            let result = stanza("find", "--parse-all", "--jobs", jobs, "@id", input: input)
            #expect(result.lines == ["one", "two"] && result.status == .badInput, "\(place)")
            let left = place == "2:1" ? "" : "<message id='big' from='romeo@example.net'> is left out"
            #expect(result.errorLines.count == 1 && result.errors.hasPrefix("stanza: -:\(place): \(left)"))
            #expect(result.errors.contains("more than 1048576 bytes; --max-stanza-bytes allows more"))
        }
    }

    @Test("has no overflow with the largest limits")
    func largestLimits() {
        let limits = ["--max-stanza-bytes", "\(Int.max)", "--max-depth", "\(Int.max)"]
        #expect(stanza(["find", "--jobs", "2", "/$"] + limits, input: [Array("<a/>".utf8)]).lines == ["a"])
    }

    /// A stack of calls for each level would overflow.
    @Test("prints elements that are nested as deep as the user allows")
    func deepOutput() {
        let depth = 50_000
        let input = "<a>" * depth + "</a>" * depth
        let result = stanza("find", "--json", "--max-depth", "\(depth)", "", input: input)
        #expect(result.output.count { $0 == "]" } == depth && result.status == .success)
    }

    @Test("continues after stanzas on which a regular expression exceeds its limits, with any number of jobs")
    func regexLimit() {
        let evil = "<a k='\("a" * 64)!'/>"
        let input = pieces((0..<200).map { $0 % 50 == 7 ? evil : "<a k='aa'/>" }.joined(separator: "\n"), of: 500)
        let results = ["1", "2"].map { stanza(["find", "/a<k~^(a+)+$>$", "--jobs", $0], input: input) }
        #expect(results[0].lines.count == 196 && results[0].status == .usage)
        #expect(results[1].output == results[0].output && results[1].errors == results[0].errors)
    }

    // MARK: Mistakes

    @Test(
        "draws queries whose arguments do not fit, without any input",
        arguments: [
            ("a<k=%d>", ["x"]), ("a<k=%d>", ["1.5"]), ("a<k=%u>", ["-1"]), ("a<k=%f>", ["x"]), ("a<k=%f>", ["inf"]),
            ("a<k=%f>", ["nan"]), ("a<k=%f>", ["0x10"]), ("a<k=%d>", ["0x10"]), ("a<k=%f>", ["1e400"]),
            ("a<k=%f>", [" 1"]), ("a<k=%g>", ["0x1p3"]), ("a<k=%c>", ["xy"]), ("a<k=%c>", [""]),
            ("a<k=%d>", ["1", "2"]), ("a", ["1"]), ("a<k=%d>", ["18446744073709551616"]), ("a<k=%d>", [""]),
        ])
    func wrongArguments(query: String, arguments: [String]) {
        let result = stanza(["find", query] + arguments.flatMap { ["--arg", $0] }, input: [])
        #expect(result.status == .usage && result.errors.hasPrefix("error: "))
        #expect(result.errors.contains("\n  \(query)\n") && !result.errors.contains("sets an argument"))
    }

    @Test("knows the place of the root after many stanzas", arguments: [[], ["--parse-all"]])
    func placeOfTheRoot(options: [String]) {
        let input = "\n" + streamHeader + "<a/>\n<b><c/></b>\n" * 200
        let errors = stanza(["find", "/c"] + options, input: [Array(input.utf8)]).errors
        #expect(errors.contains("the end of what begins at line 2, column 1\n"), "\(errors)")
    }

    @Test("reports a source that fails, after its results")
    func failingSource() {
        let (output, errors, reads) = (MemorySink(), MemorySink(), Counter())
        let source = MemorySource([Array("<a/>".utf8), Array("<b/>".utf8)], isLive: true) { () throws(SystemError) in
            if reads.next() == 2 { throw SystemError(code: 5) }
        }
        let console = Console(input: source, output: Output(output), errors: Output(errors)) { _ throws(SystemError) in
            throw SystemError(code: 2)
        }
        #expect(StanzaCommand.run(["find", "/$"], on: console) == .badInput)
        #expect(output.text == "a\n" && errors.text == "stanza: -: Input/output error\n")
    }

    // MARK: Near misses

    private static let message = "<message type='chat'><body>one</body></message>"

    @Test("keeps the beginning of standard input to say why nothing was found", arguments: [[], ["--jobs", "2"]])
    func standardInput(options: [String]) {
        let piece = Array(Self.message.utf8)
        func errors(_ pieces: [[UInt8]], _ query: String = "message") -> String {
            stanza(["find", query, "-"] + options, input: pieces).errors
        }
        let reason = "`message` is the stanza itself: write `/message`\n"
        let kept = (1 << 20) / piece.count
        let all = Array((Self.message * kept).utf8)
        #expect(errors([all]) == "no result: " + reason)
        #expect(errors([all, piece]) == "no result; in the first \(kept) stanzas: " + reason)
        let late = [Array(("<iq/>" * 300_000).utf8), piece]
        #expect(errors(late, "/message#").hasPrefix("no result; in the first "))
        #expect(errors(late, "body").isEmpty && errors([]) == "no stanza in the input\n")
    }

    @Test("takes no second look at files if every query has results", arguments: [("body", 1), ("nothing", 2)])
    func looks(query: String, expected: Int) {
        let looks = Counter()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(MemorySink()),
            byteCount: { _ in Self.message.utf8.count },
            open: { _ throws(SystemError) in
                looks.next()
                return MemorySource([Array(Self.message.utf8)], isLive: false)
            })
        _ = StanzaCommand.run(["find", query, "f"], on: console)
        #expect(looks.value == expected)
    }

    // MARK: Output

    @Test("aligns the columns of long input, and of wide text")
    func widths() {
        let columns = ["find", "--row", "from=/@from", "--row", "text=body#", "f"]
        let long = (0..<5_000).map { "<m from='user\($0)'><body>text</body></m>\n" }.joined()
        let lines = stanza(columns, input: [], files: ["f": long]).lines
        #expect(lines.count == 5_001 && lines[0] == "from      text" && lines[5_000] == "user4999  text")
        let wide = "<m from='\("w" * 60)'><body>x</body></m><m from='日本'><body>y</body></m>"
        let shown = stanza(columns, input: [], files: ["f": wide]).lines
        #expect(shown[1].hasSuffix("w  x") && shown[2] == "日本" + " " * 46 + "y")
    }

    @Test("leaves no gap in the results of several queries at Ctrl-C")
    func interrupted() throws {
        let evaluator = Evaluator(
            queries: try SearchQueries(["body#", "/@id"], arguments: [], options: []), settings: ReadingSettings(),
            formatter: ResultFormatter(format: .text, showsSource: false, numberedQueries: 2), stopsAtFirst: false)
        let element = try Element(parsing: "<message id='1'>\("<body>x</body>" * 100)</message>")
        var findings = Findings()
        evaluator.evaluate(.stanza(element, at: .start), from: "-", &findings) { _ in false }
        #expect(findings.counts[0] == 64 && findings.counts[1] == 0)
    }

    @Test(
        "writes points in time as XEP-0082 does",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_031_699_305, "2002-09-10T23:08:25Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (0.5, "1970-01-01T00:00:00.500Z"),
            (-0.25, "1969-12-31T23:59:59.750Z"), (1_700_000_000.123456, "2023-11-14T22:13:20.123Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_800, "253402300800.0"),
        ])
    func dates(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).dateTimeText == text)
    }
}
