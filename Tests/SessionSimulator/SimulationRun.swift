// Many runs in a row: draws them from a seed, and prints a failing one in few steps.

import TestSupport

/// Simulates a number of steps, in episodes that each begin with nothing and come to rest at the end.
public struct SimulationRun: Sendable {
    public let seed: UInt64
    public let steps: Int
    public let fault: Setup.Fault?

    public init(seed: UInt64, steps: Int, fault: Setup.Fault? = nil) {
        self.seed = seed
        self.steps = steps
        self.fault = fault
    }

    /// Steps of one episode: enough for many sessions, few enough to shrink.
    public static let episodeLength = 1000

    /// A failing run, shrunk.
    public struct Failure: Error, CustomStringConvertible, Sendable {
        public let seed: UInt64
        public let episode: Int
        public let violation: Violation
        public let setup: Setup
        public let choices: [Choice]
        public let transcript: [String]

        public var description: String {
            "\(violation)\nseed \(seed), episode \(episode), \(choices.count) steps:\n\(setup)\n"
                + transcript.joined(separator: "\n")
        }
    }

    /// Runs until the end or the first failure.
    ///
    /// - Parameters:
    ///   - tally: Counts events and actions.
    ///   - progress: Gets the number of steps made after each episode; its error ends the run.
    /// - Throws: `Failure`, and the errors of `progress`.
    public func run(tally: Tally = Tally(), progress: (Int) throws -> Void = { _ in }) throws {
        var done = 0
        var episode = 0
        while done < steps {
            var random = SeededGenerator(seed: seed &+ UInt64(episode) &* 0x9E37_79B9)
            let setup = Setup(drawnFrom: &random, fault: fault)
            let length = min(Self.episodeLength, steps - done)
            let (choices, violation) = Self.draw(setup, length: length, random, tally)
            if violation != nil { throw Self.failure(seed: seed, episode: episode, setup, choices) }
            done += length
            episode += 1
            try progress(done)
        }
    }

    private static func draw(
        _ setup: Setup, length: Int, _ random: SeededGenerator, _ tally: Tally
    ) -> (choices: [Choice], violation: Violation?) {
        var generator = ChoiceGenerator(random, setup)
        var choices: [Choice] = []
        let simulation = Simulation(setup, tally: tally)
        do {
            for _ in 0..<length {
                let choice = generator.next(in: simulation)
                choices.append(choice)
                try simulation.perform(choice)
            }
            try simulation.comeToRest()
            return (choices, nil)
        } catch {
            return (choices, error as? Violation ?? Violation("no other errors", "\(error)"))
        }
    }

    /// The invariant that a list of choices violates; `log` gets the transcript.
    public static func violation(
        of choices: [Choice], _ setup: Setup, log: ((String) -> Void)? = nil
    ) -> Violation? {
        let simulation = Simulation(setup)
        simulation.log = log
        do {
            for choice in choices { try simulation.perform(choice) }
            try simulation.comeToRest()
            return nil
        } catch {
            return error as? Violation ?? Violation("no other errors", "\(error)")
        }
    }

    private static func failure(seed: UInt64, episode: Int, _ setup: Setup, _ choices: [Choice]) -> Failure {
        let original = violation(of: choices, setup)
        let short = Shrinker.shrink(choices) { violation(of: $0, setup)?.invariant == original?.invariant }
        var transcript: [String] = []
        let found = violation(of: short, setup) { transcript.append($0) }
        return Failure(
            seed: seed, episode: episode, violation: found ?? original ?? Violation("the failure can be had again"),
            setup: setup, choices: short, transcript: transcript)
    }
}
