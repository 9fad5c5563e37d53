// The help: each command has all sections, and every example in it runs. CompletionTests tests the completions in
// shells.

import Foundation
import StanzaCLI
import TestSupport
import Testing

@Suite("Help", .serialized, .timeLimit(.minutes(60)))
struct HelpTests {
    private static let commands = [[], ["find"], ["explain"], ["repl"], ["form"], ["lint"], ["conformance"]]

    private static func help(_ command: [String]) -> [String] { stanza(["help"] + command, input: []).lines }

    /// The exit code of each example, and a part of its output.
    private static let examples: [String: (code: Int32, output: String)] = [
        "stanza '/message/body#' session.jsonl": (0, "hello\n"),
        "stanza -r --stats 'body#' logs": (0, "one\n"),
        "stanza --member stanza --row 'body=body#' --row at=.time app.jsonl": (0, "body   at\nhello  10:00\n"),
        "stanza explain '/<type=error>@id'": (0, "attribute id"),
        "stanza conformance Grammar/conformance": (0, " passed, 0 failed\n"),
        "stanza --generate-completion-script bash > stanza.bash": (0, ""),
        "stanza find 'body#' chat.log": (0, "one\ntwo\\nlines\n"),
        "stanza find --with-source '/<type=error>@id' server.jsonl client.jsonl": (
            0, "server.jsonl:1:s1\nclient.jsonl:2:c2\n"
        ),
        "stanza find --arg urn:xmpp:mam:2 '{*}query<xmlns=%@>@queryid' s.xml": (0, "q1\n"),
        "stanza find --json '{urn:xmpp:delay}delay@stamp|datetime' < chat.log": (0, #"{"datetime": 1031699305.0}"#),
        "stanza find --check '/message<type=groupchat>' < s.xml && echo room": (0, "room\n"),
        "stanza find --jobs 4 --count '/presence' session.jsonl": (0, "1\n"),
        "stanza find --count --query 'body#' --query '/@id' session.jsonl": (0, "1:1\n2:"),
        "stanza find --row from=/@from --row 'body=body#' --csv chat.log": (0, "from,body\n,one\n,\"two\nlines\"\n"),
        "split --filter=\"stanza find --format lines '/message/body#'\" session.jsonl": (0, "hello\n"),
        "stanza explain '{urn:xmpp:mam:2}fin@complete|bool'": (0, "Results: bool\n"),
        "stanza explain --ignore-case '/<type=error>'": (0, "Program:\n"),
        "stanza explain --bytes 'body#'": (0, "strings, each after its length:"),
        "stanza explain --on session.jsonl '/message/body#'": (0, "\n  +   <body>hello</body>  → hello\n"),
        "stanza explain '/message/body#' --stats session.jsonl chat.log": (0, "\n3 results in 3 of 4 stanzas; "),
        "stanza explain --trace session.jsonl --stanza 2 '/<type=%@>' --arg error": (
            0, "Trace on session.jsonl:2:\n"
        ),
        "stanza explain --set routes.txt more-routes.txt": (
            0, "3 queries\nchild {urn:x}a\n    0  {urn:x}a\n    filter k = \"…\"\n        1  {urn:x}a<k=%@> \"…\"\n"
        ),
        "stanza repl session.jsonl": (0, ""),
        "echo '/message/body#' | stanza repl session.jsonl": (0, "hello\n"),
        "printf ':set args error\\n/<type=%%@>@type\\n' | stanza repl session.jsonl": (0, "error\n"),
        "stanza lint Sources": (1, "Sources/a.swift:1:14: error: unknown conversion 'integer'"),
        "stanza lint --disable check-of-bool --sarif Sources > lint.sarif": (1, ""),
        "stanza form room.xml": (0, "Room\n====\n"),
        "stanza form room.xml --set muc#roomconfig_roomname=Elsinore --id 2": (0, "<value>Elsinore</value>"),
        "stanza form room.xml --cancel --id 2": (0, "type='cancel'"),
        "stanza form room.xml --submit --id 2 | stanza find '/@type'": (0, "set\n"),
        "stanza conformance my.json || echo 'not yet'": (0, "0 passed, 1 failed\nnot yet\n"),
        "stanza conformance --program 'python3 my.py' Grammar/conformance": (1, "0 passed, 0 failed, "),
    ]

    /// The files that the examples read.
    private static let files = [
        "session.jsonl": """
        {"xml": "<message><body>hello</body></message>"}
        {"xml": "<presence type='error'/>"}
        """,
        "chat.log": """
        <message><body>one</body><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></message>
        <message><body>two&#10;lines</body></message>
        """,
        "app.jsonl": #"{"time": "10:00", "stanza": "<message><body>hello</body></message>"}"#,
        "logs/a.log": "10:00 RECV <message><body>one</body></message>", "logs/b/c.txt": "no stanza",
        "server.jsonl": #"{"xml": "<iq type='error' id='s1'/>"}"#,
        "client.jsonl": "{\"xml\": \"<iq/>\"}\n{\"xml\": \"<iq type='error' id='c2'/>\"}",
        "s.xml": InputFormatTests.header + """
            <message type='groupchat'/><iq><query xmlns='urn:xmpp:mam:2' queryid='q1'/></iq></stream:stream>
            """,
        "room.xml": """
        <iq type='result' from='room@s'><query xmlns='http://jabber.org/protocol/muc#owner'>\
        <x xmlns='jabber:x:data' type='form'><title>Room</title>\
        <field var='muc#roomconfig_roomname' type='text-single'/></x></query></iq>
        """,
        "Sources/a.swift": #"a.check("b@c|integer"); import StanzaQuery"#,
        "routes.txt": "{urn:x}a\n{urn:x}a<k=%@>\n", "more-routes.txt": "\n/@id",
        "my.py": #"for _ in open(0): print('{"unsupported": "anything"}', flush=True)"#,
        "my.json": #"{"tests": [{"name": "n", "xml": "<a/>", "query": "", "results": []}]}"#,
    ]

    @Test("has all sections, and fits a terminal", arguments: commands)
    func sections(command: [String]) {
        let lines = Self.help(command)
        for section in ["INPUT", "EXIT CODES", "EXAMPLES"] { #expect(lines.contains(section)) }
        #expect(lines.contains("OUTPUT") || command.isEmpty)
        #expect(lines.contains { $0.hasPrefix("USAGE: stanza") })
        // The rest is wrapped to the terminal's width.
        #expect(lines.prefix { !$0.hasPrefix("USAGE:") }.allSatisfy { !$0.hasPrefix(" ") || $0.count <= 80 })
        // The rows of a table are short enough not to continue below the first column.
        for (row, next) in zip(lines, lines.dropFirst()) where row.hasPrefix("  ") && !next.hasPrefix(" ") {
            #expect(next.first?.isUppercase ?? true, "\(next)")
        }
        #expect(lines == stanza(command + ["--help"], input: []).lines)
        #expect(lines.contains { $0.hasSuffix("the output cannot be written") })
    }

    @Test("describes the input, the output and its end")
    func outputRules() async throws {
        #expect(Self.help(["find"]).joined(separator: " ").contains("Tabs stay"))
        #expect(Self.help(["find"]).joined(separator: " ").contains("with the stanza in its member 'xml'"))
        // The words below the drawing are explained.
        let explained = Self.help(["explain"]).joined(separator: " ")
        for word in ["matched", "visited", "rejected"] {
            #expect(explained.contains("(\(word))"))
            #expect(
                stanza(["explain", "--on", "f", "/a"], input: [], files: ["f": "<a/>"]).output.contains("\(word): "))
        }
        #expect(stanza("find", "/a#", input: "<a>x\ty\u{85}z</a>").output == "x\ty\\u0085z\n")
        for command in [[], ["find"]] {
            #expect(Self.help(command).joined(separator: " ").contains("as 'head' does"), "\(command)")
        }
        let result = try await Shell.run(
            "{ stanza find '/$' f; echo $? > code; } | head -1; cat code",
            files: ["f": String(repeating: "<a/>\n", count: 100_000)])
        #expect(result.output == "a\n0\n")
    }

    @Test("lists the environment and the files that a command reads")
    func surroundings() {
        for command in [[], ["repl"]] {
            let lines = Self.help(command)
            #expect(lines.contains("ENVIRONMENT"))
            for name in ["NO_COLOR", "TERM", "HOME"] { #expect(lines.contains { $0.contains(name) }, "\(name)") }
        }
        let lines = Self.help(["repl"])
        #expect(lines.contains("FILES"))
        #expect(lines.contains { $0.hasPrefix("  ~/.stanza_history ") })
    }

    @Test("begins with queries that find as many results in the recorded session")
    func firstQueries() throws {
        let help = Self.help(["find"]).prefix { $0 != "INPUT" }.joined(separator: "\n")
        let rows = help.matches(of: #/\n  (\S+) +'[^:]+: (\d+) /#)
        #expect(rows.count == 3)
        let session = packageFolder.appending(path: "Grammar/corpus/session.jsonl").path
        for row in rows {
            #expect(stanza("find", "--count", String(row.output.1), session).output == "\(row.output.2)\n")
        }
    }

    @Test("has examples that work as described")
    func everyExample() async throws {
        var seen: Set<String> = []
        for command in Self.commands {
            let lines = Self.help(command)
            let start = try #require(lines.firstIndex(of: "EXAMPLES"))
            let examples = lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
            #expect(!examples.isEmpty)
            for example in examples where seen.insert(example).inserted {
                let expected = try #require(Self.examples[example], "\(example)")
                let result = try await Shell.run(example, files: Self.files)
                #expect(result.code == expected.code, "\(example)")
                let isPrinted =
                    expected.output.isEmpty ? result.output.isEmpty : result.output.contains(expected.output)
                #expect(isPrinted, "\(example): \(result.output)")
            }
        }
        #expect(seen == Set(Self.examples.keys))
    }

    @Test("lists the commands")
    func unknownCommand() {
        let result = stanza("fnd", "x", "--json")
        #expect(result.status == .usage)
        #expect(
            result.errorLines.first
                == "Error: unknown command 'fnd'; did you mean 'find'?")
        #expect(
            stanza("help", "query").errorLines.first
                == "Error: unknown command 'query'; expected one of: "
                + "find, explain, repl, form, lint, conformance"
        )
        for (misspelt, meant) in [
            ("explian", "explain"), ("frm", "form"), ("conformence", "conformance"), ("lnit", "lint"),
        ] {
            #expect(stanza(misspelt).errorLines.first?.hasSuffix("did you mean '\(meant)'?") == true, "\(misspelt)")
        }
        #expect(
            stanza("help", String(repeating: "f", count: 100_000)).errorLines.first?.contains("expected one of: find")
                == true)
        #expect(
            stanza().errorLines.first
                == "Error: Name a command; expected one of: find, explain, repl, form, lint, conformance")
        #expect(stanza("help").output == stanza("--help").output)
        let help = stanza("help", "fnd")
        #expect(
            help.status == .usage && help.errors.hasPrefix("Error: unknown command 'fnd'; did you mean 'find'?"))
    }

    /// The example of the doc comment.
    @Test("of a command that another program runs")
    func embedded() {
        let sink = MemorySink()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(sink), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        let status = StanzaCommand.run(["explain", "body#"], on: console)
        #expect(status == .success)
        #expect(sink.text.contains("yield  text"))
    }

    @Test("shows the version")
    func version() {
        #expect(stanza("--version").lines == [StanzaCommand.version])
        #expect(StanzaCommand.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    @Test("has completions that every shell's script holds", arguments: ["bash", "zsh", "fish"])
    func completionScripts(shell: String) {
        let result = stanza("--generate-completion-script", shell)
        #expect(result.status == .success)
        #expect(result.errors.isEmpty)
        for word in ["find", "explain", "conformance", "jobs", "no-progress", "fragments", "trace"] {
            #expect(result.output.contains(word), "\(word)")
        }
        #expect(stanza("--generate-completion-script", "tcsh").status == .usage)
    }
}
