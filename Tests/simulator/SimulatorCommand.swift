// Both simulators as a program, to run for hours.

import ArgumentParser
import Simulators

@main
struct SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator", abstract: "Simulates clients whose surroundings fail in every way.",
        subcommands: [StreamCommand.self, SessionCommand.self])
}

struct StreamCommand: ParsableCommand {
    static let configuration = SimulatorOptions<StreamSimulation>.configuration(
        name: "stream", abstract: "Simulates stream management over a network that fails in every way.")

    @OptionGroup private var options: SimulatorOptions<StreamSimulation>

    func run() throws { try options.run() }
}

struct SessionCommand: ParsableCommand {
    static let configuration = SimulatorOptions<SessionSimulation>.configuration(
        name: "session",
        abstract: "Simulates durable sessions whose database, network, server and processes fail in every way.")

    @OptionGroup private var options: SimulatorOptions<SessionSimulation>

    func run() throws { try options.run() }
}
