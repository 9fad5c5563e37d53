// The table of states and events in the documentation, compared with the code cell by cell; and all actions of each
// cell, word by word, with Support/StatesAndEvents.txt.
//
// With STANZA_RECORD=1 the test rewrites both: read them before you commit them.

import Foundation
import StreamManagement
import StreamSimulator
import TestSupport
import Testing

@Suite struct StateTableTests {
    private static let article = packageFolder.appending(
        path: "Sources/StreamManagement/StreamManagement.docc/StatesAndEvents.md")
    private static let transcript = packageFolder.appending(
        path: "Tests/StreamManagementTests/Support/StatesAndEvents.txt")
    private static var tables: [(String, [StateTable.Row])] {
        [
            ("Requests of the application", StateTable.wanted), ("Received elements", StateTable.received),
            ("Events of the stream", StateTable.passive),
        ]
    }

    /// One cell: the effect of an event in a state.
    private struct Cell {
        /// As in the article: the kinds of actions, and the next state if it is another.
        let short: String
        /// All actions in words, and the next state.
        let long: [String]
    }

    private static func cell(_ state: String, _ row: StateTable.Row) -> Cell {
        let core = StateTable.core(in: state, for: row)
        if let error = core.refusal(of: row.event) {
            return Cell(short: "✗ \(name(error))", long: ["error: \(error)", "state: \(core.state.text)"])
        }
        let again = StateTable.core(in: state, for: row)
        let actions = again.handle(row.event)
        var kinds: [String] = []
        for action in actions where kinds.last != action.kind { kinds.append(action.kind) }
        let next = again.state.text
        let steps = kinds.joined(separator: ", ") + (next == state ? "" : " → **\(next)**")
        return Cell(
            short: steps.isEmpty ? "–" : steps.trimmingCharacters(in: .whitespaces),
            long: actions.map(\.text) + ["state: \(next)"])
    }

    private static func name(_ error: StreamManagementError) -> String {
        switch error {
        case .alreadyEnabled: "alreadyEnabled"
        case .enablingUnderWay: "enablingUnderWay"
        case .refused: "refused"
        case .resumptionUnderWay: "resumptionUnderWay"
        case .notEnabled: "notEnabled"
        case .notBound: "notBound"
        case .alreadyBound: "alreadyBound"
        case .noSession: "noSession"
        case .ended: "ended"
        case .notAStanza: "notAStanza"
        case .queueFull: "queueFull"
        case .comesAgain: "comesAgain"
        case .tooLarge: "tooLarge"
        case .unknownStanza: "unknownStanza"
        case .nothingToDecide: "nothingToDecide"
        case .alreadyStarted: "alreadyStarted"
        }
    }

    @Test func articleShowsEveryCell() throws {
        let tables = Self.tables.map { heading, rows in
            let rows = rows.map { row in (row.name, StateTable.states.map { Self.cell($0, row).short }) }
            return (heading, GeneratedTables.markdown(columns: StateTable.states, rows: rows))
        }
        #expect(
            try GeneratedTables.differences(in: Self.article, from: tables) == [],
            "STANZA_RECORD=1 writes the tables anew")
    }

    @Test func everyActionOfEveryCell() throws {
        var text = ""
        for (_, rows) in Self.tables {
            for row in rows {
                for state in StateTable.states {
                    text += "\(row.name) when \(state)\n"
                    text += Self.cell(state, row).long.map { "    \($0)\n" }.joined()
                }
            }
        }
        let known = (try? String(contentsOf: Self.transcript, encoding: .utf8)) ?? ""
        if GeneratedTables.isRecording { try text.write(to: Self.transcript, atomically: true, encoding: .utf8) }
        let difference = zip(known.split(separator: "\n"), text.split(separator: "\n")).first { $0 != $1 }
        #expect(known == text, "STANZA_RECORD=1 writes the transcript anew; first difference: \(difference as Any)")
    }

    /// Events that show much of a core's state.
    private static var probes: [StateTable.Row] {
        StateTable.wanted.filter { ["send", "resume", "close"].contains($0.name) }
            + StateTable.received.filter { ["`<a/>`", "`<resumed/>`"].contains($0.name) }
    }

    /// A locally illegal event changes nothing: after the error the core behaves as if it had never seen the event.
    @Test func errorsChangeNothing() {
        for (_, rows) in Self.tables {
            for row in rows {
                for state in StateTable.states {
                    let core = StateTable.core(in: state, for: row)
                    guard core.refusal(of: row.event) != nil else { continue }
                    let untouched = StateTable.core(in: state, for: row)
                    #expect(core.state == untouched.state)
                    #expect(core.unacknowledged == untouched.unacknowledged)
                    #expect(core.handled == untouched.handled)
                    // The core handles every next event in the same way.
                    for next in Self.probes {
                        let one = StateTable.core(in: state, for: row)
                        _ = one.refusal(of: row.event)
                        let other = StateTable.core(in: state, for: row)
                        #expect(one.outcome(of: next.event) == other.outcome(of: next.event))
                    }
                }
            }
        }
    }
}

extension TestCore {
    /// The actions and the new state, or the error, in words.
    fileprivate func outcome(of event: Core.Event) -> [String] {
        do throws(StreamManagementError) {
            return try attempt(event).map(\.text) + [state.text, "\(unacknowledged)", "\(handled)"]
        } catch {
            return ["\(error)"]
        }
    }
}
