// The session simulator: its invariants hold, it finds planted mistakes, and it prints them in few steps.
//
// The command `simulator session` simulates more steps: `.ci/run` a million, `.ci/long` a hundred million.

import Simulators
import Testing

@Suite struct SimulationTests {
    private typealias Checks = SimulatorChecks<SessionSimulation>

    @Test func invariantsHold() { Checks.invariantsHold() }

    /// An event that never happens is not tested.
    @Test func everythingHappens() throws {
        let tally = SessionTally()
        try SimulationRun<SessionSimulation>(seed: 5, steps: 60_000).run(tally: tally)
        #expect(tally.missing == [], "\(tally.text)")
    }

    @Test("The simulator finds planted mistakes, and prints them in few steps", arguments: SessionSetup.Fault.allCases)
    func mistakesAreFound(fault: SessionSetup.Fault) throws {
        let failure = try #require(Checks.finds(fault, seed: 15))
        #expect(failure.description.contains("makes the mistake \(fault)"))
    }

    @Test func sameSeedGivesTheSameRun() throws { try Checks.sameSeedGivesTheSameRun() }
}
