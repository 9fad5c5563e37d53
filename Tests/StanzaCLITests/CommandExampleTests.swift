// The commands that the documentation shows, word for word: .ci/check compares them. HelpTests runs those of the help.

import Testing

@Suite("Command examples", .timeLimit(.minutes(60)))
struct CommandExampleTests {
    @Test(
        "do what the documentation says",
        arguments: [
            (
                "stanza find '{http://jabber.org/protocol/disco#info}query/feature@var' Grammar/corpus/session.jsonl",
                """
                eu.siacs.conversations.axolotl.devicelist+notify
                http://jabber.org/protocol/caps
                http://jabber.org/protocol/chatstates

                """
            ),
            ("stanza find --jobs 2 '/message/body#' Grammar/corpus/session.jsonl", "\n"),
            (
                "stanza find --query '/message/body#' --query '/<type=error>@id' --count Grammar/corpus/session.jsonl",
                "1:"
            ),
            ("stanza explain 'items/item@id|int'", "Results: int\n"),
            ("stanza explain --set Benchmarks/queries.txt", "10 queries\n"),
            ("stanza conformance Grammar/conformance", " passed, 0 failed\n"),
        ])
    func overview(command: String, output: String) async throws {
        let result = try await Shell.run(command)
        #expect(result.code == 0)
        #expect(result.output.contains(output))
    }
}
