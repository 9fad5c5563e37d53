// How much work a query was, as a table: `stanza explain --stats`.

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
        let widths = (0..<4).map { column in all.map { $0[column].count }.max() ?? 0 }
        let lines = all.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 1 ? cell.0 + padding : padding + cell.0
            }
            return (cells + [row[4]]).joined(separator: "  ").trimmedAtEnd
        }
        return lines.joined(separator: "\n")
    }

    /// How many results there were, and the work for a stanza.
    var summary: String {
        let stanzas = elementCount == 1 ? "1 stanza" : "\(elementCount) stanzas"
        let results = resultCount == 1 ? "1 result" : "\(resultCount) results"
        var text = "\(results) in \(foundCount) of \(stanzas)"
        if elementCount > 0 {
            text += "; \(mean(runs)) instructions and \(mean(visits)) elements for a stanza"
        }
        return text
    }

    /// With one digit behind the point.
    private func mean(_ count: Int) -> String {
        let tenths = (count * 10 + elementCount / 2) / elementCount
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
