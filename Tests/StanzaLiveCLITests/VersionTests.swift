// `stanza-live --version`: one package, one version.

import StanzaCLI
import Testing

@testable import StanzaLiveCLI

struct VersionTests {
    @Test func itIsThatOfStanza() async {
        let answer = await StanzaLiveCommand.run(["--version"])
        #expect(answer.status == .success)
        #expect(answer.output == StanzaCommand.version + "\n" && answer.errors.isEmpty)
    }
}
