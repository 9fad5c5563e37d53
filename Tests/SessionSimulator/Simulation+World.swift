// The simulation, for the runs of SimulatorSupport.

public import SimulatorSupport
public import TestSupport

public typealias Violation = SimulatorSupport.Violation

extension Simulation: SimulatedWorld {
    public static let episodeLength = 1000

    public func nextChoice(_ random: inout SeededGenerator) -> Choice {
        random.choice(in: self)
    }
}

extension Setup: SimulationSetup {}

extension Tally: SimulationTally {}
