// Wrong commands, help, the version, and the completions of words. The tests of `stanza` run such scripts in shells.

import StanzaCLI
import Testing

@testable import StanzaLiveCLI

struct CommandLineTests {
    @Test(arguments: [
        ([], "expected one of: "), (["promises"], "Missing expected argument"), (["promises", "a", "b"], "'b'"),
        (["promises", "--bad", "a"], "'--bad'"), (["promise", "a"], "did you mean 'promises'?"),
        (["playgruond"], "did you mean 'playground'?"),
        (["playground", "--port"], "Missing value for '--port <number>'"),
        (["playground", "--port", "x"], "'x' is invalid"), (["playground", "stanza.xml"], "'stanza.xml'"),
        (["playground", "--port", "-1"], "Error: --port is a number from 0 to 65535.\n"),
        (["playground", "--port", "65536"], "Error: --port is a number from 0 to 65535.\n"),
        (["playground", "--open"], "'--open'"), (["demo", "hamlet"], "avatar"), (["torture"], "stanza-live torture"),
        (["torture", "--scenario", "cuts-everything", "--", "true"], "unknown scenario 'cuts-everything'"),
    ])
    func wrongCommands(arguments: [String], message: String) async {
        let answer = await StanzaLiveCommand.run(arguments)
        #expect(answer.status == .usage && answer.output.isEmpty)
        #expect(answer.errors.contains(message) && answer.errors.contains("stanza-live"), "\(answer.errors)")
    }

    @Test(arguments: [
        (["--help"], "playground"), (["help"], "USAGE: stanza-live"),
        (["help", "promises"], "3  the database cannot be read"),
        (["promises", "--help"], "USAGE: stanza-live promises"),
        (["playground", "--help"], "USAGE: stanza-live playground [--port <number>]"),
        (["help", "playground"], "(default: 6120)"),
        (["help", "playground"], "3  the server cannot listen on the port"),
    ])
    func help(arguments: [String], part: String) async {
        let answer = await StanzaLiveCommand.run(arguments)
        #expect(answer.status == .success && answer.output.contains(part), "\(answer.output)")
    }

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
