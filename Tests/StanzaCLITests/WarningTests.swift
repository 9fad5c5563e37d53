// Queries that are legal but probably wrong: the commands that warn, and when.

import Testing

@testable import StanzaCLI

@Suite("Warnings", .timeLimit(.minutes(60)))
struct WarningTests {
    private static let message = "<message type='chat'><body>one</body></message>"

    /// A query of each kind of remark that has no result here, and its first line.
    private static let doubtful = [
        ("/<type='chat'>", "warning: the quotes are a part of the value, and are compared, too"),
        ("/<type==chat>", "warning: the value begins with '=', which is compared, too"),
        ("message.body", "warning: 'message.body' is one name: segments are separated by '/'"),
        ("/<type=chat><type=error>", "warning: 'type' cannot be 'chat' and 'error' at once"),
    ]

    @Test("are drawn under the query by find, explain and repl", arguments: doubtful)
    func shown(query: String, line: String) throws {
        let found = stanza("find", query, input: Self.message)
        #expect(found.status == .nothing && found.output.isEmpty)
        #expect(found.errorLines.first == line && found.errorLines.dropFirst().first == "  " + query)
        #expect(found.errors.hasPrefix(stanza("explain", query).errors))
        let asked = stanza("repl", "f", input: query, files: ["f": Self.message])
        #expect(asked.errors == "-:1: " + found.errors.replacing("no result", with: "-:1: no result"))
        #expect(asked.status == .success)
    }

    @Test("are not shown next to results, nor if the exit code or other lines are the output")
    func notShown() {
        let quoted = Self.message.replacing("'chat'", with: "\"'chat'\"")
        let found = stanza("find", "/<type='chat'>@type", input: quoted)
        #expect(found.status == .success && found.output == "'chat'\n" && found.errors.isEmpty)
        #expect(stanza("repl", "f", input: "/<type='chat'>@type", files: ["f": quoted]).errors.isEmpty)
        for flags in [["--check"], ["--format", "lines"]] {
            let result = stanza(["find", "/<type='chat'>"] + flags, input: [Array(Self.message.utf8)])
            #expect(result.errors.isEmpty, "\(flags)")
        }
        #expect(!stanza("find", "--ignore-case", "/<a=b><a=B>", input: Self.message).errors.contains("warning"))
        #expect(!stanza("find", "/<type=error>", input: Self.message).errors.contains("warning"))
    }

