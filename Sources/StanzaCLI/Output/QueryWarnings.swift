// What is said of a query that is legal and probably not what was meant: a command's user has no linter at hand.

import QueryRemarks
import QuerySyntax
import StanzaQuery

extension Console {
    /// Says what is doubtful in the text of a query that compiles, in the order of the text.
    func report(warningsIn query: String, _ options: QueryOptions) {
        let check = TextCheck(ParsedQuery(parsing: query), ignoresCase: options.contains(.caseInsensitiveFilters))
        for remark in check.remarks.prefix(QueryLimits.diagnostics) { report(verbatim: remark.rendered(in: query)) }
    }
}
