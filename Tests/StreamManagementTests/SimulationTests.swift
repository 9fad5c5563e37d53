// The stream simulator: its invariants hold, it finds planted mistakes, and it prints them in few steps.
//
// The command `simulator stream` simulates more steps: `.ci/run` a million, `.ci/long` a hundred million.

import Simulators
import StreamManagement
import TestSupport
import Testing

@Suite struct SimulationTests {
    private typealias Checks = SimulatorChecks<StreamSimulation>

    @Test func invariantsHold() { Checks.invariantsHold() }

    @Test func everythingHappens() throws {
        let tally = StreamTally()
        try SimulationRun<StreamSimulation>(seed: 2, steps: 40_000).run(tally: tally)
        // An event that never happens is not tested. A correct server gets no blame and sends nothing else, and the
        // session reports no waiting stanza. It seldom withholds acknowledgements so long; Tests/StreamRules has that.
        let never = StreamTally.Kind.allCases.filter { tally[$0] == 0 }
        #expect(never == [.pass, .queued, .acknowledgementWithheld, .sendStreamError], "\(tally.text)")
    }

    @Test("The simulator finds planted mistakes, and prints them in few steps", arguments: StreamSetup.Fault.allCases)
    func mistakesAreFound(fault: StreamSetup.Fault) {
        // Not every seed leads to a short failure.
        Checks.finds(fault, seed: fault == .resumesOnlyInTime ? 16 : 9)
    }

    @Test func sameSeedGivesTheSameRun() throws { try Checks.sameSeedGivesTheSameRun() }

    /// The simulator kills the process before and after every single write, instead of at random moments.
    @Test func killedAtEveryWrite() {
        for seed in 0..<2 {
            var random = SeededGenerator(salt: UInt64(seed))
            let setup = StreamSetup(drawnFrom: &random)
            let script = StreamSimulation.script(length: 200, drawnFrom: random)
            let count = Self.writes(script, setup)
            #expect(count > 5)
            for number in 1...max(count, 1) {
                for before in [true, false] { _ = Self.writes(script, setup, kill: (number, before)) }
            }
        }
    }

    private static func writes(
        _ script: [StreamChoice], _ setup: StreamSetup, kill: (number: Int, before: Bool)? = nil
    ) -> Int {
        do {
            return try StreamSimulation.writes(of: script, setup, kill: kill)
        } catch {
            Issue.record("\(error), killed at \(kill.map { "\($0)" } ?? "no write"), \(setup)")
            return 0
        }
    }

    @Test func shrinkingKeepsWhatMatters() {
        let choices = (0..<500).map { StreamChoice.advance(milliseconds: $0) }
        let short = Shrinker.shrink(choices) {
            $0.contains(.advance(milliseconds: 17)) && $0.contains(.advance(milliseconds: 420))
        }
        #expect(short == [.advance(milliseconds: 17), .advance(milliseconds: 420)])
    }
}
