// Warnings about a query that is legal but probably not intended, because users of a command have no linter.

import QueryRemarks
import QuerySyntax
import StanzaQuery

extension Console {
    /// Reports the doubtful parts of the text of a query that compiles, in text order.
    ///
    /// - Parameter place: The beginning of each message.
    func report(warningsIn query: String, _ options: QueryOptions, at place: String = "") {
        let check = TextCheck(ParsedQuery(parsing: query), ignoresCase: options.contains(.caseInsensitiveFilters))
        for remark in check.remarks.prefix(QueryLimits.diagnostics) {
            report(verbatim: place + remark.rendered(in: query))
        }
    }

    /// Reports the doubtful parts of a query with the repairs of its mistakes, so that the next try succeeds.
    func report(warningsAfter error: QueryError, _ options: QueryOptions) {
        guard let repaired = error.first.repaired(error.source), (try? Query(repaired, options: options)) != nil else {
            return
        }
        report(warningsIn: repaired, options)
    }
}
