// Durable sessions under faults, as a program, to run for hours.

import ArgumentParser
import Foundation
import ProbeSupport
import ServerSupport
import SessionFaults

@main
struct SessionFaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-faults", abstract: "Durable sessions and servers that fail.",
        subcommands: [RunCommand.self, ServeCommand.self], defaultSubcommand: RunCommand.self)
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Kills, stops and cuts off processes with a durable session, and checks what they leave.",
        discussion: """
            Each run has its own seed, which is printed; the same seed does the same to processes that run as fast as \
            before. What a run that fails has left stays.

            EXIT CODES
              0   all invariants held in all runs
              1   a run failed, there is no server, or the output cannot be written
              64  the command is wrong
            """)

    @Option(help: "The seed of the first run; a random one without.")
    var seed: UInt64 = .random(in: 0...9_999_999)

    @Option(help: "How many runs; without end if it is not said.")
    var runs: Int?

    @Option(help: "Begin no run after so many seconds.")
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
                try tell("seed \(seed), \(try await run.run(on: running))")
            } catch {
                try tell("session-faults: seed \(seed) failed\n\(error)")
                throw ExitCode.failure
            }
            count += 1
        }
        try tell("session-faults: \(count) runs against \(server)\(tls ? " over TLS" : ""), all invariants held")
    }
}

/// At once, also into a file: whoever ends this wants to have seen it.
func tell(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
}

extension Mistake: ExpressibleByArgument {}
