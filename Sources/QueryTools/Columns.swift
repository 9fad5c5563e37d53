// Lines of cells for people: listings, traces, and the tables of the commands.

/// The maximum width of a column. A longer cell shifts the rest of its own line. If it widened all other lines, the
/// size of the output would be the product of line count and text length.
private let maximumColumnWidth = 80

/// Puts rows into lines whose columns have one width, two spaces apart. The last column has any length, and so has a
/// single cell of more than 80 characters. The lines are linear in the cells.
///
/// - Parameters:
///   - rows: As many cells in each, without line breaks.
///   - numbers: The columns whose cells end at one place instead of beginning there.
package func alignedLines(of rows: [[String]], numbers: Set<Int> = []) -> [String] {
    let last = (rows.first?.count ?? 1) - 1
    let widths = (0..<last).map { column in min(rows.map { $0[column].count }.max() ?? 0, maximumColumnWidth) }
    return rows.map { row in
        var line = ""
        for (column, cell) in row.enumerated() {
            let missing = column < last ? max(0, widths[column] - cell.count) : 0
            let padding = String(repeating: " ", count: missing)
            line += (column > 0 ? "  " : "") + (numbers.contains(column) ? padding + cell : cell + padding)
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
