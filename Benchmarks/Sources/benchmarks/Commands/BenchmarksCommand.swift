// The command line: `run` measures times, `count` counts instructions and allocations, `evictions` stresses the cache.

import ArgumentParser

@main
struct BenchmarksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures swift-stanza beside its peers.",
        subcommands: [RunCommand.self, CountCommand.self, EvictionsCommand.self],
        defaultSubcommand: RunCommand.self)
}
