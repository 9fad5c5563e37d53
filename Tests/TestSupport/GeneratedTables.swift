// Tables in articles that tests generate.

public import Foundation

public enum GeneratedTables {
    /// Whether the tests write the tables instead of only comparing them.
    public static var isRecording: Bool { ProcessInfo.processInfo.environment["STANZA_RECORD"] == "1" }

    /// A table in Markdown, with a column for each name and the names of the rows before them.
    public static func markdown(columns: [String], rows: [(name: String, cells: [String])]) -> String {
        let rule = "|" + String(repeating: " --- |", count: columns.count + 1)
        let lines = rows.map { "| \($0.name) | " + $0.cells.joined(separator: " | ") + " |" }
        return (["| | " + columns.joined(separator: " | ") + " |", rule] + lines).joined(separator: "\n")
    }

    /// Compares the tables below some headings of an article. With STANZA_RECORD=1 it also replaces them.
    ///
    /// - Returns: The headings that are missing, or have another table.
    public static func differences(
        in article: URL, from tables: [(heading: String, table: String)]
    ) throws -> [String] {
        var text = try String(contentsOf: article, encoding: .utf8)
        var differences: [String] = []
        for (heading, table) in tables {
            guard let start = text.range(of: "\n### \(heading)\n")?.upperBound else {
                differences.append(heading)
                continue
            }
            let end = text[start...].range(of: "\n##")?.lowerBound ?? text.endIndex
            let lines = text[start..<end].split(separator: "\n")
            if lines.filter({ $0.hasPrefix("|") }).joined(separator: "\n") == table { continue }
            differences.append(heading)
            let prose = lines.filter { !$0.hasPrefix("|") }.joined(separator: "\n")
            text.replaceSubrange(start..<end, with: (prose.isEmpty ? "" : "\n\(prose)\n") + "\n\(table)\n")
        }
        if isRecording { try text.write(to: article, atomically: true, encoding: .utf8) }
        return differences
    }

    /// Compares two texts of cases, which empty lines divide.
    ///
    /// - Returns: For each case that differs: its title, and the first line that differs.
    public static func differingCases(_ played: String, _ expected: String) -> [String] {
        let (played, expected) = (played.components(separatedBy: "\n\n"), expected.components(separatedBy: "\n\n"))
        guard played.count == expected.count else { return ["\(played.count) cases instead of \(expected.count)"] }
        return zip(played, expected).filter { $0.0 != $0.1 }.map { played, expected in
            let (lines, old) = (played.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
            let line = zip(lines, old).first { $0.0 != $0.1 } ?? ("", "another number of lines")
            return "\(old[0]): '\(line.0)' instead of '\(line.1)'"
        }
    }
}
