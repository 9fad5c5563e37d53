// The options of both simulators.

import ArgumentParser
import Foundation
import Simulators

/// The options of a simulator, and its run.
struct SimulatorOptions<World: SimulatedWorld>: ParsableArguments {
    @Option(help: "The seed of the run. The default is random.")
    private var seed: UInt64 = .random(in: 0...9_999_999)

    @Option(help: "How many steps to simulate.")
    private var steps = 1_000_000

    @Option(help: "A mistake to make on purpose: \(Self.faults.joined(separator: ", ")).")
    private var fault: String?

    private static var faults: [String] { World.Setup.Fault.allCases.map(\.rawValue) }

    static func configuration(name: String, abstract: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract,
            discussion: """
                The program shrinks a failing run and prints it step by step. The same seed gives the same run.

                EXIT CODES
                  0   all invariants held
                  1   an invariant was violated, or the output cannot be written
                  64  the command is wrong
                """)
    }

    func validate() throws {
        if let fault, World.Setup.Fault(rawValue: fault) == nil { throw ValidationError("no such fault: \(fault)") }
    }

    /// Runs the simulation, and prints its result.
    ///
    /// - Throws: `ExitCode.failure` after a violation, and errors of the standard output.
    func run() throws {
        try write("seed \(seed), \(steps) steps")
        let clock = ContinuousClock()
        let start = clock.now
        let tally = World.Tally()
        let run = SimulationRun<World>(seed: seed, steps: steps, fault: fault.flatMap(World.Setup.Fault.init))
        do {
            try run.run(tally: tally) { done in
                if done % 1_000_000 == 0 { try write("\(done) steps after \(clock.now - start)") }
            }
        } catch let failure as SimulationRun<World>.Failure {
            try write("\(failure)")
            throw ExitCode.failure
        }
        try write(tally.text)
        try write("all invariants held for \(steps) steps, in \(clock.now - start)")
    }
}

/// Writes at once, so that a failure to write is noticed.
private func write(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
}