    @Test(
        "offer repairs that compile and are not doubtful",
        arguments: [
            ("child::body", "body"), ("message/child::body#", "body"),
            ("{*}stream:error", "{http://etherx.jabber.org/streams}error"),
            ("stream:error", "{http://etherx.jabber.org/streams}error"), ("delay:delay@stamp", nil), ("./body", nil),
            ("message.body", "message/body"), ("message.1", nil), ("{*}a:1", nil), ("child::1", nil),
            ("{'urn:x'}a", "{urn:x}a"), ("urn:xmpp:delay:0delay", "{urn:xmpp:delay:0}delay"), ("body/#", "body#"),
            ("/<type=chat or type=error>", "/<type~^(chat|error)$>"), ("/<type=?>", "/<type=%@>"),
            ("/<type='chat'>", "/<type=chat>"), ("/<type==chat>", "/<type=chat>"), ("/<a='='>", nil),
            ("message<type!=error>", "/<type~^(?!error$)>"), (".//{urn:x}a", nil), ("//body", "body"),
            ("a|int", "a#|int"), ("/message[@type='chat']", "/message<type=chat>"),
        ] as [(String, String?)])
    func repairs(query: String, repair: String?) throws {
        let lines = stanza("explain", query).errorLines
        #expect(!lines.isEmpty)
        let hint = lines.compactMap { $0.firstMatch(of: #/did you mean '(.+?)'(\?|$)/#)?.output.1 }.first
        #expect(hint.map { $0.first == "<" ? "/" + $0 : String($0) } == repair)
        if let repair { #expect(stanza("explain", repair).errors.isEmpty) }
    }

    @Test("name the options for a union, and the command for its name elsewhere")
    func otherPrograms() {
        let union = stanza("find", "/message|/presence", input: Self.message)
        #expect(union.errorLines.last == "  did you mean --query '/message' --query '/presence'?")
        let found = stanza("find", "--query", "/message", "--query", "/presence", input: Self.message)
        #expect(found.status == .success)
        // The repaired query has another mistake.
        let filter = stanza("find", "<type=chat or type=groupchat>", input: Self.message).errors
        #expect(filter.hasSuffix("did you mean '/<type~^(chat|groupchat)$>'?\n"), "\(filter)")
        for query in ["body|int", "body@id|date", "/message|", "a<b=c|d", "'a|b'|"] {
            #expect(!stanza("find", query, input: Self.message).errors.contains("--query"), "\(query)")
        }
        let swapped = stanza(["find", "f", "/message/body#"], input: [], files: ["f": Self.message], hasSizes: true)
        #expect(
            swapped.errors == "stanza: f is a file; the query comes first: stanza '/message/body#' f\n"
                && swapped.status == .usage
        )
        let log = stanza("find", "/$", input: "<a/>\n10:00 IN: <a/>").errors
        #expect(log.hasSuffix("; '--format log' passes over text\n"), "\(log)")
        for name in ["grep", "search", "xpath", "select"] {
            let errors = stanza(name, "body#", input: Self.message).errors
            #expect(errors.contains("unknown command '\(name)'; did you mean 'find'?"))
        }
    }

    @Test(
        "say why nothing was found in standard input, of which the beginning is kept",
        arguments: [[], ["--jobs", "2"]])
    func standardInput(options: [String]) {
        let piece = Array(Self.message.utf8)
        func errors(_ pieces: [[UInt8]], _ query: String = "message") -> String {
            stanza(["find", query, "-"] + options, input: pieces).errors
        }
        let reason = "`message` is the stanza itself: write `/message`\n"
        #expect(errors([piece]) == "no result: " + reason)
        let kept = (1 << 20) / piece.count
        func pieces(_ count: Int) -> [UInt8] { Array(String(repeating: Self.message, count: count).utf8) }
        #expect(errors([pieces(kept)]) == "no result: " + reason)
        #expect(errors([pieces(kept), piece]) == "no result; in the first \(kept) stanzas: " + reason)
        let late = [Array(String(repeating: "<iq/>", count: 300_000).utf8), piece]
        #expect(errors(late, "/message#").hasPrefix("no result; in the first "))
        #expect(errors(late, "body").isEmpty && errors([]) == "no stanza in the input\n")
    }

    @Test("say why nothing was found, after a second look at files")
    func nearMisses() {
        let files = [
            "f": Self.message, "g": "<message type='error'><body/></message><iq/>",
            "j": #"{"xml": "<iq/>", "connection": 1}"#,
        ]
        func errors(_ arguments: String...) -> [String] {
            stanza(["find"] + arguments, input: [], files: files, hasSizes: true).errorLines
        }
        #expect(errors("message", "f", "g") == ["no result: `message` is the stanza itself: write `/message`"])
        #expect(
            errors("/message<type=groupchat>", "f", "g")
                == ["no result: `type` is 'chat' in 1, 'error' in 1, never 'groupchat'"])
        #expect(
            errors("/message<type=%@>/Body#", "f", "--arg", "chat")
                == ["no result: no `Body` in `message`, but `body`: write `/message<type=%@>/body#`"])
        #expect(
            errors("--query", "/iq", "--query", "body", "--query", "/body", "f", "g")
                == [
                    "query 3: no result: `body` is in the stanza, and not the stanza itself: write `body`"
                ])
        #expect(
            errors("--query", "/<type=%@>@id", "--query", "/message<type=%@>#", "--arg", "x", "--arg", "chat", "f")
                == [
                    "query 1: no result: `type` is 'chat' in 1, never '%@'",
                    "query 2: no result: `message` has no text, but `body` in it has: write `/message<type=%@>/body#`",
                ])
        #expect(
            errors("--row", "n=.name", "--row", "x=/@fron", "--row", "y=/@fro", "g").map { $0.prefix(14) }
                == ["x: no result: ", "y: no result: "])
        #expect(
            errors("--row", "type=/@type", "--row", "text=Body#", "f")
                == ["text: no result: no `Body` in `message`, but `body`: write `body#`"])
        #expect(
            errors("--row", "type=/@type", "--row", "at=.tim", "f") == ["at: no line has that member"])
        #expect(
            !errors("--row", "c=.connection", "--query", "/presence<type=x>", "j").joined().contains("member"))
        #expect(
            errors("--each", "body", "/bodi#", "f")
                == ["no result: no stanza is `bodi`, only `body`: write `/body#`"])
        #expect(
            errors("--each", "bodi", "/body#", "f")
                == ["--each: no result: no `bodi` in `message`, but `body`: write `body`"])
        #expect(errors("body", "f").isEmpty && errors("message", "f", "--check").isEmpty)
    }

    @Test("take no second look if every query has results", arguments: [("body", 1), ("nothing", 2)])
    func looks(query: String, expected: Int) {
        var looks = 0
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(MemorySink()),
            byteCount: { _ in Self.message.utf8.count },
            open: { _ throws(SystemError) in
                looks += 1
                return MemorySource([Array(Self.message.utf8)], isLive: false)
            })
        _ = StanzaCommand.run(["find", query, "f"], on: console)
        #expect(looks == expected)
    }
}
