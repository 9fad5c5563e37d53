// `stanza explain`: what a query means, what it becomes, and what it does; what the queries of a set share.

import ArgumentParser
import QuerySyntax
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
            stanza explain <query> [--trace <file>] [<options>]
            stanza explain --set <file> ... [<options>]
            """,
        discussion: """
            INPUT
            None but the query, unless '--trace' names a file: it is read as 'stanza find' reads it, as far as the stanza \
            that is traced. The files of '--set' have a query in each line, at most 100,000 in all.

            OUTPUT
            The program has an instruction in each line: its address, the bytes of the query that it comes from, its \
            name, its operands, what it does to the stack of cursors, and what it is for. A trace has a line for each \
            step: the instruction, the element that the top cursor stands on, with its place among its parent's \
            children, and the result if one was found.
            Of a set, the tests are a tree: what queries begin with together is tested once. Behind each test stand the \
            queries that end there, with their numbers, counted from 0; a '+' says that a program of its own decides the \
            rest. '…' and 0 stand for arguments. The list in the end are queries that no hash finds: they are tried on \
            every stanza, and a set should have few of them.

            EXIT CODES
              0  the query is explained, or the set
              1  the file has no such stanza to trace
              2  the command, a query or an argument is wrong
              3  a file cannot be read, or the output cannot be written
            A query that is wrong has no program: its mistakes are shown on standard error, behind as much of the tree \
            as could be understood.

            EXAMPLES
              stanza explain '{urn:xmpp:mam:2}fin@complete|bool'
              stanza explain --ignore-case '/<type=error>'
              stanza explain --bytes 'body#'
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

    @Option(help: ArgumentHelp("Trace this stanza instead, counted from 1.", valueName: "number"))
    var stanza: Int?

    @OptionGroup var values: ArgumentOption
    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if query == nil, setFiles.isEmpty { throw ValidationError("Name a query, or files of queries with --set.") }
        if !setFiles.isEmpty, query != nil || trace != nil || bytes {
            throw ValidationError("--set goes without a query, --trace and --bytes.")
        }
        if let stanza, stanza < 1 { throw ValidationError("--stanza counts from 1.") }
        if trace == nil, stanza != nil || !values.texts.isEmpty {
            throw ValidationError("--stanza and --arg are for --trace.")
        }
    }

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
        console.output.write(QueryExplanation.tree(of: query))
        do throws(QueryError) {
            let query = try Query(query, options: compiling.options)
            console.output.write("\n" + QueryExplanation.program(of: query, showingBytes: bytes))
            guard let trace else { return .success }
            return try run(query, on: trace, console)
        } catch {
            for diagnostic in error.diagnostics { console.report(drawn: diagnostic.rendered(in: query)) }
            return .usage
        }
    }

    /// Shows what the query does on the stanza that was asked for.
    private func run(_ query: Query, on file: String, _ console: Console) throws(QueryError) -> CommandStatus {
        var found: NumberedStanza
        do throws(SystemError) {
            found = try NumberedStanza(stanza ?? 1, of: file, console, input.settings)
        } catch {
            console.report("\(file.onOneLine): \(error)")
            return .badInput
        }
        for problem in found.problems { console.report(drawn: problem.report(in: file)) }
        let status = found.problems.isEmpty ? CommandStatus.success : .badInput
        guard let element = found.element else {
            console.report("\(file.onOneLine): there is no stanza \(stanza ?? 1); there are \(found.count)")
            return max(status, .nothing)
        }
        let trace = try query.trace(on: element, arguments: typedArguments(values.texts, for: query))
        let steps = trace.steps.isEmpty ? "no step was needed" : trace.description
        console.output.write(
            "\n" + QueryExplanation.section("Trace on \(ResultSource(file: file, line: found.line).text)", steps))
        return status
    }
}
