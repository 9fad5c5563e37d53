// The simulation, for the runs of both simulators.

public import TestSupport

extension StreamSimulation: SimulatedWorld {
    public static let episodeLength = 2000

    public convenience init(_ setup: StreamSetup, tally: StreamTally) throws {
        try self.init(setup, tally: tally, storage: nil)
    }

    public func nextChoice(_ random: inout SeededGenerator) -> StreamChoice {
        random.choice(isRunning: isRunning, isConnected: isConnected)
    }
}

extension StreamSetup: SimulationSetup {}

extension StreamTally: SimulationTally {}
