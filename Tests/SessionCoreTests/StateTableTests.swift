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

    @Test func articleShowsEveryCell() throws {
        let tables = Self.tables.map { heading, rows in
            let rows = rows.map { row in (row.name, StateTable.phases.map { Self.cell($0, row) }) }
            return (heading, GeneratedTables.markdown(columns: StateTable.phases, rows: rows))
        }
        #expect(
            try GeneratedTables.differences(in: Self.article, from: tables) == [],
            "STANZA_RECORD=1 writes the tables anew")
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
