// Durable sessions under faults, as a program, to run for hours.

import ArgumentParser
import Foundation
import ServerSupport
import SessionFaults

@main
struct SessionFaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-faults", abstract: "Durable sessions and servers that fail.",
        subcommands: [RunCommand.self, ServeCommand.self, ProbeCommand.self], defaultSubcommand: RunCommand.self)
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Kills, stops and cuts off processes with a durable session, and checks their database.",
        discussion: """
            Each run prints its seed. The same seed repeats the run, as far as the processes run equally fast. \
            A failed run keeps its folder.

            EXIT CODES
              0   all invariants held in all runs
              1   a run failed, the server is missing, or the output cannot be written
              64  the command is wrong
            """)

    @Option(help: "The seed of the first run; random by default.")
    var seed: UInt64 = .random(in: 0...9_999_999)

    @Option(help: "The number of runs; endless by default.")
    var runs: Int?

    @Option(help: "Starts no run after this number of seconds.")
    var seconds: Int?

    @Option(help: "The server: \(ServerKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var server: ServerKind = .prosody

    @Option(help: "A mistake to make on purpose: \(Mistake.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mistake: Mistake?

    @Flag(inversion: .prefixedNo, help: "Encrypt all connections.")
    var tls = true

    func run() async throws {
        let start = ContinuousClock.now
        let running = try await RunningServer(server)
        var count = 0
        while runs.map({ count < $0 }) ?? true {
            if let seconds, ContinuousClock.now - start > .seconds(seconds) { break }
            let seed = seed &+ UInt64(count)
            do {
                var run = FaultRun(seed: seed, mistake: mistake, isEncrypted: tls)
                try report("seed \(seed), \(try await run.run(on: running))")
            } catch {
                try report("session-faults: seed \(seed) failed\n\(error)")
                throw ExitCode.failure
            }
            count += 1
        }
        try report("session-faults: \(count) runs against \(server)\(tls ? " over TLS" : ""), all invariants held")
    }
}

/// Prints a line without a buffer, also into a file, so that a killed process leaves all its lines.
func report(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
}

extension Mistake: ExpressibleByArgument {}
