// `stanza repl`: queries, one after the other, on stanzas that are loaded once.

import ArgumentParser
import Foundation

/// Reads queries, and shows what they find.
struct ReplCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repl",
        abstract: "Ask queries of loaded stanzas, one after the other.",
        discussion: """
            INPUT
            The stanzas of the files, in any format that 'stanza find' reads: at most 100,000, of 64 MiB. Then lines from the \
            terminal, or from standard input if that is none: each is a query, which is asked of every stanza, or a command:
              :explain [QUERY]    the tree and the program of the query, or of the last one
              :time [QUERY]       how long it takes on all stanzas
              :set [NAME VALUE]   what is set, or set it: args, first, format,
                                  ignore-case, limit, source, strict
              :stanza [NUMBER]    a stanza, or how many there are
              :help, :quit
            On a terminal, lines are edited with the keys of emacs, or as ~/.editrc says. The tabulator completes elements, \
            attributes, namespaces, and types and fields of forms that occur in the stanzas, and conversions. What is wrong \
            with a query is shown below it while it is typed. The arrow keys bring back earlier lines, also those of earlier \
            sessions: they are kept in a file that nobody else may read. Ctrl-C gives up the line, or ends a query that \
            runs; pressed again before the query has ended, it ends the command.

            OUTPUT
            The results, as 'stanza find' prints them. On a terminal it is also told how many there are, and where a query is \
            wrong in colour, unless NO_COLOR is set. 100 results of a query are shown; ':set limit' changes that.

            EXIT CODES
              0  the lines have ended
              2  the command is wrong; or a line was, or a regular expression
                 ran past its limits, and the lines did not come from a terminal
              3  a file cannot be read, or the output cannot be written

            ENVIRONMENT
              NO_COLOR  no colours on terminals, whatever it says
              TERM      'dumb' is one whose lines are taken like those of a pipe
              HOME      the folder of the files

            FILES
              ~/.stanza_history  lines of earlier sessions, unless --history names another
              ~/.editrc          keys of the editor of lines

            EXAMPLES
              stanza repl session.jsonl
              echo '/message/body#' | stanza repl session.jsonl
              printf ':set args error\\n/<type=%%@>@type\\n' | stanza repl session.jsonl
            """)

    @Argument(help: "The files with stanzas.", completion: .file())
    var files: [String]

    @OptionGroup var compiling: CompileFlags

    @Option(
        help: ArgumentHelp("Keep the lines that are typed in this file (~/.stanza_history).", valueName: "file"),
        completion: .file())
    var history: String?

    @Flag(help: "Keep no lines, and offer none of earlier sessions.")
    var noHistory = false

    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if files.contains("-") { throw ValidationError("Standard input has the queries: name files with the stanzas.") }
        if noHistory, history != nil { throw ValidationError("--no-history goes without --history.") }
        if let history, files.contains(where: { Self.isSameFile($0, history) }) {
            throw ValidationError("--history takes a file to keep lines in: '\(history.asFileName)' has stanzas.")
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
            isInterrupted: terminal?.isInterrupted ?? { false }, now: terminal?.now ?? { start.duration(to: .now) })
        if let terminal, let editor = terminal.beginLineEditing() {
            let vocabulary = StanzaVocabulary(loaded.stanzas.lazy.map(\.element))
            let assistant = ReplAssistant(vocabulary, console.painter, options: { session.settings.options })
            console.report(verbatim: "\(counted(loaded.stanzas.count, "stanza")); :help tells what can be asked")
            converse(session, editor, assistant, console, beforeEach: terminal.noteInterruption)
            return loaded.status
        }
        return max(loaded.status, readLines(session, console))
    }

    /// Runs the lines of standard input.
    private func readLines(_ session: ReplSession, _ console: Console) -> CommandStatus {
        var lines = InputLines(console.input)
        do throws(SystemError) {
            while let line = try lines.next() {
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

    /// Runs lines as they are typed.
    private func converse(
        _ session: ReplSession, _ editor: any LineEditing, _ assistant: ReplAssistant, _ console: Console,
        beforeEach noteInterruption: () -> Void
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
            case .cancelled: continue
            case .end: return
            case .line(let line):
                if !line.trimmed.isEmpty {
                    editor.remember(line)
                    keeping { () throws(HistoryProblem) in try file?.append(line) }
                }
                noteInterruption()
                if !session.run(line) { return }
            }
        }
    }

    private static var usualHistory: String {
        (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + "/.stanza_history"
    }

    /// As far as names tell.
    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        URL(fileURLWithPath: path).standardizedFileURL == URL(fileURLWithPath: other).standardizedFileURL
    }

    private static let prompt = "stanza> "
}
