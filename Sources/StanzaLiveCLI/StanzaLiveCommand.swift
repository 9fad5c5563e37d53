// The command `stanza-live`: all that needs a database, a network or a browser. What needs none of them is `stanza`.

import ArgumentParser
import Foundation

/// The command `stanza-live`.
public struct StanzaLiveCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "stanza-live",
        abstract: "Look into what XMPP sessions keep, see one survive, and try queries in a browser.",
        subcommands: [PromisesCommand.self, DemoCommand.self, DemoRoleCommand.self, PlaygroundCommand.self])

    public init() {}

    /// Runs the command of this process, and ends it.
    public static func runAndExit() async -> Never {
        let answer = await run(Array(CommandLine.arguments.dropFirst()))
        FileHandle.standardError.write(Data(answer.errors.utf8))
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(answer.output.utf8))
        } catch {
            FileHandle.standardError.write(Data("stanza-live: cannot write: \(error.localizedDescription)\n".utf8))
            Foundation.exit(Answer.Status.failure.rawValue)
        }
        Foundation.exit(answer.status.rawValue)
    }

    /// Runs a command, and gives what it prints.
    static func run(_ arguments: [String]) async -> Answer {
        do {
            var parsed = try parseAsRoot(arguments)
            if let command = parsed as? any AnsweringCommand { return await command.answer() }
            if let command = parsed as? any TellingCommand { return await answer(of: command) }
            // The library's own commands, such as help, throw what they have to say.
            if !(parsed is StanzaLiveCommand) { try parsed.run() }
            throw ValidationError("Name a command.")
        } catch {
            let message = fullMessage(for: error) + "\n"
            return exitCode(for: error).isSuccess ? Answer(output: message) : Answer(errors: message, status: .usage)
        }
    }
}

extension StanzaLiveCommand {
    /// Runs a command that prints while it runs.
    private static func answer(of command: any TellingCommand) async -> Answer {
        do {
            try await command.run { line in FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
            return Answer()
        } catch {
            return Answer(errors: "stanza-live: \(error)\n", status: .failure)
        }
    }
}

/// What a command prints, and how it ends.
struct Answer {
    enum Status: Int32 {
        case success = 0
        /// The command is wrong.
        case usage = 2
        /// The database cannot be read, the port not be listened on, or the output not be written.
        case failure = 3
    }

    var output = ""
    var errors = ""
    var status = Status.success
}

/// A subcommand that tells what happens when it happens.
protocol TellingCommand: ParsableCommand {
    func run(_ tell: @escaping @Sendable (String) -> Void) async throws
}

/// A subcommand that answers.
protocol AnsweringCommand: ParsableCommand {
    func answer() async -> Answer
}
