// What shells offer behind the command's words. That the scripts work in shells is tested for `stanza`.

import Testing

@testable import StanzaLiveCLI

struct CompletionTests {
    /// The function of bash that completes a command's words.
    private func completion(of command: String) async -> Substring {
        let answer = await StanzaLiveCommand.run(["--generate-completion-script", "bash"])
        #expect(answer.status == .success)
        let script = answer.output[...]
        guard let start = script.firstRange(of: "\n_stanza-live_\(command)() {\n") else { return "" }
        let rest = script[start.upperBound...]
        return rest[..<(rest.firstRange(of: "\n}\n")?.lowerBound ?? rest.endIndex)]
    }

    @Test func databasesAreFiles() async {
        #expect(await completion(of: "promises").contains("_add_completions -f\n"))
    }

    @Test func storiesAreKnown() async {
        #expect(await completion(of: "demo").contains("_add_completions -W 'avatar'\n"))
    }
}
