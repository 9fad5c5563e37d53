// The command `session-faults` as a program: the arguments that it refuses, and the files that it leaves.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct SessionFaultsCommandTests {
    /// Without the intended mistake, the run would succeed and prove nothing about the checks.
    @Test(arguments: [["--mistake", "insertearly"], ["--mistake", ""], ["--server", "foo"]])
    func whatThereIsNotIsRefused(arguments: [String]) async throws {
        let program = try Program(["--runs", "0"] + arguments, of: "session-faults")
        defer { program.stop() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 64)
        #expect(errors.contains(arguments[0] == "--mistake" ? "insert-early" : "'prosody'"), "\(errors)")
    }

    @Test(.needsProsody)
    func nothingIsLeft() async throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            ["--runs", "0", "--mistake", "insert-early"], of: "session-faults", temporary: folder.url)
        defer { program.stop() }
        #expect(await blocking { program.end() }.code == 0)
        try await eventually("the certificates are gone") { folder.names.isEmpty }
    }
}
