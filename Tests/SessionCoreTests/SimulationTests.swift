// The session simulator: its invariants hold, it finds planted mistakes, and it prints them in few steps.
//
// `.ci/run` simulates a million steps with the program session-simulator; these tests simulate fewer.

import SessionSimulator
import TestSupport
import Testing

@Suite struct SimulationTests {
    @Test func invariantsHold() {
        #expect(throws: Never.self) {
            try SimulationRun(seed: SeededGenerator.seed, steps: SeededGenerator.cases(default: 20_000)).run()
        }
    }

    /// An event that never happens is not tested.
    @Test func everythingHappens() throws {
        let tally = Tally()
        try SimulationRun(seed: 1, steps: 60_000).run(tally: tally)
        #expect(tally.missing == [], "\(tally.text)")
    }

    @Test("Planted mistakes are found, and printed in few steps", arguments: Setup.Fault.allCases)
    func mistakesAreFound(fault: Setup.Fault) {
        let failure = #expect(throws: SimulationRun.Failure.self) {
            try SimulationRun(seed: 3, steps: 100_000, fault: fault).run()
        }
        guard let failure else { return }
        #expect(failure.choices.count <= 40, "\(failure)")
        #expect(failure.description.contains("seed 3"))
        // The short run is a run of its own: a test can repeat it.
        #expect(SimulationRun.violation(of: failure.choices, failure.setup) == failure.violation)
    }

    @Test func sameSeedGivesTheSameRun() throws {
        let first = Tally()
        let second = Tally()
        try SimulationRun(seed: 5, steps: 3000).run(tally: first)
        try SimulationRun(seed: 5, steps: 3000).run(tally: second)
        #expect(first.text == second.text)
        #expect(!first.text.isEmpty)
    }
}
