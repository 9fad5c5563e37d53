// `stanza explain`: what a query means, and what it becomes.

import ArgumentParser
import QuerySyntax
import StanzaQuery

/// Shows the syntax tree and the program of a query.
struct ExplainCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show the syntax tree of a query, and the annotated program that it is compiled to.",
        discussion: """
            A query that is wrong has no program: its mistakes are shown on standard error, behind as much of the tree \
            as could be understood, and the exit code is 2.

            EXAMPLES
              stanza explain '{urn:xmpp:mam:2}fin@complete|bool'
              stanza explain --ignore-case '/<type=error>'
            """)

    @Argument(help: "The query; one that begins with '-' comes behind '--'.")
    var query: String

    @OptionGroup var compiling: CompileFlags

    func run(on console: Console) -> CommandStatus {
        let tree = ParsedQuery(parsing: query).tree.description
        console.output.write(section("Syntax tree", tree.isEmpty ? "the element itself" : tree))
        do throws(QueryError) {
            let query = try Query(query, options: compiling.options)
            console.output.write("\n" + section("Program", query.listing))
            console.output.write("\nResults: \(query.resultKind.rawValue)\n")
            if query.argumentCount > 0 { console.output.write("Arguments: \(query.argumentCount)\n") }
            return .success
        } catch {
            for diagnostic in error.diagnostics { console.report(drawn: diagnostic.rendered(in: query)) }
            return .usage
        }
    }

    private func section(_ title: String, _ text: String) -> String {
        let lines = text.split(separator: "\n").map { "  \($0)\n" }
        return "\(title):\n" + lines.joined()
    }
}
