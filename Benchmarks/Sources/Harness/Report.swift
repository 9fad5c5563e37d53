// Collects measurements, and writes them as Markdown.

import Foundation

/// A table of results.
package struct Section {
    let title: String
    let note: String
    let columns: [String]
    let rows: [[String]]

    package init(_ title: String, note: String, columns: [String], rows: [[String]]) {
        self.title = title
        self.note = note
        self.columns = columns
        self.rows = rows
    }

    /// The table with its heading and note.
    package var markdown: String {
        // Queries have bars in them.
        func line(_ cells: [String]) -> String {
            "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        let rule = "|" + columns.indices.map { $0 == 0 ? " --- |" : " ---: |" }.joined()
        return (["## \(title)", "", note, "", line(columns), rule] + rows.map(line)).joined(separator: "\n") + "\n"
    }
}

/// A goal and its measurement: one value or several.
package struct Goal {
    /// A limit, and a value that is measured against it.
    package struct Bound {
        let target: String
        let measured: String
        let holds: Bool

        package static func atMost(_ limit: Double, _ value: Double, _ unit: String = "×") -> Bound {
            Bound(target: "≤ \(limit.short) \(unit)", measured: "\(value.short) \(unit)", holds: value <= limit)
        }

        package static func atLeast(_ limit: Double, _ value: Double, _ unit: String = "×") -> Bound {
            Bound(target: "≥ \(limit.short) \(unit)", measured: "\(value.short) \(unit)", holds: value >= limit)
        }
    }

    package let text: String
    package let bounds: [Bound]

    package init(_ text: String, _ bounds: Bound...) {
        self.text = text
        self.bounds = bounds
    }

    package var row: [String] {
        [
            text, bounds.map(\.target).joined(separator: ", "), bounds.map(\.measured).joined(separator: ", "),
            bounds.allSatisfy(\.holds) ? "yes" : "**no**",
        ]
    }
}

/// The results of one run.
package final class Report {
    private var sections: [Section] = []
    private var goals: [Goal] = []
    /// The machine and the versions of the run.
    private let circumstances: [String]

    package init(circumstances: [String]) {
        self.circumstances = circumstances
    }

    /// Adds a section and prints it, so that one sees the progress of the run.
    package func add(_ section: Section) {
        sections.append(section)
        print("\n" + section.markdown)
    }

    package func add(_ goal: Goal) { goals.append(goal) }

    package var goalsSection: Section {
        Section(
            "Goals", note: "Ratios of times, if no unit is given.", columns: ["goal", "target", "measured", "holds"],
            rows: goals.map(\.row))
    }

    /// Writes `RESULTS.md`.
    package func write() throws {
        var text = "# Results\n\nWritten by `benchmarks run`; [README.md](README.md) describes how it measures. "
        text += "Compare ratios, not figures. The best of several engines is bold.\n\n"
        text += circumstances.map { "- \($0)\n" }.joined() + "\n" + goalsSection.markdown
        text += sections.map { "\n" + $0.markdown }.joined()
        try text.write(to: Repository.benchmarks.appending(path: "RESULTS.md"), atomically: true, encoding: .utf8)
    }
}

extension [Double] {
    /// Cells of a table's row. The best is bold.
    package func cells(best: Double?) -> [String] { map { $0 == best ? "**\($0.short)**" : $0.short } }
}

extension Double {
    /// Three significant digits.
    package var short: String {
        if !isFinite { return "–" }
        if self == 0 { return "0" }
        let digits = Swift.min(Swift.max(0, 2 - Int(log10(magnitude).rounded(.down))), 3)
        if magnitude < 1e4 { return String(format: "%.\(digits)f", self) }
        let whole = formatted(.number.precision(.fractionLength(0)).locale(Locale(identifier: "en_US")))
        return whole.replacing(",", with: "\u{202F}")
    }
}
