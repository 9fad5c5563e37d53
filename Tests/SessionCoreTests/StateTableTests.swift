// The table of phases and events in the documentation, compared with the code cell by cell.
//
// With STANZA_RECORD=1 the test rewrites it: read it before you commit it.

import Foundation
import SessionCore
import TestSupport
import Testing

@Suite struct StateTableTests {
    private static let article = packageFolder.appending(
        path: "Sources/XMPPSession/XMPPSession.docc/SessionStates.md")
    private static var tables: [(String, [StateTable.Row])] {
        [
            ("Calls of the application", StateTable.wanted), ("Events of the session", StateTable.passive),
            ("Results of actions", StateTable.results),
        ]
    }

    /// The kinds of actions, and the next phase if it differs.
    private static func cell(_ phase: String, _ row: StateTable.Row) -> String {
        let core = StateTable.core(in: phase)
        row.before(core)
        let before = core.phase
        var kinds: [String] = []
        for action in core.handle(row.event(core)) where kinds.last != action.kind { kinds.append(action.kind) }
        let steps = kinds.joined(separator: ", ") + (core.phase == before ? "" : " → **\(core.phase)**")
        return steps.isEmpty ? "–" : steps.trimmingCharacters(in: .whitespaces)
    }

    private static func markdown(_ rows: [StateTable.Row]) -> String {
        var lines = ["| | " + StateTable.phases.joined(separator: " | ") + " |"]
        lines.append("| --- |" + String(repeating: " --- |", count: StateTable.phases.count))
        for row in rows {
            let cells = StateTable.phases.map { cell($0, row) }
            lines.append("| \(row.name) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private static var isRecording: Bool { ProcessInfo.processInfo.environment["STANZA_RECORD"] == "1" }

    @Test func articleShowsEveryCell() throws {
        var article = try String(contentsOf: Self.article, encoding: .utf8)
        for (title, rows) in Self.tables {
            let heading = "\n### \(title)\n"
            let start = try #require(article.range(of: heading)?.upperBound, "the article has no heading '\(title)'")
            let end = article[start...].range(of: "\n##")?.lowerBound ?? article.endIndex
            let known = article[start..<end].split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
            let table = Self.markdown(rows)
            if Self.isRecording { article.replaceSubrange(start..<end, with: "\n\(table)\n") }
            #expect(known == table, "STANZA_RECORD=1 writes the table anew")
        }
        if Self.isRecording { try article.write(to: Self.article, atomically: true, encoding: .utf8) }
    }

    @Test(arguments: StateTable.phases) func thePhaseIsReached(phase: String) {
        #expect(StateTable.core(in: phase).phase == phase)
    }
}

extension DurableSessionCore.Action {
    /// The name of the case.
    fileprivate var kind: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }
}
