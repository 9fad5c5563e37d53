// `stanza find`: what the command line says. The search itself is Search.swift's.

import ArgumentParser
import StanzaQuery

/// Finds what a query finds in all stanzas of files or of standard input.
struct FindCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Evaluate a query on every stanza of the input, and print the results.",
        usage: "stanza find <query> [<file> ...] [<options>]",
        discussion: """
            INPUT
            The format of each input is recognised from its beginning: '{' begins JSON lines, '<stream:stream' an XMPP \
            stream, an XML declaration or a DOCTYPE a document; anything else are fragments, as logs hold them: \
            nothing but white space may stand before a stanza, so cut off what a log writes there; where each \
            has one line, "sed 's/^[^<]*//'" does that. A recorded stream that begins with an XML declaration needs '--format stream' to be cut into stanzas. Input is \
            read as it comes: results of a pipe are printed as soon as their stanza is complete.
            A mistake ends a stream or a document. Fragments go on with the next line that begins like one, JSON lines \
            with the next line.

            OUTPUT
            One line for each result, in the order of the input. In text, line breaks, other control characters and \
            backslashes are escaped: '\\n', '\\r', '\\u0085', '\\\\'. Elements and forms are XML that stands alone, attributes \
            ('@@') and fields ('&field') are JSON. Mistakes are told on standard error, with file, line and column.

            LONG INPUT
            Memory does not grow with the input, but with its longest stanza. With '--jobs', threads parse and evaluate \
            blocks of it; output, order and exit code stay the same. A document is one stanza, and one thread's work. On a \
            terminal a line shows the progress of long input.
            With '--lines' any engine that splits text at line ends can run many of these commands as a filter: nothing \
            is kept from one line to the next.

            EXIT CODES
              0  something was found
              1  nothing was found: if the query is probably not what was meant, a warning
                 says so, as 'stanza explain' does
              2  the command, the query or an argument is wrong,
                 or a regular expression ran past its limits
              3  an input cannot be read: results up to there have been printed;
                 or the output cannot be written
              130  interrupted by Ctrl-C: results up to there have been printed,
                   and their number is told
            Of several the highest counts. A stanza that a regular expression runs past its limits on has no results; the \
            search goes on with the next one.

            EXAMPLES
              stanza find 'body#' chat.log
              stanza find --with-source '/<type=error>@id' server.jsonl client.jsonl
              stanza find --arg urn:xmpp:mam:2 '{*}query<xmlns=%@>@queryid' s.xml
              stanza find --json '{urn:xmpp:delay}delay@stamp|datetime' < chat.log
              stanza find --check '/message<type=groupchat>' < s.xml && echo room
              stanza find --jobs 4 --count '/presence' session.jsonl
              split --filter="stanza find --lines '/message/body#'" session.jsonl
            """)

    @Argument(
        help: ArgumentHelp(
            "The query. The empty one is the stanza itself; one that begins with '-' comes behind '--'."))
    var query: String

    @Argument(
        help: "The inputs, in order; '-' is standard input, which is read when there are none.", completion: .file())
    var files: [String] = []

    @OptionGroup var values: ArgumentOption
    @OptionGroup var compiling: CompileFlags
    @OptionGroup(title: "Input options") var input: InputOptions

    @Flag(
        help: """
            Be a filter of lines: each is a stanza, as XML or as a JSON object with the member 'xml'. Finding nothing is no \
            failure then, but with '--check'.
            """)
    var lines = false

    @Flag var outputFormat: FormatFlag?

    @Flag(help: "Stop at the first result of all input.")
    var first = false

    @Flag(
        help: ArgumentHelp(
            "Print 'FILE:LINE:' before each result: where its stanza begins. In JSON and XML it is 'source'."))
    var withSource = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many threads evaluate; the output is the same (1).", valueName: "number"))
    var jobs: Int?

    @Flag(help: "Show no progress. It is shown on a terminal only, for input that is long or takes a second.")
    var noProgress = false

    func validate() throws {
        if lines, input.format != nil { throw ValidationError("--lines is a format: leave --format out.") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 256.") }
    }

    var texts: [String] { [query, input.defaultNamespace] + values.texts }

    func run(on console: Console) -> CommandStatus {
        do throws(QueryError) {
            let query = try Query(query, options: compiling.options)
            let arguments = query.arguments(from: values.texts)
            try query.checkArguments(arguments)
            var settings = input.settings.named(atPipe: "stanza find QUERY")
            if lines { settings.format = .lines }
            let evaluator = Evaluator(
                query: query, arguments: arguments, settings: settings,
                formatter: ResultFormatter(format: outputFormat?.format ?? .text, showsSource: withSource),
                stopsAtFirst: first || outputFormat == .check, isInterrupted: console.isInterrupted)
            let files = files.isEmpty ? ["-"] : files
            var search = Search(evaluator, jobs: jobs ?? 1, progress: progress(of: files, on: console), on: console)
            let status = search.run(files)
            if status == .nothing, outputFormat != .check, !lines {
                console.report(warningsIn: self.query, compiling.options)
            }
            return lines && outputFormat != .check && status == .nothing ? .success : status
        } catch {
            console.report(verbatim: error.description)
            return .usage
        }
    }

    private func progress(of files: [String], on console: Console) -> Progress? {
        guard let terminal = console.terminal, !noProgress else { return nil }
        if terminal.givesInput, files.contains("-") { return nil }
        let sizes = files.map(console.byteCount)
        return Progress(of: sizes.contains(nil) ? nil : Self.sum(sizes.compactMap(\.self)), on: console)
    }

    /// Files with holes in them may together be longer than any number.
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
        case .json: "Print each result as a JSON object in the forms of conformance suites."
        case .xml: "Print one XML document with all results."
        case .count: "Print only the number of results over all input."
        case .check: "Print nothing, and stop at the first result: the exit code tells."
        }
    }
}
