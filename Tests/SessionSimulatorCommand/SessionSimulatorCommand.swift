// The simulator of durable sessions as a program, to run for hours.

import ArgumentParser
import Foundation
import SessionSimulator

@main
struct SessionSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-simulator",
        abstract: "Simulates durable sessions whose database, network, server and processes fail in every way.",
        discussion: """
            A failing run is shrunk and printed step by step. The same seed gives the same run.

            EXIT CODES
              0   all invariants held
              1   an invariant was violated, or the output cannot be written
              64  the command is wrong
            """)

    @Option(help: "The seed of the run. The default is random.")
    var seed: UInt64 = .random(in: 0...9_999_999)

    @Option(help: "How many steps to simulate.")
    var steps = 1_000_000

    @Option(help: "A mistake to make on purpose: \(Setup.Fault.allCases.map(\.rawValue).joined(separator: ", ")).")
    var fault: String?

    func validate() throws {
        if let fault, Setup.Fault(rawValue: fault) == nil { throw ValidationError("no such fault: \(fault)") }
    }

    func run() throws {
        try write("seed \(seed), \(steps) steps")
        let clock = ContinuousClock()
        let start = clock.now
        let tally = Tally()
        do {
            try SimulationRun(seed: seed, steps: steps, fault: fault.flatMap(Setup.Fault.init)).run(tally: tally) {
                done in
                if done % 1_000_000 == 0 { try write("\(done) steps after \(clock.now - start)") }
            }
        } catch let failure as SimulationRun.Failure {
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
