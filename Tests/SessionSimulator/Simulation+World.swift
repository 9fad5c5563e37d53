// The simulation, for the runs of SimulatorSupport.

public import SimulatorSupport
public import TestSupport

public typealias Violation = SimulatorSupport.Violation

extension Simulation: SimulatedWorld {
    public static let episodeLength = 1000

    public static func generator(_ random: SeededGenerator, _ setup: Setup) -> (Simulation) -> Choice {
        var generator = ChoiceGenerator(random, setup)
        return { generator.next(in: $0) }
    }
}

extension Setup: SimulationSetup {}

extension Tally: SimulationTally {}
