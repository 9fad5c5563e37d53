// Logs: the samples of other programs, escapes, cut stanzas, and hostile text.

import Foundation
import TestSupport
import Testing
import XMLTree

@testable import StanzaCLI

@Suite("Logs", .timeLimit(.minutes(60)))
struct LogTests {
    private static let folder = packageFolder.appending(path: "Tests/StanzaCLITests/Logs")
    private static let forwarded = "{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{jabber:client}message"

    /// The name of each stanza, its text, and the time and the direction of its line.
    private static let samples: [(file: String, arguments: [String], rows: [String])] = [
        ("bosh.xml", ["--each", "{jabber:client}*"], ["message Hi from BOSH||", "message Two from BOSH||"]),
        ("dino.log", [], ["message Hi from Dino|10:00:00|out", "message Reply to Dino|10:00:01|in"]),
        (
            "ejabberd.log", [],
            [
                "iq |2014-09-21 04:49:25.713|in",
                "message Hi from ejabberd|2024-05-01 10:00:00.123456+02:00|in",
                "r |2024-05-01 10:00:00.223456+02:00|out",
                #"message Quoted "x"|2024-05-01 10:00:00.323456+02:00|in"#,
            ]
        ),
        ("gajim.xml", [], ["message Hi from Gajim||", "iq ||", "message Second from Gajim||"]),
        (
            "gajim.xml", ["--format", "log"],
            ["message Hi from Gajim|10:00:00|in", "iq |10:00:01|out", "message Second from Gajim|10:00:02|in"]
        ),
        ("mam.xml", ["--each", forwarded], ["message Hi from the archive||", "message Second||"]),
        ("monal.jsonl", ["--member", "message"], ["message Hi from Monal||", "r ||"]),
        (
            "monal.jsonl", ["--format", "log"],
            ["message Hi from Monal|2024-05-01 10:00:00:123|in", "r |2024-05-01 10:00:00:124|out"]
        ),
        (
            "monal.log", [],
            ["message Hi from Monal|2024-05-01 10:00:00:123|in", "r |2024-05-01 10:00:00:124|out"]
        ),
        (
            "other.jsonl", ["--member", "xml", "--member", "stanza"],
            ["message Hi from my own JSON|2024-05-01T10:00:00Z|", "message Two|2024-05-01T10:00:01Z|"]
        ),
        (
            "pidgin.log", [],
            [
                "iq |14:08:01|out", "message Hi from Pidgin|14:08:01|in", "message Two in one read|14:08:01|in",
                "message Split overtwo reads|14:08:02|in",
            ]
        ),
        (
            "profanity.log", [],
            ["message Hi from Profanity|01/05/24 10:00:00|out", "message Reply|01/05/24 10:00:01|in"]
        ),
        ("prosody.log", [], ["message Hi from prosody|May 01 10:00:01|in", "message Two|May 01 10:00:02|out"]),
        ("pubsub.xml", ["--each", "{http://jabber.org/protocol/pubsub}pubsub/items/item"], ["item ||", "item ||"]),
        (
            "slixmpp.log", [],
            [
                "features |2024-03-08 16:30:30,100|in", "message Hi from slixmpp|2024-03-08 16:30:31,200|in",
                #"message Answer\nwith a second line|2024-03-08 16:30:31,210|out"#,
            ]
        ),
        (
            "smack.log", [],
            [
                "message Hi from Smack|10:00:02|out", "r |10:00:02|out", "a |10:00:03|in",
                "message Reply in two reads|10:00:03|in",
            ]
        ),
        ("tcpdump.txt", [], ["message Hi from tcpdump|12:00:00.123456|", "iq |12:00:00.223456|"]),
        (
            "wireshark.txt", [],
            ["features ||", "message Hi from Wireshark||", #"message Reply\nwith two lines||"#, "r ||"]
        ),
        ("wsframes.txt", [], ["open ||", "message Hi from WebSocket||"]),
        (
            "xep0227.xml", ["--each", "host/user/{urn:xmpp:pie:0#mam}archive/" + forwarded],
            ["message Hi from the archive||", "message Second||"]
        ),
    ]

    @Test("of other programs give their stanzas, and nothing else", arguments: samples.indices)
    func sample(index: Int) throws {
        let (file, arguments, rows) = Self.samples[index]
        let path = Self.folder.appending(path: file).path
        let columns = ["name=/$", "text=body#", "time=.time", "direction=.direction"].flatMap { ["--row", $0] }
        let expected = rows.map { row in
            let space = row.firstIndex(of: " ") ?? row.endIndex
            return String(row[..<space]) + "\t" + String(row[space...].dropFirst()).replacing("|", with: "\t")
        }
        let find = ["find", "--tsv"] + columns + arguments
        let result = stanza(find + [path], input: [])
        #expect(Array(result.lines.dropFirst()) == expected, "\(file)")
        #expect(result.status == .success && result.errors.isEmpty, "\(result.errors)")
        let bytes = try Array(Data(contentsOf: Self.folder.appending(path: file)))
        for length in [1, 7] {
            #expect(Array(stanza(find, input: pieces(bytes, of: length)).lines.dropFirst()) == expected, "\(file)")
        }
        let messages = rows.filter { $0.hasPrefix("message") }.map {
            $0.dropFirst("message ".count).prefix { $0 != "|" }
        }
        // The filters pass over no stanza with a result, and the threads share nothing.
        for options in [["--parse-all"], ["--jobs", "2"], []] {
            let texts = stanza(["find", "body#", path] + arguments + options, input: []).lines
            #expect(texts == messages.map { String($0) }, "\(file) \(options)")
        }
    }

    /// The commands of the article on logs.
    private static let recipes: [(command: String, output: String)] = [
        ("stanza '/message/body#' prosody.log", "Hi from prosody\nTwo\n"),
        (
            "stanza --row at=.time --row way=.direction --row 'text=body#' pidgin.log",
            "at        way  text\n14:08:01  in   Hi from Pidgin\n14:08:01  in   Two in one read\n"
                + "14:08:02  in   Split overtwo reads\n"
        ),
        (
            "stanza --query '/message' --row from=/@from --row 'text=body#' --csv slixmpp.log",
            "from,text\nb@example.org/x,Hi from slixmpp\n,\"Answer\nwith a second line\"\n"
        ),
        ("stanza '/message/body#' gajim.xml", "Hi from Gajim\nSecond from Gajim\n"),
        ("stanza '/message/body#' wsframes.txt", "Hi from WebSocket\n"),
        ("stanza '/message/body#' dino.log", "Hi from Dino\nReply to Dino\n"),
        ("stanza '/message/body#' ejabberd.log", "Hi from ejabberd\nQuoted \"x\"\n"),
        ("stanza '/message/body#' monal.log", "Hi from Monal\n"),
        ("stanza '/message/body#' profanity.log", "Hi from Profanity\nReply\n"),
        ("stanza '/message/body#' smack.log", "Hi from Smack\nReply in two reads\n"),
        ("stanza '/message/body#' tcpdump.txt", "Hi from tcpdump\n"),
        ("stanza '/message/body#' wireshark.txt", "Hi from Wireshark\nReply\\nwith two lines\n"),
        ("stanza --member message '/message/body#' monal.jsonl", "Hi from Monal\n"),
        (
            "stanza --member stanza --row at=.time --row way=.dir --row 'text=body#' other.jsonl",
            "at                    way  text\n2024-05-01T10:00:00Z  in   Hi from my own JSON\n"
                + "2024-05-01T10:00:01Z  in   Two\n"
        ),
        ("stanza --each '{jabber:client}*' '/message/body#' bosh.xml", "Hi from BOSH\nTwo from BOSH\n"),
        (
            "stanza --each '{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{jabber:client}*' '/message/body#' mam.xml",
            "Hi from the archive\nSecond\n"
        ),
        (
            """
            stanza --each '{http://jabber.org/protocol/pubsub}pubsub/items/item' --row id=/@id --row 'title={*}entry/title#' pubsub.xml
            """, "id  title\na   Hi from a node\nb   Second\n"
        ),
        (
            """
            stanza --each 'host/user/{urn:xmpp:pie:0#mam}archive/{*}*/{urn:xmpp:forward:0}forwarded/{jabber:client}*' '/message/body#' xep0227.xml
            """, "Hi from the archive\nSecond\n"
        ),
        (
            "stanza -r --with-source --query-file queries.txt logs",
            "1:logs/a.log:1:one\n2:logs/a.log:1:message\n2:logs/b/c.log:1:iq\n"
        ),
    ]

    @Test("are searched as the documentation says", arguments: recipes.indices)
    func recipe(index: Int) async throws {
        var files = [
            "queries.txt": "body#\n/$\n", "logs/a.log": "1 <message><body>one</body></message>",
            "logs/b/c.log": "2 <iq/>", "logs/.hidden": "3 <iq/>", "logs/c": "\u{7F}ELF\u{0}",
        ]
        for sample in Set(Self.samples.map { $0.file }) {
            files[sample] = try String(contentsOf: Self.folder.appending(path: sample), encoding: .utf8)
        }
        let (command, output) = Self.recipes[index]
        let result = try await Shell.run(command, files: files)
        #expect(result.code == 0 && result.output == output, "\(command): \(result.output)")
    }

    @Test("are followed until Ctrl-C, also when they become shorter, or another file takes their name")
    func follow() async throws {
        let script = """
            echo "1 <a type='error'/>" > ejabberd.log
            stanza --follow --with-source '/<type=error>' ejabberd.log > out & pid=$!
            (sleep 100; kill -9 $pid) > /dev/null 2>&1 &
            wait_for() { n=0; until grep -q "<$1" out || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done; }
            wait_for a; printf '2 <b' >> ejabberd.log; echo " type='error'/>" >> ejabberd.log
            wait_for b; echo "<e type='error'/>" >> ejabberd.log; echo "3 <c type='error'/><x>" > g; mv g ejabberd.log
            wait_for c; echo "4 <d type='error'/>" > ejabberd.log
            wait_for d; kill -INT $pid; wait $pid; echo $? >> out; cut -d' ' -f1 out
            stanza --follow '/$' < ejabberd.log 2>&1 >/dev/null | head -1
            """
        // A script's background processes ignore Ctrl-C, but not with job control, which bash has without a terminal.
        let result = try await Shell.run("set -m\n" + script, by: "/bin/bash")
        let file = "ejabberd.log"
        #expect(
            result.output.hasPrefix(
                "\(file):1:<a\n\(file):2:<b\n\(file):3:<e\n\(file):1:<c\n\(file):1:<d\n130\nError: --follow takes one file."
            ),
            "\(result.output)")
    }

