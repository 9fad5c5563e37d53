// Logs: elements among any text, limits, and hostile text. Tests/Inputs/commands/logs.txt has logs of other programs.

import Foundation
import TestSupport
import Testing
import XMLTree

@testable import StanzaCLI

@Suite("Logs", .timeLimit(.minutes(60)))
struct LogTests {
    /// A string begins long before its element.
    private static let longText = String(repeating: "y", count: 3_000)
    private static let longLine = #"1 ""# + longText + #"", "<a b=\"c\"/>""#

    @Test(
        "have elements among anything",
        arguments: [
            ("x <a/>y<b>z</b>", ["a", "b"]), ("1 <a><b/></a", ["b"]), ("1 <a><b/></c><d/>", ["b", "d"]),
            ("1 <a\n<b/>", ["b"]), ("1 < a/> <1/> <a:1/> <:a/> <-a/> <b/>", ["b"]),
            ("1 <a b='>'/><c d=\">\"/>", ["a", "c"]),
            ("1 <p:a/> <b/>", ["b"]), ("1 <a><![CDATA[<b/>]]><!-- <c/> --></a>", ["a"]), ("1 <!-- <c/> -->", ["c"]),
            ("1 <a><![CDATA[ <b/>", ["b"]), ("1 <a x=1/><b/>", ["b"]), ("1 </a><b/>", ["b"]),
            ("\u{1B}[36m10:00\u{1B}[0m IN <a/>", ["a"]),
            // Logs cut stanzas, and write headers alone.
            ("10:00 IN <message><body>cut\n10:01 IN <iq/>", ["iq"]),
            ("10:00 List<String> x\n10:01 IN <iq><q/></iq>", ["iq"]),
            ("IN: <iq id='1'>\nIN: <iq><q/></iq>\n", ["iq"]), ("to <host>\n<iq><q/></iq>\n", ["iq"]),
            ("10:00 <stream:stream to='x'>\n10:01 <a/>\n10:02 </stream:stream>", ["a"]),
            ("10:00 <message><forwarded><message/></forwarded></message>", ["message"]),
            ("10:00 <message>\n<forwarded>\n  <message/>\n</forwarded>\n</message>", ["message"]),
            // Strings, also after a header alone.
            (#"2024-05-01 1: <iq>"# + "\n" + #"2024-05-01 2: "<a b=\"c\"/>""#, ["a"]),
            (#"1 "<a b=\"c\"><\/a>""#, ["a"]), (#"1 <<"<a>\303\251\n</a>">>"#, ["a"]),
            (#"1 "<a b='\u00e9\ud83d\ude00'\/>""#, ["a"]),
            (#"1 "\u003ca b=\"c\"\u003e\u003cb/\u003E\u003C\/a\u003e", "<c/>" <0.1.0>"#, ["a", "c"]),
            (#"<1> "\u003ca/\u003e" <b/>"# + "\n" + #"1 <b/> "\u003cc/\u003e""#, ["a", "b", "b", "c"]),
            // The first stanza decides whether escapes are text.
            (
                "10:00 IN:\n<iq>\n<a>\n" + #"{"b":"\u003cb\u003e"}"# + "\n</a></iq>\n" + #"10:01 "\u003cb/\u003e""#,
                ["iq"]
            ),
            (#"1 "\u003ca/\u003e"# + longText + #"\u003cb/\u003e" <c/>"#, ["a", "b", "c"]),
            ("1 <iq/>" + longText + #"\u003cb/\u003e" <c/>"#, ["iq", "c"]),
            (#"1 "\\u003ca/\\u003e", "\u003ca\n/\u003e""#, ["a"]), (#"1 \u003ca/\u003e"#, []),
            (#"1 <a b='\"'/>"#, ["a"]), ("é <a/>", ["a"]), ("text", []), ("<0.1.0> <a/>", ["a"]),
            ("<<\"<a/>\">>", ["a"]), (longLine, ["a"]),
            // Cut sections end with their entry.
            ("10:00:00 x: <a><![CDATA[cut\n10:00:01 x: <iq/>\n10:00:02 x: <b><![CDATA[c]]></b>", ["iq", "b"]),
            ("10:00:00 x: <a><!-- cut\n10:00:01 x: <iq/>\n10:00:02 x: <b><!----></b>", ["iq", "b"]),
            ("10:00:00 x: <nick> see <!here\n10:00:01 x: <iq/>", ["iq"]), ("1 <nick> <?php\n<a/>", ["a"]),
            ("to <host>: <iq><q/></iq>", ["iq"]), ("GOT: <iq id='1'>\nSENT: <iq/>\n", ["iq"]),
            ("10:00:00 x: <a><message><message><b/></message></message></a>", ["a"]),
            // Only a stanza begins an entry: a prefix may precede each line.
            ("10:00:00 IN: <message>\n10:00:01 IN: <body/></message>\n10:00:01 IN: <r/>", ["message", "r"]),
            ("10:00:00 IN: <iq>\n10:00:00 IN: <item/><message/></iq>\n10:00:01 IN: <iq/>", ["iq", "iq"]),
            ("GOT: <message>\n<iq/>\n<iq/>", ["iq", "iq"]),
            ("10:00:00 IN: <iq><cut>\n10:00:01 IN: <r/>\n10:00:01 IN: <iq/>", ["r", "iq"]),
        ])
    func anything(input: String, names: [String]) {
        for length in [1, 3, 100_000] {
            let result = stanza(["find", "/$"], input: pieces(input, of: length))
            #expect(result.lines == names, "\(input), \(length)")
            #expect(result.status == (names.isEmpty ? .nothing : .success))
            #expect(result.errors == (names.isEmpty ? "no stanza in the input\n" : ""))
        }
    }

    /// The elements in a stanza beyond a limit do not count as stanzas.
    @Test("report stanzas beyond a limit", arguments: [(7, 40), (100_000, 40), (7, 4_000)])
    func limits(pieceLength: Int, extent: Int) {
        let deep = String(repeating: "<a>", count: extent) + String(repeating: "</a>", count: extent)
        let long = "<message><b/><body>\(String(repeating: "x", count: 100 * extent))</body></message>"
        for (stanzaText, limit) in [
            ("<message>\(deep)</message>", extent < 2_000 ? "deep" : ""), (long, "bytes"), ("<message>\(deep)", ""),
        ] {
            let text = "10:00:00.1 IN: <iq/>\n10:00:00.2 IN: \(stanzaText)\n10:00:00.3 IN: <iq/>\n"
            let options = ["--max-depth", "20", "--max-stanza-bytes", "2000"]
            let result = stanza(["find", "/$"] + options, input: pieces(text, of: pieceLength))
            let isCut = !stanzaText.hasSuffix("</message>")
            #expect(result.lines.filter { $0 != "a" } == ["iq", "iq"], "\(stanzaText.prefix(40))")
            #expect(isCut || !result.lines.contains("a"))
            #expect(isCut || result.errors.contains("-:2:"), "\(result.errors)")
            #expect(limit.isEmpty || result.errors.contains(limit), "\(result.errors)")
            #expect(isCut || result.status == .badInput)
            let filtered = stanza(["find", "/message/body#"] + options, input: pieces(text, of: pieceLength))
            #expect(limit != "bytes" || filtered.errors.contains("-:2:"), "\(filtered.errors)")
        }
    }

    /// Entries without the literals of a query are passed over, and the parser gets whole ones without a scan. In short
    /// pieces, the scanner reads everything.
    @Test("give the same results with and without filters, and in long and short pieces")
    func entries() {
        let entries = [
            "RECV: <message><body>needle</body></message>", "SEND: <iq type='get'><ping xmlns='urn:xmpp:ping'/></iq>",
            "Received[c2s]: <iq type='get'>", "text", "List<String> -> x", "RECV: <r/>", "RECV: <r x='>' />",
            "RECV: <message><body>two\nlines</body></message>", "RECV: <message>\n <body>x</body>\n</message>\r",
            "\"<message><body a=\\\"b\\\">needle</body></message>\"", "x <y", "RECV: <r/><a/>", "RECV: <r/> <a",
            "RECV: </stream:stream>", "RECV: <stream:stream xmlns:stream='s'><r/></stream:stream>",
            // Not well-formed between tags that match.
            "RECV: <message><body>a</r></message>", "RECV: <message><r/><body></message>", "RECV: <a x=1><r/></a>",
            "RECV: <p:message><r/></p:message>", "RECV: <r/></message>", "RECV: <message><![CDATA[</r>]]></message>",
            "RECV: <message><message><r/></message></message>", "RECV: <message>\n<message><r/></message>\n</message>",
            "RECV: <message>\n<messages><r/></messages>\n</message>",
            // Lines that begin as the log's do.
            "RECV: <message><body>a\n2024-05-01 10:00:00 b</body></message>",
            "RECV: <message><body>a\n2024-05-01 10:00:00 <r/></body></message>",
            "RECV: <message><body>a\n2025 </body></message>", "<pth:0x16f> <1> <r></r>", "<r <r></r>", "<!-- <r/> -->",
        ]
        var random = SeededGenerator(salt: 9)
        for round in 0..<SeededGenerator.cases(default: 2) {
            let some = (0..<random.pick([3, 40])).map { _ in random.pick(entries) }
            let lines = (0..<2_000).map { number in
                "2024-05-01 10:00:\(10 + number % 50) [debug] <0.\(number).0> \(random.pick(some))\n"
            }
            // The first piece shows how the log begins its lines.
            let text = "2024-05-01 10:00:00 [debug] <0.0.0> <r/>\n" + lines.joined()
            let length = random.pick([1_000, 50_000])
            for query in ["body#", "{urn:xmpp:ping}ping", "body<a=b>#", "/r", "/$", "/nowhere"] {
                let find = [
                    "find", "--tsv", "--row", "found=\(query)", "--row", "t=.time", "--row", "d=.direction",
                    "--with-source",
                ]
                let all = stanza(find + ["--parse-all"], input: pieces(text, of: 30))
                for options in [[], ["--parse-all"]] {
                    let result = stanza(find + options, input: pieces(text, of: length))
                    let context = "STANZA_SEED=\(SeededGenerator.seed), round \(round): \(query), \(options)"
                    #expect(result.output == all.output, "\(context)")
                    if result.output != all.output { return }
                }
            }
        }
    }

    @Test("give the same elements in pieces of any length")
    func anyPieces() {
        let tokens = [
            "<a>", "</a>", "<b c='", "'>", "</b>", "<d/>", "\n", "10:00 IN ", "\"", "\\", " <0.1> ", "<message>",
            "</message>",
            "<iq/>", "<![CDATA[", "]]>", "<!--", "-->", "text", "<stream:stream>", "  ", "<?", "?>", "<", ">",
        ]
        var random = SeededGenerator(salt: 7)
        for round in 0..<SeededGenerator.cases(default: 200) {
            let text = Array((0..<random.pick([5, 20, 60])).map { _ in random.pick(tokens) }.joined().utf8)
            let whole = Self.scan(text, pieces: text.count)
            let length = random.pick([1, 2, 3, 10])
            #expect(
                Self.scan(text, pieces: length) == whole,
                "STANZA_SEED=\(SeededGenerator.seed), round \(round), \(length): \(String(decoding: text, as: UTF8.self))"
            )
        }
    }

    private static func scan(_ text: [UInt8], pieces length: Int) -> [LogScanner.Found] {
        var scanner = LogScanner(limits: .stanza)
        var found: [LogScanner.Found] = []
        let ends = stride(from: 0, to: text.count, by: max(length, 1)).map { Optional(min($0 + length, text.count)) }
        for end in ends + [nil] {
            let base = scanner.neededFrom
            text[base..<(end ?? text.count)].withUnsafeBytes {
                found += scanner.scan($0, from: base, isEnd: end == nil)
            }
        }
        return found
    }

    @Test(
        "that are hostile need bounded memory",
        arguments: [
            "<a>", "<a><b/>", "<a b='", "<a b='<", "<a><![CDATA[", "<a><!--", "<", "</a>", "<a", "<a></b>", " ",
            "\"<a b=\\\"", "<a>\n1 ", "<message>", "10:00 <a>\n", "<a>-", "<a/>", "x <y ",
        ])
    func hostile(unit: String) {
        var limits = ParserLimits.stanza
        limits.bytes = 1 << 13
        let text = Array((unit * ((1 << 16) / unit.utf8.count)).utf8)
        var scanner = LogScanner(limits: limits)
        for piece in stride(from: 0, to: text.count, by: 1 << 12) {
            let (base, end) = (scanner.neededFrom, min(piece + 1 << 12, text.count))
            #expect(end - base <= limits.bytes + 2 << 12 + LogScanner.context)
            text[base..<end].withUnsafeBytes { _ = scanner.scan($0, from: base, isEnd: false) }
        }
    }

    @Test(
        "cost the command linear time, whatever is in them",
        arguments: [
            // With filters that look for whole entries.
            (["body#"], "2024-05-01 10:00:00 x <y \n", "|"), (["body#"], "2024-05-01 10:00:00 <a>\n", "|"),
            (["body#"], "2024-05-01 10:00:00 x\n", "2024-05-01 10:00:00 x <a/>\n|"),
            (["body#"], "<a", "2024-05-01 10:00:00 x <a/>\n2024-05-01 10:00:00 |"),
            (["/$"], "2024-05-01 10:00:00 <a><b></a>\n", "|"), (["/$"], "<![CDATA[", "2024-05-01 10:00:00 <a>|"),
            (["b"], "<a><b/>", "10:00 |"), (["--max-depth", "100000", "b"], "<a><b/>", "10:00 |"),
            (["b"], "<a b='<", "10:00 |"), (["b"], "<a><!--", "10:00 |"), (["b"], "\"<a b=\\\"", "10:00 |"),
            // With a time and a direction to look for.
            (["--row", "t=.time", "--row", "n=/$"], "Mon  1 1:1 <a/>", "10:00 |"),
            (["--row", "t=.time", "--row", "n=/$"], "00-00-00 00:00:0 \n<a/>", "10:00 |"),
            // In JSON lines.
            (["--member", "a.b.c", "/$"], #"{"a":"#, "|"), (["--member", "a.b", "/$"], "{\"a\":{\"b\":1}}\n", "|"),
            (["--member", "z", "/$"], #""a": {"b": "<"}, "#, #"{|"z": "<a/>"}"#),
            (["--member", "a", "/$"], #"\u003ca>"#, #"{"a":"|"}"#), (["--row", "x=.a", "/$"], #"[{"a": "#, #"{"a":|"#),
            // In columns.
            (["--row", "x=/#", "--row", "y=/#"], "&#9;\\\"&#10;", "<a>|</a>"),
            (["--csv", "--row", "x=/#", "--row", "y=/#"], "&#9;\\\"&#10;", "<a>|</a>"),
            (["--row", "x=/@a", "--row", "y=/@b"], "<a a='&#9;'/>", "<a/>|"),
            // In containers.
            (["--each", "*", "/$"], "<a/>", "<r>|</r>"), (["--each", "*", "/$"], "<a/>", "<a><b>|</b><b/></a>"),
        ] as [([String], String, String)])
    func hostileCommand(arguments: [String], unit: String, around: String) {
        let parts = around.split(separator: "|", omittingEmptySubsequences: false)
        expectLinear(unit) {
            CommandRun(
                arguments: ["find", "--max-stanza-bytes", "9999999"] + arguments,
                input: parts.joined(separator: unit * $0))
        } _: { result, _ in
            [.success, .nothing, .badInput].contains(result.status)
        }
    }
}
