// The simulator, run from here: it holds, it finds mistakes that are made on purpose, and it tells them shortly.
//
// `.ci/run` simulates a million steps with the program stream-simulator; here are fewer.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing

@Suite struct SimulationTests {
    @Test func invariantsHold() {
        #expect(throws: Never.self) {
            try SimulationRun(seed: SeededGenerator.seed, steps: SeededGenerator.cases(default: 20_000)).run()
        }
    }

    @Test func everythingHappens() throws {
        let tally = Tally()
        try SimulationRun(seed: 1, steps: 120_000).run(tally: tally)
        // An event that never happens is not tested. A correct server gets no blame and sends nothing else, and the
        // session reports no waiting stanza.
        let never = Tally.Kind.allCases.filter { tally[$0] == 0 }
        #expect(never == [.pass, .queued, .sendStreamError], "\(tally.text)")
    }

    @Test("Mistakes are found, and told in few steps", arguments: Setup.Fault.allCases)
    func mistakesAreFound(fault: Setup.Fault) {
        let failure = #expect(throws: SimulationRun.Failure.self) {
            try SimulationRun(seed: 1, steps: 100_000, fault: fault).run()
        }
        guard let failure else { return }
        #expect(failure.choices.count <= 40, "\(failure)")
        #expect(failure.description.contains("seed 1"))
        // The short run is a run of its own: it can be had again.
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

    /// Not at random moments, but at each of them: the process is killed before and after every single write.
    @Test func killedAtEveryWrite() {
        for seed in 0..<2 {
            var random = SeededGenerator(salt: UInt64(seed))
            let setup = Setup(drawnFrom: &random)
            let script = Simulation.script(length: 200, drawnFrom: random)
            let count = Self.writes(script, setup)
            #expect(count > 5)
            for number in 1...max(count, 1) {
                for before in [true, false] { _ = Self.writes(script, setup, kill: (number, before)) }
            }
        }
    }

    private static func writes(
        _ script: [Choice], _ setup: Setup, kill: (number: Int, before: Bool)? = nil
    ) -> Int {
        do {
            return try Simulation.writes(of: script, setup, kill: kill)
        } catch {
            Issue.record("\(error), killed at \(kill.map { "\($0)" } ?? "no write"), \(setup)")
            return 0
        }
    }

    @Test func shrinkingKeepsWhatMatters() {
        let choices = (0..<500).map { Choice.advance(milliseconds: $0) }
        let short = Shrinker.shrink(choices) {
            $0.contains(.advance(milliseconds: 17)) && $0.contains(.advance(milliseconds: 420))
        }
        #expect(short == [.advance(milliseconds: 17), .advance(milliseconds: 420)])
    }
}
