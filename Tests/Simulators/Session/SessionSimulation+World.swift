// The simulation, for the runs of both simulators.

public import TestSupport

extension SessionSimulation: SimulatedWorld {
    public static let episodeLength = 1000

    public func nextChoice(_ random: inout SeededGenerator) -> SessionChoice {
        random.choice(in: self)
    }
}

extension SessionSetup: SimulationSetup {}

extension SessionTally: SimulationTally {}
