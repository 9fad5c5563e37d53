// The tests that each simulator has to pass.

import TestSupport
import Testing

/// The checks of a simulator, for a test suite.
public enum SimulatorChecks<World: SimulatedWorld> {
    private typealias Run = SimulationRun<World>

    /// A failure in as many steps is short.
    private static var fewSteps: Int { 40 }

    /// Checks that a run from the seed of the random tests finds no violation.
    public static func invariantsHold() {
        #expect(throws: Never.self) {
            try Run(seed: SeededGenerator.seed, steps: SeededGenerator.cases(default: 20_000)).run()
        }
    }

    /// Checks that a run finds a planted mistake, and that the failure is short and can be repeated.
    @discardableResult
    public static func finds(_ fault: World.Setup.Fault, seed: UInt64) -> SimulationRun<World>.Failure? {
        let failure = #expect(throws: SimulationRun<World>.Failure.self) {
            try Run(seed: seed, steps: 100_000, fault: fault, shrinkingTo: fewSteps).run()
        }
        guard let failure else { return nil }
        #expect(failure.choices.count <= fewSteps, "\(failure)")
        #expect(failure.description.contains("seed \(seed)"))
        // The short run is a run of its own: a test can repeat it.
        #expect(Run.violation(of: failure.choices, failure.setup) == failure.violation)
        return failure
    }

    /// Checks that two runs from one seed do the same.
    public static func sameSeedGivesTheSameRun() throws {
        let first = World.Tally()
        let second = World.Tally()
        try Run(seed: 5, steps: 3000).run(tally: first)
        try Run(seed: 5, steps: 3000).run(tally: second)
        #expect(first.text == second.text)
        #expect(!first.text.isEmpty)
    }
}
