// The simulation, for the runs of SimulatorSupport.

public import SimulatorSupport
public import TestSupport

public typealias Violation = SimulatorSupport.Violation

extension Simulation: SimulatedWorld {
    public static let episodeLength = 2000

    public convenience init(_ setup: Setup, tally: Tally) throws {
        try self.init(setup, tally: tally, storage: nil)
    }

    public func nextChoice(_ random: inout SeededGenerator) -> Choice {
        random.choice(isRunning: isRunning, isConnected: isConnected)
    }
}

extension Setup: SimulationSetup {}

extension Tally: SimulationTally {}