    @Test("are decompressed, or the file is reported", arguments: ["gzip", "xz", "bzip2", "zstd"])
    func compressed(program: String) async throws {
        guard
            ["/bin", "/usr/bin"].contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") })
        else { return }
        let script = """
            \(program) -c f > f.packed
            stanza '/$' f.packed; stanza --jobs 2 --count '' f f.packed; stanza --first '/$' f.packed
            head -c 20 f.packed > cut; stanza --count /none cut; echo $?
            PATH=${PATH%%:*} stanza '/$' f.packed 2>&1; echo $?
            """
        let result = try await Shell.run(script, files: ["f": "1 <a/>\n<b/>" + String(repeating: " x", count: 3_000)])
        let name = program
        #expect(
            result.output.hasPrefix("a\nb\n4\na\n0\n3\nstanza: f.packed:1:1: this is compressed (\(name)); "),
            "\(result.output)")
        #expect(result.output.hasSuffix("\n3\n"))
    }

    @Test("have a test for each sample, and for each command of the article")
    func allSamples() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Self.samples.map { $0.file }))
        let article = packageFolder.appending(path: "Sources/StanzaCLI/StanzaCLI.docc/SearchingLogs.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).matches(of: /```sh\n([^`]*)```/)
        let commands = blocks.flatMap { $0.1.split(separator: "\n") }.map { String($0) }
        // The test of following has this one.
        let follow = "stanza --follow --with-source '/<type=error>' ejabberd.log"
        #expect(Set(commands) == Set(Self.recipes.map { $0.command } + [follow]))
    }

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

    @Test("have escapes in strings only, and prefixes inside of stanzas")
    func contents() {
        for (input, texts) in [
            (#"1 "<a>\u+041\+12\ud83d\ndc00</a>""#, [#"\\u+041\\+12\#u{FFFD}\ndc00"#]),
            (#"1 "<a>\"x\"\\y\n\t\u00e9\303\251\q</a>""#, ["\"x\"\\\\y\\n\téé\\\\q"]), (#"1 <a>\n</a>"#, [#"\\n"#]),
            (#"1 "\u003ca b='\u003e'\u003e\u0026lt;\n\u003cb/\u003ex\u003c/a\u003e""#, [#"<\nx"#]),
            ("2024-01-01 1: <a>x\n2024-01-02 22: y\n2024 z</a>", [#"xy\n2024 z"#]),
            ("(14:08:02) in: <message>\n(14:08:03) in: <b>y</b>x</message>", ["x"]),
            ("a: <a>x\na: y</a>", [#"x\na: y"#]),
        ] {
            #expect(stanza("find", "/#", input: input).lines == texts, "\(input)")
        }
        let places = stanza("find", "--with-source", "/$", input: "é\n1 <a/>\n<b>\n</b> <c/>").lines
        #expect(places == ["-:2:a", "-:3:b", "-:4:c"])
        let stats = stanza("find", "--stats", "/$", input: "1 <a/> <p:b/>\n").errors
        #expect(stats.contains("1 result in 1 stanza; 14 bytes in "), "\(stats)")
        #expect(stats.hasSuffix("; 4 bytes of text passed over, 1 element not well-formed\n"), "\(stats)")
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
        for round in 0..<SeededGenerator.cases(default: 5) {
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
        "that are hostile cost linear time and bounded memory",
        arguments: [
            "<a>", "<a><b/>", "<a b='", "<a b='<", "<a><![CDATA[", "<a><!--", "<", "</a>", "<a", "<a></b>", " ",
            "\"<a b=\\\"", "<a>\n1 ",
            "<message>", "10:00 <a>\n", "<a>-", "<a/>", "x <y ",
        ])
    func hostile(unit: String) {
        var limits = ParserLimits.stanza
        limits.bytes = 1 << 13
        func time(_ length: Int) -> Double {
            let text = Array(String(repeating: unit, count: length / unit.utf8.count).utf8)
            let start = clock()
            var scanner = LogScanner(limits: limits)
            for piece in stride(from: 0, to: text.count, by: 1 << 12) {
                let end = min(piece + 1 << 12, text.count)
                let base = scanner.neededFrom
                #expect(end - base <= limits.bytes + 2 << 12 + LogScanner.context, "\(unit)")
                text[base..<end].withUnsafeBytes { _ = scanner.scan($0, from: base, isEnd: false) }
            }
            return clock() - start
        }
        // The time of this thread alone, once more if another process took the cache.
        var isLinear = false
        for _ in 0..<3 where !isLinear { isLinear = time(1 << 18) / max(time(1 << 16), 0.000_1) < 10 }
        #expect(isLinear, "\(unit)")
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

    @Test("need bounded memory, also when they are decompressed")
    func memory() async throws {
        let script = """
            (printf '1 <a>'; head -c 64000000 /dev/zero | tr '\\0' x; printf '<b/>') > f; gzip -1 < f > f.gz
            ulimit -v 100000
            stanza --row t=.time --row 'n=/$' --tsv f.gz; stanza --member a.b '/$' f.gz
            """
        let result = try await Shell.run(script, by: "/bin/bash")
        #expect(result.output == "t\tn\n\tb\nb\n", "\(result.output)")
    }

    private func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
