// `stanza find`: its arguments. Search.swift implements the search.

import ArgumentParser
import StanzaQuery

/// Finds the results of a query in all stanzas of files or of standard input.
struct FindCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Evaluate a query on every stanza of the input, and print the results.",
        usage: """
            stanza find <query> [<file> ...] [<options>]
            stanza find --query <query> [--query <query> ...] [<file> ...] [<options>]
            """,
        discussion: """
            INPUT
            The beginning of an input decides its format. '{' begins JSON lines: each line is an object with the \
            stanza in its member 'xml'. The start tag of 'stream:stream', with any prefix, begins an XMPP stream, with \
            or without an XML declaration before it. A stream may begin again, as in a recorded session after STARTTLS \
            and SASL. Another XML declaration or a DOCTYPE begins a document. Anything else is fragments, as in logs. \
            In fragments, only white space may come before a stanza. If a log writes a time stamp there, remove it: \
            "sed 's/^[^<]*//'" does that for logs with one stanza a line. The command reads input as it arrives, and \
            prints the results of a stanza as soon as the stanza is complete.
            A stream or a document ends at its first mistake. Fragments continue at the next line that begins a \
            stanza, JSON lines at the next line. A stanza beyond a limit, such as '--max-stanza-bytes', is reported \
            and skipped, and so is a stanza of a stream with an undeclared prefix or another fault of namespaces.

            OUTPUT
            One line for each result, in the order of the input. Text output escapes backslashes, line breaks, and \
            other control and format characters: '\\\\', '\\n', '\\r', '\\u0085'. Tabs stay. \
            Elements and forms are XML, with the declarations of their own tags and those that their names need; \
            attributes ('@@') and fields ('&field') are JSON. \
            Mistakes go to standard error, with file, line and column.

            SEVERAL QUERIES
            With '--query', the command evaluates all queries in one pass. Each result begins with the number of its \
            query, from 1, and a colon; JSON and XML call it 'query'. The results of a stanza come in the order of the \
            queries. '--count' prints one number for each query. The arguments of '--arg' go to the queries in order.

            SKIPPED STANZAS
            A query needs certain names and values; 'stanza explain' lists them under 'prefilter'. In streams, \
            fragments and lines, the command parses only stanzas that contain them. In the other stanzas of a stream \
            or of fragments, it checks only length, depth, and that start and end tags balance; of other lines, only the \
            length. '--parse-all' parses everything. For well-formed input within all limits, the output is the same. \
            Otherwise only '--parse-all' reports every mistake, such as a wrong end tag, bad UTF-8 or an undeclared \
            prefix in a stanza that cannot have a result, and counts it in the exit code. Without it, the number of \
            reported mistakes can depend on '--jobs' and on the length of the input.

            LONG INPUT
            Memory grows with the longest stanza, not with the input. With '--jobs', several threads parse and \
            evaluate blocks of the input; for well-formed input, output, order and exit code stay the same. A document \
            is one stanza, so one thread reads it. On a terminal, a line shows the progress of long input.
            With '--lines', each line is independent of all others. Any engine that splits text at line ends can run \
            many of these commands as a filter.

            EXIT CODES
              0  found something
              1  found nothing; if the query is legal but probably wrong,
                 a warning says so, as in 'stanza explain'
              2  the command, the query or an argument is wrong,
                 or a regular expression exceeded its limits
              3  an input cannot be read, or has a stanza beyond a limit:
                 all other results are printed; or the output cannot be written
              130  interrupted by Ctrl-C: the results so far are printed,
                   and their number is reported
            If several apply, the highest code wins. A reader of the output that ends early, as 'head' does, ends the \
            search, and is not a failure: the code is that of the results so far. A stanza on which a regular \
            expression exceeds its limits has no results; the search continues with the next stanza.

            EXAMPLES
              stanza find 'body#' chat.log
              stanza find --with-source '/<type=error>@id' server.jsonl client.jsonl
              stanza find --arg urn:xmpp:mam:2 '{*}query<xmlns=%@>@queryid' s.xml
              stanza find --json '{urn:xmpp:delay}delay@stamp|datetime' < chat.log
              stanza find --check '/message<type=groupchat>' < s.xml && echo room
              stanza find --jobs 4 --count '/presence' session.jsonl
              stanza find --count --query 'body#' --query '/@id' session.jsonl
              split --filter="stanza find --lines '/message/body#'" session.jsonl
            """)

    @Argument(
        help: ArgumentHelp(
            "The query. The empty query is the stanza itself. Write '--' before a query that begins with '-'."))
    var query: String?

    @Argument(
        help: "The inputs, in order; '-' is standard input, the default.", completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("query"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A query; repeat the option for several in one pass. All arguments are then inputs.", valueName: "query"))
    var numberedQueries: [String] = []

    @OptionGroup var values: ArgumentOption
    @OptionGroup var compiling: CompileFlags
    @OptionGroup(title: "Input options") var input: InputOptions

    @Flag(
        help: """
            Filter lines: each line is a stanza, as XML or as a JSON object with the member 'xml'. Finding nothing is \
            then a failure only with '--check'.
            """)
    var lines = false

    @Flag var outputFormats: [FormatFlag] = []

    @Flag(help: "Stop at the first result.")
    var first = false

    @Flag(
        help: ArgumentHelp(
            "Print 'FILE:LINE:' before each result: the beginning of its stanza. JSON and XML call it 'source'."))
    var withSource = false

    @Flag(help: "Parse every stanza, also those that cannot have a result, and report every mistake.")
    var parseAll = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of threads, 1 to 256; for well-formed input, the output is the same (1).", valueName: "number"))
    var jobs: Int?

    @Flag(help: "Do not show progress, which a terminal shows for input that is long or takes a second.")
    var noProgress = false

    func validate() throws {
        if query == nil, numberedQueries.isEmpty { throw ValidationError("Missing expected argument '<query>'") }
        if lines, input.format != nil { throw ValidationError("--lines is a format: omit --format.") }
        if Set(outputFormats).count > 1 {
            let given = FormatFlag.allCases.filter(outputFormats.contains).map { "--\($0.rawValue)" }
            throw ValidationError("\(given.joined(separator: " and ")) exclude each other: pass one.")
        }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 256.") }
    }

    var texts: [String] { queryTexts + [input.defaultNamespace] + values.texts }

    private var outputFormat: FormatFlag? { outputFormats.first }

    private var queryTexts: [String] { numberedQueries.isEmpty ? [query ?? ""] : numberedQueries }

    /// The inputs. With `--query`, the first argument is one of them.
    private var inputs: [String] {
        let inputs = (numberedQueries.isEmpty ? [] : [query].compactMap(\.self)) + files
        return inputs.isEmpty ? ["-"] : inputs
    }

    private func compile() throws(QueryError) -> SearchQueries {
        numberedQueries.isEmpty
            ? try SearchQueries(query ?? "", arguments: values.texts, options: compiling.options)
            : try SearchQueries(numberedQueries, arguments: values.texts, options: compiling.options)
    }

    func run(on console: Console) -> CommandStatus {
        do throws(QueryError) {
            let queries = try compile()
            var settings = input.settings.named(atPipe: "stanza find QUERY")
            if lines { settings.format = .lines }
            if !parseAll { settings.prefilters = queries.prefilters }
            let evaluator = Evaluator(
                queries: queries, settings: settings,
                formatter: ResultFormatter(
                    format: outputFormat?.format ?? .text, showsSource: withSource, numberedQueries: queries.numbered),
                stopsAtFirst: first || outputFormat == .check, isInterrupted: console.isInterrupted)
            let files = inputs
            var search = Search(evaluator, jobs: jobs ?? 1, progress: progress(of: files, on: console), on: console)
            let status = search.run(files)
            let isWholeSearch = status == .success && !first && console.output.failure == nil
            if status == .nothing || isWholeSearch, outputFormat != .check, !lines {
                for (query, text) in queryTexts.enumerated() where search.counts[query] == 0 {
                    console.report(warningsIn: text, compiling.options)
                }
            }
            return lines && outputFormat != .check && status == .nothing ? .success : status
        } catch {
            console.report(verbatim: error.description)
            values.advise(on: error, console)
            return .usage
        }
    }

    private func progress(of files: [String], on console: Console) -> Progress? {
        guard let terminal = console.terminal, !noProgress else { return nil }
        if terminal.givesInput, files.contains("-") { return nil }
        let sizes = files.map(console.byteCount)
        return Progress(of: sizes.contains(nil) ? nil : Self.sum(sizes.compactMap(\.self)), on: console)
    }

    /// The sum of the sizes of sparse files may exceed any integer.
    private static func sum(_ sizes: [Int]) -> Int? {
        var sum = 0
        for size in sizes {
            let (next, isTooMuch) = sum.addingReportingOverflow(size)
            if isTooMuch { return nil }
            sum = next
        }
        return sum
    }
}

/// The flags that change the format of the output; one at most.
enum FormatFlag: String, EnumerableFlag {
    case json, xml, count, check

    var format: OutputFormat {
        switch self {
        case .json: .json
        case .xml: .xml
        case .count: .count
        case .check: .nothing
        }
    }

    static func help(for value: FormatFlag) -> ArgumentHelp? {
        switch value {
        case .json: "Print each result as a JSON object, in the format of conformance suites."
        case .xml: "Print one XML document with all results."
        case .count: "Print only the number of results, of each query with --query."
        case .check: "Print nothing, stop at the first result, and report it in the exit code."
        }
    }
}
