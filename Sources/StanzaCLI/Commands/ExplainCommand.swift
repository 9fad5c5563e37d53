// `stanza explain`: the meaning, the program and the work of a query, or the common parts of the queries of a set.

import ArgumentParser
import QueryTools
import StanzaQuery

/// Shows the syntax tree and the program of a query, and traces it on a stanza. For a set it shows how the queries are
/// found.
struct ExplainCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: """
            Show the syntax tree and the program of a query, or how a set of queries is evaluated.
            """,
        usage: """
            stanza explain <query> [--on <file>] [--trace <file>] [--stats <file> ...] [<options>]
            stanza explain --set <file> ... [<options>]
            """,
        discussion: """
            INPUT
            The query, and the files of '--on', '--trace' and '--stats', which are read as 'stanza find' reads them. \
            '--on' and '--trace' show the first stanza with a result, or the one in which the query gets furthest. The \
            files of '--set' have a query in each line, at most 100,000 in all; '# ' begins a comment.

            OUTPUT
            The syntax tree, then the program: one instruction in each line, with its address, the bytes of the query \
            that it comes from, its name, its operands, its effect on the stack of cursors, and its purpose. Then the \
            prefilter: the texts that every stanza with a result contains. XML spells a name in one way only. A value \
            can hold a reference instead, such as '&#97;'. In JSON, an escape can replace each character.
            '--on' prints the elements of a stanza with marks: '+' (matched) gave a result, '·' (visited) matched a \
            segment only, '-' (rejected) matched none. Elements without a mark were not examined. Without a result, \
            the last line is the reason, with a query that finds something. '--trace' prints a line for each step: the \
            instruction, the element of the top cursor with its index among its siblings, and the result, if there is \
            one. '--stats' counts how often each instruction ran, and how many elements it examined, over all stanzas \
            of the files.
            '--set' prints the tests of all queries as a tree. Queries that begin alike share their first tests. After \
            each test come the queries that end there, with their numbers from 0; a '+' marks a query whose own \
            program decides the rest. '…' and 0 replace arguments. The last list has the queries that no hash finds: \
            each of them runs on every stanza, so a set should have few.
            Invisible characters, such as control characters, combining marks without a letter, and all spaces but the \
            usual one, are printed as '\\u{200B}'. Traces cut long texts with '…'.
            On a terminal, headings and marks have colors, unless NO_COLOR is set.

            EXIT CODES
              0  the query or the set is explained
              1  the file has no such stanza to show or trace
              2  the command, a query or an argument is wrong,
                 or a regular expression exceeded its limits
              3  a file cannot be read, or the output cannot be written
              130  Ctrl-C interrupted '--stats': the counts so far are printed
            A wrong query has no program. Its mistakes go to standard error, after the part of the tree that could be \
            parsed.

            EXAMPLES
              stanza explain '{urn:xmpp:mam:2}fin@complete|bool'
              stanza explain --ignore-case '/<type=error>'
              stanza explain --bytes 'body#'
              stanza explain --on session.jsonl '/message/body#'
              stanza explain '/message/body#' --stats session.jsonl chat.log
              stanza explain --trace session.jsonl --stanza 2 '/<type=%@>' --arg error
              stanza explain --set routes.txt more-routes.txt
            """)

    @Argument(help: "The query. Write '--' before a query that begins with '-'.")
    var query: String?

    @Option(
        name: .customLong("set"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Explain the queries in these files as a set instead; '-' is standard input.", valueName: "file"),
        completion: .file())
    var setFiles: [String] = []

    @OptionGroup var compiling: CompileFlags

    @Flag(help: "Also show the encoding of the program.")
    var bytes = false

    @Option(
        help: ArgumentHelp(
            "Evaluate the query on a stanza of this file ('-' is standard input), and show each step.",
            valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp(
            "Mark the elements of a stanza of this file that the query examines, and show why it finds nothing.",
            valueName: "file"),
        completion: .file())
    var markedFile: String?

    @Option(
        name: .customLong("stats"), parsing: .upToNextOption,
        help: ArgumentHelp("Count the steps of the query on all stanzas of these files.", valueName: "file"),
        completion: .file())
    var countedFiles: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show or trace this stanza instead, counted from 1.", valueName: "number"))
    var stanza: Int?

    @OptionGroup var values: ArgumentOption
    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if query == nil, setFiles.isEmpty {
            throw ValidationError(
                countedFiles.isEmpty
                    ? "Name a query, or files of queries with --set."
                    : "Name a query before --stats, or after '--': the arguments after --stats are files.")
        }
        let runs = trace != nil || markedFile != nil || !countedFiles.isEmpty
        if !setFiles.isEmpty, query != nil || runs || bytes {
            throw ValidationError("--set excludes a query, --on, --trace, --stats and --bytes.")
        }
        let inputs = setFiles + countedFiles + [trace, markedFile].compactMap(\.self)
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once: write '-' once, or name a file.")
        }
        if let stanza, stanza < 1 { throw ValidationError("--stanza counts from 1.") }
        if trace == nil, markedFile == nil, stanza != nil {
            throw ValidationError("--stanza is for --on and --trace.")
        }
        if !runs, !values.texts.isEmpty { throw ValidationError("--arg is for --on, --trace and --stats.") }
    }

    var texts: [String] { [query, input.defaultNamespace].compactMap(\.self) + values.texts }

    func run(on console: Console) -> CommandStatus {
        guard let query else { return explainSet(on: console) }
        return explain(query, on: console)
    }

    /// Shows how a set is evaluated, unless its queries have mistakes.
    private func explainSet(on console: Console) -> CommandStatus {
        var list = QueryList(setFiles, compiling.options, console)
        let set = list.makeSet()
        if list.status == .success { console.output.write(set.explanation + "\n") }
        return list.status
    }

    private func explain(_ query: String, on console: Console) -> CommandStatus {
        let explanation = QueryExplanation(painter: console.painter)
        let text = query
        console.output.write(explanation.tree(of: text))
        do throws(QueryError) {
            let query = try Query(text, options: compiling.options)
            console.output.write("\n" + explanation.program(of: query, showingBytes: bytes))
            console.report(warningsIn: text, compiling.options)
            let run = ExplainedRun(
                query: query, arguments: query.arguments(from: values.texts), settings: input.settings,
                explanation: explanation, console: console)
            var status = CommandStatus.success
            if let markedFile { status = max(status, try run.mark(stanza, of: markedFile)) }
            if let trace { status = max(status, try run.trace(stanza, of: trace)) }
            if !countedFiles.isEmpty { status = max(status, try run.count(countedFiles)) }
            return status
        } catch {
            for diagnostic in error.diagnostics { console.report(verbatim: diagnostic.rendered(in: text)) }
            console.report(warningsAfter: error, compiling.options)
            values.advise(on: error, console)
            return .usage
        }
    }
}
