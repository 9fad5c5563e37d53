// The command `stanza-live`: all that needs a database or a network. What needs neither is `stanza`.

import ArgumentParser

/// The command `stanza-live`.
public struct StanzaLiveCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "stanza-live",
        abstract: "Look into what XMPP sessions keep.",
        subcommands: [PromisesCommand.self])

    public init() {}

    /// Runs the command of this process.
    public static func runOnArguments() async { await main() }
}
