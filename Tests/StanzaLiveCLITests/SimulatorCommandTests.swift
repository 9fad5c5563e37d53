// The command `simulator` as a program: it reports that the invariants held, or fails.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct SimulatorCommandTests {
    @Test func itReportsThatTheInvariantsHeld() async throws {
        let program = try Program(["stream", "--seed", "1", "--steps", "10"], of: "simulator")
        let text = await blocking { program.rest() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 0 && errors == "")
        #expect(text.hasPrefix("seed 1, 10 steps\n") && text.contains("all invariants held for 10 steps"), "\(text)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDisk() async throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let program = try Program(["session", "--steps", "10"], of: "simulator", writing: full)
        let (code, errors) = await blocking { program.end() }
        #expect(code == 1)
        #expect(errors.hasPrefix("Error: "), "\(errors)")
    }
}
