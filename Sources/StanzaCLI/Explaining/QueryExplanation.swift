// A query as text for users: its syntax tree and its program.

import QuerySyntax
import QueryTools
import StanzaQuery

/// The sections of an explanation.
struct QueryExplanation {
    let painter: Painter

    /// The syntax tree, also of a query that is wrong.
    func tree(of query: String) -> String {
        let tree = ParsedQuery(parsing: query).tree.description
        return section("Syntax tree", tree.isEmpty ? "the element itself" : tree)
    }

    /// The program, the kind of its results, and its prefilter.
    func program(of query: Query<QueryValue>, showingBytes: Bool = false) -> String {
        var text = section("Program", query.listing(showingBytes: showingBytes))
        text += "\nResults: \(query.resultKind.rawValue)\n"
        if query.argumentCount > 0 { text += "Arguments: \(query.argumentCount)\n" }
        return text + "\n" + section("Prefilter", query.prefilter.description)
    }

    func section(_ title: String, _ text: String) -> String {
        let lines = text.split(separator: "\n").map { "  \($0)\n" }
        return painter.paint("\(title):", .heading) + "\n" + lines.joined()
    }
}
