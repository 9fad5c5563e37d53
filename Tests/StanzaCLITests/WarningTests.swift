// Queries that are legal but probably wrong: the commands that warn, and when.

import StanzaCLI
import Testing

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
        #expect(stanza("explain", query).errors == found.errors)
        let asked = stanza("repl", "f", input: query, files: ["f": Self.message])
        #expect(asked.errors.hasPrefix("-:1: \(found.errors)-:1: no result: ") && asked.status == .success)
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
        #expect(stanza("find", "--ignore-case", "/<a=b><a=B>", input: Self.message).errors.isEmpty)
        #expect(stanza("find", "/<type=error>", input: Self.message).errors.isEmpty)
    }

    @Test("say why nothing was found, after a second look at files")
    func nearMisses() {
        let files = ["f": Self.message, "g": "<message type='error'><body/></message><iq/>"]
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
        #expect(errors("body", "f").isEmpty && errors("message", "f", "--check").isEmpty)
    }
}
