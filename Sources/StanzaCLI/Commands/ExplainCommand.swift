// `stanza explain`: what a query means, what it becomes, and what it does; what the queries of a set share.

import ArgumentParser
import StanzaQuery

/// Shows the syntax tree and the program of a query, and steps over a stanza with it. Of a set it shows how the queries
/// are found.
struct ExplainCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: """
            Show the syntax tree of a query, and the annotated program that it is compiled to; or how a set of queries is \
            evaluated.
            """,
        usage: """
            stanza explain <query> [--on <file>] [--trace <file>] [--stats <file> ...] [<options>]
            stanza explain --set <file> ... [<options>]
            """,
        discussion: """
            INPUT
            None but the query, unless '--on', '--trace' or '--stats' name files: they are read as 'stanza find' reads \
            them; for '--on' and '--trace' as far as the stanza that is shown. The files of '--set' have a query in each \
            line, at most 100,000 in all.

            OUTPUT
            The program has an instruction in each line: its address, the bytes of the query that it comes from, its \
            name, its operands, what it does to the stack of cursors, and what it is for.
            '--on' shows the elements of a stanza, with marks: '+' where a result comes from, '·' what a segment demands, \
            from where the query went on, '-' what was looked at and rejected; the others were not looked at. A trace \
            has a line for each step: the instruction, the element that the top cursor stands on, with its place among \
            its parent's children, and the result if one was found. '--stats' counts for each instruction how often it \
            was run, and how many elements it looked at, over all stanzas of the files.
            Of a set, the tests are a tree: what queries begin with together is tested once. Behind each test stand the \
            queries that end there, with their numbers, counted from 0; a '+' says that a program of its own decides the \
            rest. '…' and 0 stand for arguments. The list in the end are queries that no hash finds: they are tried on \
            every stanza, and a set should have few of them.
            What is not seen in a query, such as control characters, marks that no letter stands before or that one may \
            have in itself, and all spaces but the usual one, is written as '\\u{200B}'. In traces '…' stands for the rest of long texts.
            On a terminal, headings and marks are in colour, unless NO_COLOR is set.

            EXIT CODES
              0  the query is explained, or the set
              1  the file has no such stanza to show or trace
              2  the command, a query or an argument is wrong,
                 or a regular expression ran past its limits
              3  a file cannot be read, or the output cannot be written
              130  '--stats' was interrupted by Ctrl-C: what was counted is shown
            A query that is wrong has no program: its mistakes are shown on standard error, behind as much of the tree \
            as could be understood.

            EXAMPLES
              stanza explain '{urn:xmpp:mam:2}fin@complete|bool'
              stanza explain --ignore-case '/<type=error>'
              stanza explain --bytes 'body#'
              stanza explain --on session.jsonl '/message/body#'
              stanza explain '/message/body#' --stats session.jsonl chat.log
              stanza explain --trace session.jsonl --stanza 2 '/<type=%@>' --arg error
              stanza explain --set routes.txt more-routes.txt
            """)

    @Argument(help: "The query; one that begins with '-' comes behind '--'.")
    var query: String?

    @Option(
        name: .customLong("set"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Explain the queries in these files as a set instead; '-' is standard input.", valueName: "file"),
        completion: .file())
    var setFiles: [String] = []

    @OptionGroup var compiling: CompileFlags

    @Flag(help: "Show the encoding of the program, too.")
    var bytes = false

    @Option(
        help: ArgumentHelp(
            "Evaluate the query on the first stanza of this file ('-' is standard input), and show each step.",
            valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp(
            "Show the first stanza of this file, with what the query makes of its elements.", valueName: "file"),
        completion: .file())
    var markedFile: String?

    @Option(
        name: .customLong("stats"), parsing: .upToNextOption,
        help: ArgumentHelp("Count the work of the query on all stanzas of these files.", valueName: "file"),
        completion: .file())
    var countedFiles: [String] = []

    @Option(help: ArgumentHelp("Show or trace this stanza instead, counted from 1.", valueName: "number"))
    var stanza: Int?

    @OptionGroup var values: ArgumentOption
    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if query == nil, setFiles.isEmpty {
            throw ValidationError(
                countedFiles.isEmpty
                    ? "Name a query, or files of queries with --set."
                    : "Name a query before --stats, or behind '--': what follows --stats are files.")
        }
        let runs = trace != nil || markedFile != nil || !countedFiles.isEmpty
        if !setFiles.isEmpty, query != nil || runs || bytes {
            throw ValidationError("--set goes without a query, --on, --trace, --stats and --bytes.")
        }
        let inputs = setFiles + countedFiles + [trace, markedFile].compactMap(\.self)
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once: name '-' once, or a file.")
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

    /// Shows how a set is evaluated, unless something is wrong with its queries.
    private func explainSet(on console: Console) -> CommandStatus {
        let list = QueryList(setFiles, compiling.options, console)
        if list.status == .success { console.output.write(list.set.explanation + "\n") }
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
            if let markedFile { status = max(status, try run.mark(stanza ?? 1, of: markedFile)) }
            if let trace { status = max(status, try run.trace(stanza ?? 1, of: trace)) }
            if !countedFiles.isEmpty { status = max(status, try run.count(countedFiles)) }
            return status
        } catch {
            for diagnostic in error.diagnostics { console.report(verbatim: diagnostic.rendered(in: text)) }
            return .usage
        }
    }
}
