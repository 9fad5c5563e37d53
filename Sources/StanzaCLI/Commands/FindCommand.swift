// `stanza find`: its arguments. Search.swift implements the search.

import ArgumentParser
import QueryTools
import StanzaQuery

/// Finds the results of a query in all stanzas of files or of standard input.
struct FindCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Evaluate a query on every stanza of the input, and print the results.",
        usage: """
            stanza find <query> [<file> ...] [<options>]
            stanza find --query <query> [--query <query> ...] [<file> ...] [<options>]
            stanza find --row <name=query> [--row <name=query> ...] [<file> ...] [<options>]
            """,
        discussion: """
            FIRST QUERIES
            A query begins in one of three forms. In Grammar/corpus/session.jsonl, a recorded session, they find:
              /message/body#               '/name' is the stanza itself: 162 bodies
              body#                        'name' is in the stanza: 163 bodies
              {urn:xmpp:delay}delay@stamp  '{namespace}name' is in the stanza, and in
                                           another namespace: 30 times
            After the names, '@name' is an attribute, and '#' the text. If a query finds nothing, the command prints the \
            reason and a query that finds something.

            INPUT
            The beginning of an input decides its format. '{' begins JSON lines: each line is an object with the \
            stanza in its member 'xml', or in that of '--member'. The start tag of 'stream:stream', with any prefix, \
            begins an XMPP stream, with or without an XML declaration before it. A stream may begin again, as in a \
            recorded session after STARTTLS and SASL. Another XML declaration or a DOCTYPE begins a document. Another \
            tag or a comment begins fragments: only white space may come between their stanzas. Any other text is a \
            log. There, the command finds the elements that are well-formed, also inside quotes and over several \
            lines, and passes over everything else. '.time' and '.direction' are members of its stanzas.
            The command reads input as it arrives, and prints the results of a stanza as soon as the stanza is \
            complete. The programs gzip, zstd, xz and bzip2 decompress files, if they are installed. With '--each', \
            the elements that its query finds are the stanzas: in exports (XEP-0227), archives and BOSH bodies.
            A stream or a document ends at its first mistake. Fragments continue at the next line that begins a \
            stanza, JSON lines at the next line. A stanza beyond a limit, such as '--max-stanza-bytes', is reported \
            and skipped, and so is a stanza of a stream with an undeclared prefix or another fault of namespaces.

            OUTPUT
            One line for each result, in the order of the input. Text output escapes backslashes, line breaks, and \
            other control and format characters: '\\\\', '\\n', '\\r', '\\u0085'. Tabs stay. \
            Elements and forms are XML, with the declarations of their own tags and those that their names need; \
            attributes ('@@') and fields ('&field') are JSON. \
            With '--json', an element is an object with 'name', 'namespace', 'attributes' and 'children', which are \
            texts and elements. '--pretty' indents elements, and keeps their line breaks. \
            Mistakes go to standard error, with file, line and column.

            SEVERAL QUERIES
            With '--query', the command evaluates all queries in one pass. Each result begins with the number of its \
            query, from 1, and a colon; JSON and XML call it 'query'. The queries of '--query-file' come after those. It \
            reads hundreds of queries faster than that many options. In a file, '# ' begins a comment. The results of a stanza come in the order of the queries. '--count' prints one number for each query. The \
            arguments of '--arg' go to the queries in order.

            ROWS
            With '--row', the command prints one line for each stanza that has a result: the first result of each \
            query, in aligned columns, or as '--csv', '--tsv' or '--json'. A missing value is empty, and 'null' in \
            JSON. A name after a dot is not a query, but a member of the stanza's JSON line. '.a.b' is the member 'b' of \
            its object 'a'. With '--query' as well, only stanzas with a result of such a query have a row.

            SKIPPED STANZAS
            A query needs certain names and values; 'stanza explain' lists them under 'prefilter'. In streams, \
            fragments, lines and logs, the command parses only stanzas that contain them. In the other stanzas of a \
            stream or of fragments, it checks only length, depth, and that start and end tags balance; of other lines, \
            only the length. If a query is only about the name and the attributes of the stanza itself, such as \
            '/message<type=error>@id', lines of text and '--count' need no more than its first tag: the query may then \
            find a stanza with a mistake after that tag. '--parse-all' parses everything. For well-formed input within all limits, the output is \
            the same, unless a log breaks a name or value in two. Otherwise only '--parse-all' reports the first \
            mistake of each stanza, such as a wrong end tag, bad UTF-8 or an undeclared prefix, even if the stanza \
            cannot have a result, and counts it in the exit code. Without it, the number of reported mistakes can \
            depend on '--jobs' and on the length of the input.

            LONG INPUT
            Memory grows with the longest stanza, not with the input. With '--jobs', several threads parse and \
            evaluate blocks of the input; for well-formed input, output, order and exit code stay the same. A document \
            is one stanza, so one thread reads it. On a terminal, a line shows the progress of long input.
            With '--format lines', each line is a stanza, as XML or as JSON, and independent of all others. Any engine \
            that splits text at line ends can run many of these commands as a filter. Finding nothing is then a \
            failure only with '--check'.

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
              stanza -r --stats 'body#' logs
              stanza --member stanza --row 'body=body#' --row at=.time app.jsonl
              stanza find --row from=/@from --row 'body=body#' --csv chat.log
              split --filter="stanza find --format lines '/message/body#'" session.jsonl
            """)

    @Argument(
        help: ArgumentHelp(
            "The query. The empty query is the stanza itself. Write '--' before a query that begins with '-'."))
    var query: String?

    @Argument(
        help: "The inputs, in order; '-' is standard input, the default. With '-r', the default is the folder '.'.",
        completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("query"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A query; repeat the option for several in one pass. All arguments are then inputs.", valueName: "query"))
    var numberedQueries: [String] = []

    @Option(
        name: .customLong("query-file"),
        help: ArgumentHelp("A file with a query in each line, as with '--query'.", valueName: "file"),
        completion: .file())
    var queryFiles: [String] = []

    @Option(
        name: .customLong("row"),
        help: ArgumentHelp(
            "A column of rows; repeat the option for several. All arguments are then inputs.", valueName: "name=query"),
        transform: { text in
            guard let column = RowColumn(argument: text) else {
                throw ValidationError(
                    "write a name of letters, digits, '_' and '-' before the query, as in 'from=/@from'.")
            }
            return column
        })
    var columns: [RowColumn] = []

    @OptionGroup var values: ArgumentOption
    @OptionGroup var compiling: CompileFlags
    @OptionGroup(title: "Input options") var input: InputOptions

    @Option(
        name: .customLong("each"),
        help: ArgumentHelp(
            "The stanzas are the elements that this query finds in those of the input, such as an export.",
            valueName: "query"))
    var containers: String?

    @Flag var outputFormats: [OutputFormat] = []

    @Flag(help: "Indent elements, in text and XML.")
    var pretty = false

    @Flag(help: "Stop at the first result.")
    var first = false

    @Flag(
        help: ArgumentHelp(
            "Print 'FILE:LINE:' before each result: the beginning of its stanza. JSON and XML call it 'source'."))
    var withSource = false

    @Flag(
        name: .shortAndLong,
        help: "Search the files in folders, but not binary ones, and none whose names begin with a dot.")
    var recursive = false

    @Flag(help: "Continue at the end of the file as it grows, until Ctrl-C.")
    var follow = false

    @Flag(help: "Print the numbers of results and stanzas, the speed, and the text of logs that was passed over.")
    var stats = false

    @Flag(help: "Parse every stanza, also those that cannot have a result, and report the first mistake of each.")
    var parseAll = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of threads, 1 to 256; for well-formed input, the output is the same (1).", valueName: "number"))
    var jobs: Int?

    @Flag(help: "Do not show progress, which a terminal shows for input that is long or takes a second.")
    var noProgress = false

    func validate() throws {
        if query == nil, !namesQueries { throw ValidationError("Missing expected argument '<query>'") }
        if Set(outputFormats).count > 1 {
            let given = OutputFormat.allCases.filter(outputFormats.contains).map { "--\($0.rawValue)" }
            throw ValidationError("\(given.joined(separator: " and ")) exclude each other: pass one.")
        }
        if columns.isEmpty, outputFormat == .csv || outputFormat == .tsv {
            throw ValidationError("--\(outputFormat.rawValue) is a format of rows: pass --row.")
        }
        let names = (withSource ? ["source"] : []) + columns.map(\.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }), !columns.isEmpty {
            throw ValidationError("Two columns have the name '\(name)'.")
        }
        if !columns.isEmpty, outputFormat == .xml { throw ValidationError("--xml is not a format of rows.") }
        if pretty, ![.text, .xml].contains(outputFormat) || !columns.isEmpty {
            throw ValidationError("--pretty is for elements in text and XML.")
        }
        if follow, inputs.count != 1 || inputs == ["-"] || recursive {
            throw ValidationError("--follow takes one file. Standard input is read as it arrives.")
        }
        if (queryFiles + inputs).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once: write '-' once, or name a file.")
        }
        if namesQueries, numberedQueries.isEmpty, queryFiles.isEmpty, columns.allSatisfy({ $0.query == nil }),
            !values.texts.isEmpty
        {
            throw ValidationError("--arg is for queries: pass --query, or a query in --row.")
        }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 256.") }
    }

    var texts: [String] {
        (namesQueries ? [] : [query ?? ""]) + numberedQueries + columns.compactMap(\.query) + [
            input.defaultNamespace, containers ?? "",
        ] + input.stanzaMembers + values.texts
    }

    private var outputFormat: OutputFormat { outputFormats.first ?? .text }
    /// Whether this is one of many commands that filter the lines of an archive.
    private var isFilter: Bool { input.format == .lines }

    /// Whether options have the queries, and not the first argument.
    private var namesQueries: Bool { !numberedQueries.isEmpty || !columns.isEmpty || !queryFiles.isEmpty }

    /// The inputs. If options have the queries, the first argument is one of them.
    private var inputs: [String] {
        let inputs = (namesQueries ? [query].compactMap(\.self) : []) + files
        return inputs.isEmpty ? [recursive ? "." : "-"] : inputs
    }

    func run(on console: Console) -> CommandStatus {
        if !namesQueries, !recursive, let query, console.byteCount(query) != nil {
            let name = query.asFileName
            // Nothing would happen until Ctrl-D.
            if files.isEmpty, console.terminal?.givesInput == true {
                console.report("\(name) is a file; the query is missing: stanza QUERY \(name)")
                return .usage
            }
            if files.count == 1, Self.isQuery(files[0]) {
                console.report("\(name) is a file; the query comes first: stanza '\(files[0])' \(name)")
                return .usage
            }
        }
        let list = QueryList(queryFiles, compiling.options, console)
        if list.status != .success { return list.status }
        if !queryFiles.isEmpty, list.queries.isEmpty {
            console.report("no query in \(queryFiles.map(\.asFileName).joined(separator: ", "))")
            return .badInput
        }
        var texts = numberedQueries + list.queries.map(\.query.source)
        let conditions = texts.count
        texts += namesQueries ? columns.compactMap(\.query) : [query ?? ""]
        do throws(QueryError) {
            let queries =
                namesQueries
                ? try SearchQueries(texts, arguments: values.texts, options: compiling.options)
                : try SearchQueries(texts[0], arguments: values.texts, options: compiling.options)
            var elements: Query<Element>?
            if let containers {
                guard try Query(containers, options: compiling.options).resultKind == .element else {
                    console.report("--each is a query of elements, without '@', '#', '$' or '\\' at its end")
                    return .usage
                }
                elements = try Query(containers, as: Element.self, options: compiling.options).binding(arguments: [])
            }
            return search(queries, conditions: conditions, in: elements, texts: texts, console)
        } catch {
            console.report(verbatim: error.description)
            console.report(warningsAfter: error, compiling.options)
            values.advise(on: error, console)
            if let query, !namesQueries, let queries = Self.union(query) {
                console.report(verbatim: "  did you mean \(queries)?")
            }
            return .usage
        }
    }

    /// Whether an argument can only be a query.
    private static func isQuery(_ text: String) -> Bool {
        text.contains { "/@#$<{".contains($0) } && (try? Query(text)) != nil && (try? FileName.status(of: text)) == nil
    }

    /// The options for `a|b`, which elsewhere is the union of two queries.
    private static func union(_ text: String) -> String? {
        let parts = text.split(separator: "|").map { String($0).trimmed }
        // A word after the bar is a misspelled conversion.
        guard parts.count > 1, parts.dropFirst().allSatisfy({ $0.contains { "/@#$<{*".contains($0) } }),
            parts.allSatisfy({ !$0.contains("'") && (try? Query($0)) != nil })
        else { return nil }
        return parts.map { "--query '\($0)'" }.joined(separator: " ")
    }

    private func search(
        _ queries: SearchQueries, conditions: Int, in containers: Query<Element>?, texts: [String], _ console: Console
    ) -> CommandStatus {
        var settings = input.settings.named(atPipe: "stanza find QUERY")
        if !parseAll {
            settings.prefilters = queries.prefilters(ofFirst: columns.isEmpty ? 0 : conditions)
            settings.firstTag = firstTag(for: queries)
        }
        settings.members.kept = columns.compactMap(\.member)
        let evaluator = Evaluator(
            queries: queries, settings: settings,
            formatter: ResultFormatter(
                format: outputFormat, showsSource: withSource,
                numberedQueries: columns.isEmpty ? queries.numbered : 0, layout: pretty ? .pretty : .compact,
                painter: console.painter),
            rows: rows(conditions: conditions), containers: containers,
            stopsAtFirst: first || outputFormat == .check, isInterrupted: console.isInterrupted)
        let (files, folderStatus) = recursive ? InputFiles.inFolders(inputs, on: console) : (inputs, .success)
        if folderStatus == .interrupted { return .interrupted }
        let start = ContinuousClock.now
        let standardInput = RememberedSource(console.input)
        var search = Search(
            evaluator, jobs: jobs ?? 1, progress: progress(of: files, on: console),
            on: follow ? console.following() : console.reading(standardInput))
        let status = max(search.run(files), folderStatus)
        if stats { console.report(verbatim: search.summary(after: start.duration(to: .now))) }
        let isWholeSearch = status == .success && !first && console.output.failure == nil
        if status == .nothing || isWholeSearch, outputFormat != .check, !isFilter {
            let results = columns.isEmpty ? search.counts : search.columnResults
            for (query, text) in texts.enumerated() where results[query] == 0 {
                console.report(warningsIn: text, compiling.options)
            }
            if search.stanzas == 0, let each = self.containers { console.report(warningsIn: each, compiling.options) }
            for (index, column) in columns.filter({ $0.member != nil }).enumerated()
            where search.stanzas > 0 && !search.hasPassedOver && results[texts.count + index] == 0 && !column.isOfLogs {
                console.report(verbatim: "\(column.name): no line has that member")
            }
            explain(texts, results, of: search.stanzas, in: containers, files, standardInput, settings, console)
        }
        return isFilter && outputFormat != .check && status == .nothing ? .success : status
    }

    /// Reports the reasons of queries without results, or of a container query that finds no stanza.
    private func explain(
        _ texts: [String], _ results: ResultCounts, of stanzas: Int, in containers: Query<Element>?, _ files: [String],
        _ standardInput: RememberedSource, _ settings: ReadingSettings, _ console: Console
    ) {
        var settings = settings
        settings.prefilters = []
        settings.firstTag = nil
        let empty = texts.indices.filter { results[$0] == 0 }
        guard 1...SearchQueries.mostPrefilters ~= empty.count, !follow else { return }
        var searches: [(name: String, search: NearMissSearch)] = []
        if stanzas == 0, let containers {
            searches = [("--each: ", NearMissSearch(for: containers))]
            return console.report(nearMissesOf: searches, in: nil, files, standardInput, settings)
        }
        let columns = columns.filter { $0.query != nil }.map(\.name)
        let names = (0..<texts.count - columns.count).map { "query \($0 + 1)" } + columns
        // The arguments go to the queries in order.
        var rest = values.texts[...]
        for (index, text) in texts.enumerated() {
            guard let query = try? Query(text, options: compiling.options) else { continue }
            let arguments = query.arguments(from: Array(rest.prefix(query.argumentCount)))
            rest = rest.dropFirst(query.argumentCount)
            guard empty.contains(index) else { continue }
            let name = texts.count == 1 ? "" : names[index] + ": "
            searches.append((name, NearMissSearch(for: query, arguments: arguments)))
        }
        console.report(nearMissesOf: searches, in: containers, files, standardInput, settings)
    }

    /// The query, if the output needs nothing but what the first tags of stanzas give.
    private func firstTag(for queries: SearchQueries) -> FirstTag? {
        guard case .one(let query) = queries, columns.isEmpty, containers == nil, !first, let query = query.tagQuery
        else { return nil }
        switch outputFormat {
        case .text where query.result != nil && !withSource: return FirstTag(query, printsResults: true)
        case .count: return FirstTag(query, printsResults: false)
        case .text, .json, .xml, .csv, .tsv, .check: return nil
        }
    }

    private func rows(conditions: Int) -> RowFormatter? {
        if columns.isEmpty { return nil }
        return RowFormatter(
            columns: columns, format: outputFormat, showsSource: withSource, hasHeader: !isFilter,
            conditions: conditions)
    }

    private func progress(of files: [String], on console: Console) -> Progress? {
        guard let terminal = console.terminal, !noProgress, !follow else { return nil }
        if terminal.givesInput, files.contains("-") { return nil }
        // The sum of the sizes of sparse files may exceed any integer.
        let size = files.reduce(0 as Int?) { sum, file in
            guard let sum, let size = console.byteCount(file) else { return nil }
            let (next, isTooMuch) = sum.addingReportingOverflow(size)
            return isTooMuch ? nil : next
        }
        return Progress(of: size, on: console)
    }
}

/// The flags that change the format of the output; one at most.
extension OutputFormat: EnumerableFlag {
    static let allCases: [OutputFormat] = [.json, .xml, .csv, .tsv, .count, .check]

    static func help(for value: OutputFormat) -> ArgumentHelp? {
        switch value {
        case .text: nil
        case .json: "Print each result, or each row, as a JSON object in a line."
        case .csv:
            "Print rows as comma-separated values (RFC 4180, with '\\n'), with a header; U+FFFD replaces controls."
        case .tsv: "Print rows as tab-separated values, with a header and '\\t', '\\n' and '\\\\' as escapes."
        case .xml: "Print one XML document with all results."
        case .count: "Print only the number of results, of each query with --query, or of rows."
        case .check: "Print nothing, stop at the first result, and report it in the exit code."
        }
    }
}
