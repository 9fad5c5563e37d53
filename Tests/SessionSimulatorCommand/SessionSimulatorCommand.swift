// The simulator of durable sessions as a program, to run for hours.

import ArgumentParser
import SessionSimulator
import SimulatorCommandSupport

@main
struct SessionSimulatorCommand: ParsableCommand {
    static let configuration = SimulatorOptions<Simulation>.configuration(
        name: "session-simulator",
        abstract: "Simulates durable sessions whose database, network, server and processes fail in every way.")

    @OptionGroup private var options: SimulatorOptions<Simulation>

    func run() throws { try options.run() }
}
