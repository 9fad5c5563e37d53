// The amount of work of a query, as a table: `stanza explain --stats`.

import QueryTools
import StanzaQuery

extension QueryStatistics {
    /// A line for each instruction, and one for all of them.
    var table: String {
        let head = [["", "query", "runs", "elements", "instruction"]]
        let rows = steps.map { step in
            [
                String(step.address), "\(step.range.lowerBound)-\(step.range.upperBound)", String(step.runs),
                step.isStep ? String(step.visits) : "", step.instruction,
            ]
        }
        let all = head + rows + [["", "all", String(runs), String(visits), ""]]
        return alignedLines(of: all, numbers: [0, 2, 3]).joined(separator: "\n")
    }

    /// How many results there were, and the work for a stanza.
    var summary: String {
        var text = "\(counted(resultCount, "result")) in \(foundCount) of \(counted(elementCount, "stanza"))"
        if elementCount > 0 {
            text += "; \(mean(runs)) instructions and \(mean(visits)) elements for a stanza"
        }
        return text
    }

    private func mean(_ count: Int) -> String { decimal(tenths: (count * 10 + elementCount / 2) / elementCount) }
}
