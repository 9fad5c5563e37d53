// Lines of cells for people: listings, traces, and the tables of the commands.

/// Puts rows into lines whose columns have one width, two spaces apart. The last column is as long as it likes.
///
/// - Parameters:
///   - rows: As many cells in each, without line breaks.
///   - numbers: The columns whose cells end at one place instead of beginning there.
package func alignedLines(of rows: [[String]], numbers: Set<Int> = []) -> [String] {
    let last = (rows.first?.count ?? 1) - 1
    let widths = (0..<last).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        var line = ""
        for (column, cell) in row.enumerated() {
            let padding = column < last ? String(repeating: " ", count: widths[column] - cell.count) : ""
            line += (column > 0 ? "  " : "") + (numbers.contains(column) ? padding + cell : cell + padding)
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
