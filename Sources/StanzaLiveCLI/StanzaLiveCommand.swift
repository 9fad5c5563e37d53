// The command `stanza-live`: the subcommands that need a database, a network or a browser. The others belong to
// `stanza`.

import ArgumentParser
import Foundation
import StanzaCLI

/// The command `stanza-live`.
public struct StanzaLiveCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "stanza-live",
        abstract: "List what XMPP sessions store, watch one survive, test clients, and try queries in a browser.",
        discussion: """
            EXIT CODES
              0  the command succeeded
              1  a client failed a scenario of 'torture'
              2  the command is wrong
              3  the command failed, or the output cannot be written
            """,
        version: StanzaCommand.version,
        subcommands: [
            PromisesCommand.self, DemoCommand.self, DemoRoleCommand.self, TortureCommand.self, PlaygroundCommand.self,
        ])

    public init() {}

    /// Runs the command of this process, and ends it.
    public static func runAndExit() async -> Never {
        Console.prepareStandardStreams()
        let answer = await run(FileName.arguments)
        StandardStreams.report(answer.errors)
        do {
            try StandardStreams.write(answer.output)
        } catch {
            if !error.isClosedPipe {
                StandardStreams.report("stanza-live: \(words(for: error))\n")
                Foundation.exit(Answer.Status.failure.code)
            }
        }
        Foundation.exit(answer.status.code)
    }

    /// Runs a command, and returns its output.
    static func run(_ arguments: [String]) async -> Answer {
        do {
            // SQLite accepts no other names.
            if let argument = arguments.first(where: \.hasBytes) {
                throw ValidationError("The argument '\(argument.asFileName)' is not valid UTF-8.")
            }
            try CommandName.check(arguments, of: Self.self)
            try OptionValue.check(arguments)
            var parsed = try parseAsRoot(arguments)
            if let command = parsed as? any AnsweringCommand { return await command.answer() }
            if let command = parsed as? any ReportingCommand { return await answer(of: command) }
            // The library's own commands, such as help, throw their output.
            if !(parsed is StanzaLiveCommand) { try parsed.run() }
            throw CommandName.missing(of: Self.self)
        } catch {
            let message = fullMessage(for: error) + "\n"
            return exitCode(for: error).isSuccess
                ? Answer(output: message) : Answer(errors: message.linesWithoutControls, status: .usage)
        }
    }
}

extension StanzaLiveCommand {
    /// Runs a command that prints while it runs.
    private static func answer(of command: any ReportingCommand) async -> Answer {
        do {
            try await command.run { line in try StandardStreams.write(line + "\n") }
            return Answer()
        } catch let signal as EndingSignal {
            return Answer(status: .ended(by: signal.number))
        } catch is ScenariosFailed {
            return Answer(status: .negative)
        } catch let failure as SystemError where failure.isClosedPipe {
            return Answer()
        } catch {
            return Answer(errors: "stanza-live: \(words(for: error))\n", status: .failure)
        }
    }

    /// The path and the system's reason of a Foundation error, because Foundation's own descriptions are for
    /// programmers.
    static func words(for error: any Error) -> String {
        // Only writing to standard output fails with this error.
        if let error = error as? SystemError { return "cannot write: \(error)" }
        guard let error = error as? CocoaError, let cause = error.underlying as? POSIXError else { return "\(error)" }
        let path = error.filePath ?? error.url?.path
        return (path.map { "\($0.asFileName): " } ?? "") + String(cString: strerror(cause.code.rawValue))
    }
}

/// The output of a command, and its status.
struct Answer {
    enum Status: Equatable {
        case success
        /// A client has failed.
        case negative
        /// The command is wrong.
        case usage
        /// The command could not read the database, listen on the port, or write the output.
        case failure
        /// A signal came before the command was done.
        case ended(by: Int32)

        var code: Int32 {
            switch self {
            case .success: 0
            case .negative: 1
            case .usage: 2
            case .failure: 3
            // The exit code that shells use.
            case .ended(let signal): 128 + signal
            }
        }
    }

    var output = ""
    var errors = ""
    var status = Status.success
}

/// A subcommand that prints each step when it happens.
protocol ReportingCommand: ParsableCommand {
    /// Runs the command. It reports each step through the closure, which writes a line without a buffer.
    func run(_ report: @escaping @Sendable (String) throws -> Void) async throws
}

/// A subcommand that returns its output.
protocol AnsweringCommand: ParsableCommand {
    func answer() async -> Answer
}
