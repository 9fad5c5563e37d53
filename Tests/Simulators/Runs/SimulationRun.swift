// Many episodes in a row: draws them from a seed, and prints a failing one in few steps.

import TestSupport

/// Simulates a number of steps, in episodes that each begin with nothing and come to rest at the end.
public struct SimulationRun<World: SimulatedWorld>: Sendable {
    public typealias Setup = World.Setup

    private let seed: UInt64
    private let steps: Int
    private let fault: Setup.Fault?
    private let enoughSteps: Int

    /// - Parameter enoughSteps: The number of steps to which a failing episode is shrunk, if that is possible.
    public init(seed: UInt64, steps: Int, fault: Setup.Fault? = nil, shrinkingTo enoughSteps: Int = 0) {
        self.seed = seed
        self.steps = steps
        self.fault = fault
        self.enoughSteps = enoughSteps
    }

    /// A failing episode, shrunk.
    public struct Failure: Error, CustomStringConvertible, Sendable {
        fileprivate let seed: UInt64
        fileprivate let episode: Int
        public let violation: Violation
        public let setup: Setup
        public let choices: [World.Choice]
        fileprivate let transcript: [String]

        public var description: String {
            "\(violation)\nseed \(seed), episode \(episode), \(choices.count) steps:\n\(setup)\n"
                + choices.map { "\($0)" }.joined(separator: ", ") + "\n" + transcript.joined(separator: "\n")
        }
    }

    /// Runs until the end or the first failure.
    ///
    /// - Parameters:
    ///   - tally: Counts the events of all episodes.
    ///   - progress: Gets the number of steps made after each episode; its error ends the run.
    /// - Throws: `Failure`, and the errors of `progress`.
    public func run(tally: World.Tally = World.Tally(), progress: (Int) throws -> Void = { _ in }) throws {
        var done = 0
        var episode = 0
        while done < steps {
            var random = SeededGenerator(seed: seed &+ UInt64(episode) &* 0x9E37_79B9)
            let setup = Setup(drawnFrom: &random, fault: fault)
            let length = min(World.episodeLength, steps - done)
            let (choices, violation) = Self.draw(setup, length: length, random, tally)
            if violation != nil { throw failure(episode: episode, setup, choices) }
            done += length
            episode += 1
            try progress(done)
        }
    }

    private static func draw(
        _ setup: Setup, length: Int, _ random: SeededGenerator, _ tally: World.Tally
    ) -> (choices: [World.Choice], violation: Violation?) {
        var random = random
        var choices: [World.Choice] = []
        let violation = violation {
            let world = try World(setup, tally: tally)
            for _ in 0..<length {
                let choice = world.nextChoice(&random)
                choices.append(choice)
                try world.perform(choice)
            }
            try world.comeToRest()
        }
        return (choices, violation)
    }

    /// The invariant that a list of choices violates; `log` gets the transcript.
    public static func violation(
        of choices: [World.Choice], _ setup: Setup, log: ((String) -> Void)? = nil
    ) -> Violation? {
        violation {
            let world = try World(setup, tally: World.Tally())
            world.log = log
            for choice in choices { try world.perform(choice) }
            try world.comeToRest()
        }
    }

    private static func violation(_ body: () throws -> Void) -> Violation? {
        do {
            try body()
            return nil
        } catch {
            return error as? Violation ?? Violation("no other errors", "\(error)")
        }
    }

    private func failure(episode: Int, _ setup: Setup, _ choices: [World.Choice]) -> Failure {
        let original = Self.violation(of: choices, setup)
        let short = Shrinker.shrink(choices, to: enoughSteps) {
            Self.violation(of: $0, setup)?.invariant == original?.invariant
        }
        var transcript: [String] = []
        let found = Self.violation(of: short, setup) { transcript.append($0) }
        return Failure(
            seed: seed, episode: episode, violation: found ?? original ?? Violation("a failure can be repeated"),
            setup: setup, choices: short, transcript: transcript)
    }
}
