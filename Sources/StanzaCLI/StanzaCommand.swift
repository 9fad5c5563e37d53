// The command `stanza`: picks the subcommand, gives it its console, and maps errors to an exit code.
//
// Commands/ does the work; Console/ provides the input and output of a process.

import ArgumentParser
import Foundation

/// The command `stanza`.
public struct StanzaCommand: ParsableCommand {
    /// The output of `stanza --version`: the version that the next tag names.
    public static let version = "0.1.0"

    public static let configuration = CommandConfiguration(
        commandName: "stanza",
        abstract: "Query XMPP stanzas.",
        discussion: """
            Runs short queries on the stanzas in files, logs, recorded streams and pipes. A query is a path through \
            elements, with filters on attributes. It extracts attributes, texts and data forms, and converts them.

            THE LANGUAGE IN BRIEF
              body, {urn:x}name, {*}*, !name   children by namespace and name
              a/b, /a/b, ..                    paths; from the element itself; the parent
              a<type=error>, a<id~^x>          filters: equal, regular expression
              @id, @@, #, $                    an attribute, all, the text, the name
              \\{urn:x}form@field\\              a value of a data form
              ...|bool, |int, |datetime        a conversion of the text

            INPUT
            Streams, documents, fragments in logs, and JSON lines with a member 'xml'. The command detects the format: \
            see 'stanza help find'. '-' is standard input. Without the name of a command, 'stanza' is 'stanza find'.

            EXIT CODES
              0  found something; everything passed
              1  found nothing; a conformance case failed; lint found mistakes
              2  the command, the query or an argument is wrong,
                 or a regular expression exceeded its limits
              3  an input cannot be read, or the output cannot be written
              130  interrupted by Ctrl-C
            A reader of the output that ends early, as 'head' does, ends the command, and is not a failure.

            COMPLETION
            'stanza --generate-completion-script SHELL' prints the completions for bash, zsh or fish.

            ENVIRONMENT
              NO_COLOR  any value but the empty one turns colors off
              TERM      'dumb' turns colors, progress and questions off
              HOME      the folder of the file that 'stanza repl' keeps

            EXAMPLES
              stanza '/message/body#' session.jsonl
              stanza explain '/<type=error>@id'
              stanza repl session.jsonl
              stanza conformance Grammar/conformance
              stanza --generate-completion-script bash > stanza.bash
            """,
        version: version,
        subcommands: [
            FindCommand.self, ExplainCommand.self, ReplCommand.self, FormCommand.self, LintCommand.self,
            ConformanceCommand.self,
        ],
        defaultSubcommand: FindCommand.self)

    public init() {}

    /// Runs the command of this process, and ends it.
    ///
    /// - Parameter beginLineEditing: Begins to read lines from the terminal, for commands that take them.
    public static func runAndExit(beginLineEditing: @escaping () -> (any LineEditing)? = { nil }) -> Never {
        let console = Console.process(beginLineEditing: beginLineEditing)
        let status = run(FileName.arguments, on: console)
        if status == .interrupted { Interruption.endProcess() }
        Foundation.exit(status.rawValue)
    }

    /// Runs a command.
    ///
    /// ```swift
    /// let status = StanzaCommand.run(["explain", "body#"], on: console)
    /// ```
    public static func run(_ arguments: [String], on console: Console) -> CommandStatus {
        do {
            // The argument after `help` is a command, too.
            if arguments.isEmpty { throw CommandName.missing(of: Self.self) }
            try CommandName.check(arguments, of: Self.self)
            try OptionValue.check(arguments)
            var parsed = try parseAsRoot(arguments)
            guard let command = parsed as? any ConsoleCommand else {
                // The library's own commands, such as help, throw their output.
                if !(parsed is StanzaCommand) { try parsed.run() }
                throw CommandName.missing(of: Self.self)
            }
            // A query with a guessed part would be a different query.
            if let text = command.texts.first(where: \.hasBytes) {
                throw ValidationError("The argument '\(text.asFileName)' is not valid UTF-8.")
            }
            let status = command.run(on: console)
            console.output.flush()
            console.errors.flush()
            return max(status, console.outputStatus)
        } catch {
            return end(with: error, on: console)
        }
    }

    /// Prints the output of the argument parser: help, or a mistake.
    private static func end(with error: any Error, on console: Console) -> CommandStatus {
        let isHelp = exitCode(for: error).isSuccess
        let output = isHelp ? console.output : console.errors
        // The message contains arguments as they were given.
        let message = fullMessage(for: error)
        output.write((isHelp ? message : message.linesWithoutControls) + "\n")
        output.flush()
        return isHelp ? console.outputStatus : .usage
    }
}

/// A subcommand that runs on a console.
protocol ConsoleCommand: ParsableCommand {
    /// Its arguments that are not file names: only the name of a file may be something else than UTF-8.
    var texts: [String] { get }

    func run(on console: Console) -> CommandStatus
}

extension Console {
    /// The status of the output. A reader that closes the pipe is not a failure.
    fileprivate var outputStatus: CommandStatus {
        guard let failure = output.failure, !failure.isClosedPipe else { return .success }
        if failure.isInterruption { return .interrupted }
        report("cannot write: \(failure)")
        return .badInput
    }
}
