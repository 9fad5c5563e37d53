// Aligns the columns of rows. The first rows decide the widths, so that memory is bounded and rows appear as they come.

import DataForms

/// Pads the fields of lines, which tabs separate.
struct ColumnAligner {
    private var widths: [Int] = []
    /// Lines that wait for the widths.
    private var waiting: [UInt8] = []
    private var isDecided = false
    /// The least lines that decide the widths. A header alone keeps waiting.
    private let least: Int

    /// The bytes of rows that decide the widths.
    static let sample = 1 << 16
    /// The maximum width of a column. A longer value moves the rest of its row.
    static let maximumWidth = 48

    init(hasHeader: Bool) {
        least = hasHeader ? 2 : 1
    }

    /// Adds whole lines. Returns the lines that are ready, aligned.
    mutating func align(_ lines: [UInt8]) -> [UInt8] {
        if isDecided { return padded(lines) }
        waiting += lines
        return waiting.count >= Self.sample ? flush() : []
    }

    /// The lines that wait, if they are enough.
    mutating func flush() -> [UInt8] {
        if isDecided || waiting.count(where: { $0 == UInt8(ascii: "\n") }) < least { return [] }
        isDecided = true
        for line in waiting.split(separator: UInt8(ascii: "\n")) {
            for (column, field) in Self.fields(of: line).enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], min(field.columnCount, Self.maximumWidth))
            }
        }
        defer { waiting = [] }
        return padded(waiting)
    }

    private func padded(_ lines: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            var spaces = 0
            for (column, field) in Self.fields(of: line).enumerated() {
                if !field.isEmpty {
                    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: spaces))
                    bytes += field.utf8
                    spaces = 0
                }
                spaces += max(0, widths[column] - field.columnCount) + 2
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private static func fields(of line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
