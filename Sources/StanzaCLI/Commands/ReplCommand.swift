// `stanza repl`: runs queries, one after the other, on stanzas that it loads once.

import ArgumentParser
import Foundation

/// Reads queries and prints their results.
struct ReplCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repl",
        abstract: "Run queries on loaded stanzas, interactively.",
        discussion: """
            INPUT
            The stanzas of the files, in any format that 'stanza find' reads: at most 100,000 stanzas from 64 MiB. \
            Then lines from the terminal or from standard input. Each line is a query, which runs on every stanza, or \
            a command:
              :explain [QUERY]    show tree and program of the query, or the last one
              :time [QUERY]       measure the query, or the last one, on all stanzas
              :set [NAME VALUE]   show the settings, or change one: args, first,
                                  format, ignore-case, limit, source, strict
              :stanza [NUMBER]    print a stanza, or the number of stanzas
              :help, :quit        also 'help', 'quit' and 'exit' without a colon
            On a terminal you edit lines with the keys of emacs, or as ~/.editrc says. The tab key completes names of \
            elements and attributes, values, types and fields of forms that occur in the stanzas at that place of the \
            query, with the namespaces that they need, and conversions. Mistakes are shown below the query while you type. The arrow keys recall earlier lines, also those of earlier sessions. \
            A file that only you can read keeps them. Ctrl-C cancels the line or the running query; a second Ctrl-C \
            during a query ends the command.

            OUTPUT
            The results, as 'stanza find' prints them. A terminal also shows their number, and mistakes in color, \
            unless NO_COLOR is set. The command prints 100 results of a query; ':set limit' changes that.

            EXIT CODES
              0  the lines have ended
              2  the command is wrong; or, if the lines do not come from a terminal,
                 a line was wrong or a regular expression exceeded its limits
              3  a file cannot be read, or the output cannot be written
              130  ended by Ctrl-C

            ENVIRONMENT
              NO_COLOR  any value but the empty one turns colors off
              TERM      'dumb' turns line editing off
              HOME      the folder of the files below

            FILES
              ~/.stanza_history  lines of earlier sessions, unless --history names another
              ~/.editrc          keys of the line editor

            EXAMPLES
              stanza repl session.jsonl
              echo '/message/body#' | stanza repl session.jsonl
              printf ':set args error\\n/<type=%%@>@type\\n' | stanza repl session.jsonl
            """)

    @Argument(help: "The files with stanzas.", completion: .file())
    var files: [String]

    @OptionGroup var compiling: CompileFlags

    @Option(
        help: ArgumentHelp("Keep the typed lines in this file (~/.stanza_history).", valueName: "file"),
        completion: .file())
    var history: String?

    @Flag(help: "Do not keep lines, and do not recall those of earlier sessions.")
    var noHistory = false

    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if files.contains("-") { throw ValidationError("Standard input has the queries: name files with the stanzas.") }
        if noHistory, history != nil { throw ValidationError("--no-history excludes --history.") }
        if let history, files.contains(where: { Self.isSameFile($0, history) }) {
            throw ValidationError(
                "--history names a file to write lines to, but '\(history.asFileName)' has stanzas.")
        }
    }

    var texts: [String] { [input.defaultNamespace] }

    func run(on console: Console) -> CommandStatus {
        let loaded = LoadedStanzas(files, input.settings, console)
        var settings = ReplSettings()
        settings.options = compiling.options
        let terminal = console.terminal.flatMap { $0.givesInput && $0.showsOutput ? $0 : nil }
        let start = ContinuousClock.now
        let session = ReplSession(
            loaded.stanzas, settings, on: console, summarizes: terminal != nil,
            isInterrupted: console.isInterrupted, now: terminal?.now ?? { start.duration(to: .now) })
        if let terminal, let editor = terminal.beginLineEditing() {
            let vocabulary = StanzaVocabulary(stanzas: loaded.stanzas.map(\.element))
            let assistant = ReplAssistant(vocabulary, console.painter, settings: { session.settings })
            console.report(verbatim: "\(counted(loaded.stanzas.count, "stanza")); :help lists the commands")
            converse(session, editor, assistant, console)
            return loaded.status
        }
        return max(loaded.status, readLines(session, console))
    }

    /// Runs the lines of standard input.
    private func readLines(_ session: ReplSession, _ console: Console) -> CommandStatus {
        var lines = InputLines(console.input)
        var number = 0
        do throws(SystemError) {
            while let line = try lines.next() {
                number += 1
                session.place = "-:\(number): "
                switch line {
                case .text(let text): if !session.run(text) { return session.status }
                case .unreadable(let reason): session.report(reason)
                }
            }
        } catch {
            console.report("-: \(error)")
            return .badInput
        }
        return session.status
    }

    /// Runs lines during an interactive session.
    private func converse(
        _ session: ReplSession, _ editor: any LineEditing, _ assistant: ReplAssistant, _ console: Console
    ) {
        let file = noHistory ? nil : HistoryFile(path: history ?? Self.usualHistory)
        var keeps = file != nil
        func keeping(_ body: () throws(HistoryProblem) -> Void) {
            guard keeps else { return }
            do throws(HistoryProblem) { try body() } catch {
                keeps = false
                console.report("\((file?.path ?? "").asFileName): lines are not kept: \(error)")
            }
        }
        keeping { () throws(HistoryProblem) in
            for line in try file?.load() ?? [] { editor.remember(line) }
        }
        while true {
            switch editor.readLine(Self.prompt, helpedBy: assistant) {
            case .canceled: continue
            case .end: return
            case .line(let line):
                if !line.trimmed.isEmpty {
                    editor.remember(line)
                    keeping { () throws(HistoryProblem) in try file?.append(line) }
                }
                console.noteInterruption()
                if !session.run(line) { return }
            }
        }
    }

    private static var usualHistory: String {
        (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + "/.stanza_history"
    }

    /// Compares names only.
    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        URL(fileURLWithPath: path).standardizedFileURL == URL(fileURLWithPath: other).standardizedFileURL
    }

    private static let prompt = "stanza> "
}
