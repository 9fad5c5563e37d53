// Collects measurements, and writes them as Markdown with plots beside it.

import Foundation

/// A table of results, and a plot of it.
struct Section {
    let title: String
    var note: String?
    var columns: [String]
    var rows: [[String]]
    var plot: Plot?

    init(_ title: String, note: String? = nil, columns: [String], rows: [[String]] = [], plot: Plot? = nil) {
        self.title = title
        self.note = note
        self.columns = columns
        self.rows = rows
        self.plot = plot
    }
}

/// A goal and its measurement.
struct Goal {
    let text: String
    let target: String
    let measured: String
    /// `nil` when it is not known yet.
    let holds: Bool?
    /// Why it does not hold, if it does not, and what bounds it.
    var reason: String?

    /// The same with the reason if it does not hold.
    func because(_ reason: String) -> Goal {
        var goal = self
        goal.reason = reason
        return goal
    }

    /// Holds when the value is at most, or at least, a bound.
    static func atMost(_ bound: Double, _ text: String, _ value: Double, unit: String = "×") -> Goal {
        Goal(
            text: text, target: "≤ \(bound.short) \(unit)", measured: "\(value.short) \(unit)", holds: value <= bound)
    }

    static func atLeast(_ bound: Double, _ text: String, _ value: Double, unit: String = "×") -> Goal {
        Goal(
            text: text, target: "≥ \(bound.short) \(unit)", measured: "\(value.short) \(unit)", holds: value >= bound)
    }

    static func open(_ text: String, target: String, why: String) -> Goal {
        Goal(text: text, target: target, measured: why, holds: nil)
    }
}

/// Everything that one run found out.
final class Report {
    private(set) var sections: [Section] = []
    private(set) var goals: [Goal] = []
    /// The machine and the versions of the run.
    private let circumstances: [String]

    init(circumstances: [String]) {
        self.circumstances = circumstances
    }

    /// Adds a section and prints it, so that one sees the run go on.
    func add(_ section: Section) {
        sections.append(section)
        print("\n" + Self.text(of: section, plotPath: nil))
    }

    func add(_ goal: Goal) {
        goals.append(goal)
    }

    var goalsSection: Section {
        Section(
            "Goals", columns: ["goal", "target", "measured", "holds"],
            rows: goals.map {
                [$0.text, $0.target, $0.measured, $0.holds.map { $0 ? "yes" : "**no**" } ?? "open"]
            })
    }

    /// Writes `RESULTS.md` into a folder, and the plots into `plots` beside it.
    func write(to folder: URL) throws {
        let plots = folder.appending(path: "plots")
        try? FileManager.default.removeItem(at: plots)
        try FileManager.default.createDirectory(at: plots, withIntermediateDirectories: true)
        var text = "# Results\n\nWritten by `benchmarks run`; [README.md](README.md) describes how it measures. "
        text += "Compare ratios, not figures.\n\n"
        text += circumstances.map { "- \($0)\n" }.joined() + "\n"
        text += Self.text(of: goalsSection, plotPath: nil)
        let missed = goals.filter { $0.holds == false }
        if !missed.isEmpty {
            text += "\n### Missed goals\n\n"
            text += missed.map { "- *\($0.text)*: \($0.reason ?? "no reason is known.")\n" }.joined()
        }
        for section in sections {
            var path: String?
            if let plot = section.plot {
                let name = section.title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
                path = "plots/\(name).svg"
                try plot.svg.write(to: plots.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
            }
            text += "\n" + Self.text(of: section, plotPath: path)
        }
        try text.write(to: folder.appending(path: "RESULTS.md"), atomically: true, encoding: .utf8)
    }

    private static func text(of section: Section, plotPath: String?) -> String {
        var lines = ["## \(section.title)", ""]
        if let note = section.note { lines += [note, ""] }
        lines.append("| " + section.columns.joined(separator: " | ") + " |")
        lines.append("|" + section.columns.indices.map { $0 == 0 ? " --- |" : " ---: |" }.joined())
        lines += section.rows.map { "| " + $0.map(escaped).joined(separator: " | ") + " |" }
        if let plotPath { lines += ["", "![\(section.title)](\(plotPath))"] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Queries have bars and backslashes in them.
    private static func escaped(_ cell: String) -> String {
        cell.replacingOccurrences(of: "|", with: "\\|")
    }
}

extension Double {
    /// Three significant digits.
    var short: String {
        if !isFinite { return "–" }
        if self == 0 { return "0" }
        let digits = max(0, 2 - Int(log10(magnitude).rounded(.down)))
        let text = String(format: "%.\(Swift.min(digits, 3))f", self)
        return magnitude >= 1e4 ? Self.grouped(text) : text
    }

    private static func grouped(_ digits: String) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append("\u{202F}") }
            result.append(digit)
        }
        return result
    }
}
