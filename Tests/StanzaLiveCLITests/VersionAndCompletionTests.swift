// The command's version, and the completions of its words. The tests of `stanza` run such scripts in shells.

import StanzaCLI
import Testing

@testable import StanzaLiveCLI

struct VersionAndCompletionTests {
    /// One package, one version.
    @Test func theVersionIsThatOfStanza() async {
        let answer = await StanzaLiveCommand.run(["--version"])
        #expect(answer.status == .success)
        #expect(answer.output == StanzaCommand.version + "\n" && answer.errors.isEmpty)
    }

    /// Returns the bash function that completes the words of a command.
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
