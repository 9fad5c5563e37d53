// The simulator of stream management as a program, to run for hours.

import ArgumentParser
import SimulatorCommandSupport
import StreamSimulator

@main
struct StreamSimulatorCommand: ParsableCommand {
    static let configuration = SimulatorOptions<Simulation>.configuration(
        name: "stream-simulator",
        abstract: "Simulates stream management over a network that fails in every way.")

    @OptionGroup private var options: SimulatorOptions<Simulation>

    func run() throws { try options.run() }
}
