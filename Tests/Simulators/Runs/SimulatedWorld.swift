// The interface between a simulator and its runs.

public import StreamReference
public import TestSupport

/// A simulated world. The same setup and the same choices give the same run.
public protocol SimulatedWorld: AnyObject {
    associatedtype Setup: SimulationSetup
    associatedtype Choice: Sendable
    associatedtype Tally: SimulationTally

    /// The number of steps in one episode: enough for many sessions, few enough to shrink.
    static var episodeLength: Int { get }

    init(_ setup: Setup, tally: Tally) throws

    /// Gets the lines of the transcript, if requested.
    var log: ((String) -> Void)? { get set }

    /// Draws the next step.
    func nextChoice(_ random: inout SeededGenerator) -> Choice

    /// Makes one step.
    ///
    /// - Throws: `Violation` when an invariant does not hold.
    func perform(_ choice: Choice) throws

    /// Lets everything come to rest, and checks that nothing was lost.
    func comeToRest() throws
}

/// The circumstances of an episode.
public protocol SimulationSetup: Equatable, Sendable {
    /// A mistake that the world makes on purpose.
    associatedtype Fault: RawRepresentable, CaseIterable, Sendable where Fault.RawValue == String

    init(drawnFrom random: inout SeededGenerator, fault: Fault?)
}

/// Counts the events of a simulation.
public protocol SimulationTally: AnyObject {
    init()

    /// The events that have happened, with their numbers.
    var text: String { get }
}

/// An invariant that does not hold.
public typealias Violation = StreamReference.Violation

/// A simulated process was killed.
struct Killed: Error {}
