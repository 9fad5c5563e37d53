// The simulation, for the runs of SimulatorSupport.

public import SimulatorSupport
public import TestSupport

public typealias Violation = SimulatorSupport.Violation

extension Simulation: SimulatedWorld {
    public static let episodeLength = 2000

    public convenience init(_ setup: Setup, tally: Tally) throws {
        try self.init(setup, tally: tally, storage: nil)
    }

    public static func generator(_ random: SeededGenerator, _ setup: Setup) -> (Simulation) -> Choice {
        var generator = ChoiceGenerator(random)
        return { generator.next(isRunning: $0.isRunning, isConnected: $0.isConnected) }
    }
}

extension Setup: SimulationSetup {}

extension Tally: SimulationTally {}
