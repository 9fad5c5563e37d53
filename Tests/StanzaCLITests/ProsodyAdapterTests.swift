// Grammar/implementations/prosody.lua with documents that its XML parser refuses.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("The adapter of Prosody", .needsProsody)
struct ProsodyAdapterTests {
    @Test(
        "distinguishes names of XML's fifth edition from malformed documents",
        arguments: [
            ("<r><b>x</b></r>", "1 passed, 0 failed", CommandStatus.success),
            ("<r><b>x</b><\u{37F}/></r>", "0 passed, 0 failed, 1 unsupported", .nothing),
            ("<r><b>\u{37F}</b></c>", "0 passed, 1 failed", .badInput),
            ("<r><b>x</b>&</r>", "0 passed, 1 failed", .badInput),
        ])
    func documents(xml: String, summary: String, status: CommandStatus) async throws {
        // A namespace may have any character.
        let suite = """
            {"defaultNamespace": "a'<&b", "tests": [
                {"name": "n", "xml": "\(xml)", "query": "b#", "results": [{"string": "x"}]}]}
            """
        let command = "stanza conformance --program 'lua5.4 Grammar/implementations/prosody.lua' s.json"
        let result = try await Shell.run(command, files: ["s.json": suite])
        #expect(result.output == "\(summary)\n")
        #expect(result.code == status.rawValue)
    }
}
