// Tests of `Program`, with which the tests of this module start programs.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct ProgramTests {
    @Test func aProgramEndsWithItsParent() async throws {
        var program: Program? = try Program(["1000"], of: "/bin/sleep")
        let process = try #require(program?.process)
        #expect(process.isRunning)
        program = nil
        #expect(await blocking { process.waitUntilExit() } == .signal(SIGKILL))
    }
}
