// The table of states and events in the documentation, compared with the code cell by cell; and all actions of each
// cell, word by word, with Support/StatesAndEvents.txt.
//
// With STANZA_RECORD=1 the test rewrites both: read them before you commit them.

import Foundation
import StreamManagement
import TestSupport
import Testing

@Suite struct StateTableTests {
    private static let article = packageFolder.appending(
        path: "Sources/StreamManagement/StreamManagement.docc/StatesAndEvents.md")
    private static let transcript = packageFolder.appending(
        path: "Tests/StreamManagementTests/Support/StatesAndEvents.txt")

    private static let enabled =
        "enable address ; receive <sm:enabled id='s1' resume='true' max='600'/> ; send <message id='m1'/> ; "
        + "send <iq id='i2'/> ; receive <message id='in'/>"
    private static let suspended = "\(enabled) ; lost ; send <message id='m3'/>"

    /// The states, in the order in which sessions go through them, and the steps to each of them. They leave something
    /// of everything: stanzas that were sent, that wait, and that are not handled.
    private static let states = [
        ("unbound", "send <message id='m1'/>"), ("bound", "bound address ; send <message id='m1'/>"),
        ("refused", "enable ; send <message id='m1'/> ; receive <sm:failed/>"),
        ("enabling", "enable address ; send <message id='m1'/> ; send <iq id='i2'/>"), ("enabled", enabled),
        ("suspended", suspended), ("resuming", "\(suspended) ; resume"), ("ended", "\(enabled) ; close"),
    ]

    /// An event, as a step of RulePlayer.
    private struct Row {
        let name: String
        let step: String
        let settings: String
        let stored: String
        let before: String
        let whenEnabled: String

        /// - Parameters:
        ///   - stored: A list of an earlier session that has a stanza: `undecided` or `held`.
        ///   - before: The step that precedes this one in all states.
        ///   - whenEnabled: The steps that precede this one in the state enabled.
        init(
            _ name: String, _ step: String? = nil, settings: String = "", stored: String = "", before: String = "",
            whenEnabled: String = ""
        ) {
            self.name = name
            self.step = step ?? name
            self.settings = settings
            self.stored = stored
            self.before = before
            self.whenEnabled = whenEnabled
        }
    }

    private static let tables: [(String, [Row])] = [
        (
            "Requests of the application",
            [
                Row("restore"), Row("bound", "bound address"), Row("enable", "enable max=300"), Row("resume"),
                Row("send", "send <message id='new'/>"), Row("greet", "greet <presence id='new'/>"),
                Row("greeted", stored: "held"), Row("release", "release 1", stored: "held"),
                Row("identify", "identify 1 late"), Row("withdraw, the first", "withdraw 1"),
                Row("withdraw, the third", "withdraw 3"), Row("requestAcknowledgement", "request"),
                Row("awaitRoom, and there is none", "room 10", settings: " places=10"),
                Row("sendAcknowledgement", "acknowledge"), Row("markHandled", "handled 1"),
                Row("handlingFailed", "fail 1"), Row("decide, not asked", "decide"),
                Row("decide, asked", "decide 1", stored: "undecided"), Row("close"),
            ]
        ),
        (
            "Received elements",
            [
                Row("`<enabled/>`", "receive <sm:enabled id='s2' resume='true' max='60'/>"),
                Row("`<resumed/>`", "receive <sm:resumed previd='s1' h='1'/>"),
                Row("`<failed/>`", "receive <sm:failed/>"), Row("`<failed h='1'/>`", "receive <sm:failed h='1'/>"),
                Row("`<a/>`", "receive <sm:a h='1'/>"), Row("`<r/>`", "receive <sm:r/>"),
                Row("a stanza", "receive <message id='in2'/>"),
                Row("other elements of `urn:xmpp:sm:3`", "receive <sm:resume/>"),
                Row("a stream error", "receive <stream:error><err:system-shutdown/></stream:error>"),
                Row("a request beyond a limit", "reject <iq type='get' id='q1' from='a@b'><a><b/></a></iq>"),
                Row("anything else", "receive <stream:features/>"),
            ]
        ),
        (
            "Events of the stream",
            [
                Row("written", "written 1"), Row("signOfLifeIsDue", "silent"), Row("peerClosed", "closed"),
                Row("transportLost", "lost"), Row("connectionReset", "reset"),
                Row("deadline of `request`", "timer request", settings: " requestsAfter=2"),
                Row(
                    "deadline of `repetition`", "timer repetition", settings: " places=10", before: "room 10",
                    whenEnabled: "receive <sm:a h='0'/> ; wait 30"),
                Row(
                    "deadline of `acknowledgement`", "timer acknowledgement", settings: " acksAfter=2",
                    whenEnabled: "handled 1"),
                Row("deadline of `answer`", "timer answer", settings: " answerDelay=2", whenEnabled: "receive <sm:r/>"),
                Row(
                    "deadline of `missingAcknowledgement`", "timer missingAcknowledgement", settings: " timeout=2",
                    whenEnabled: "request"),
                Row("deadline of `negotiation`", "timer negotiation", settings: " negotiation=2"),
                Row("deadline of `refresh`", "timer refresh", settings: " refresh=2"),
            ]
        ),
    ]

    private static func player(in state: (name: String, steps: String), for row: Row) throws -> RulePlayer {
        var steps = "core\(row.settings)"
        if !row.stored.isEmpty {
            steps = "session ; \(row.stored) 1 id=old ; restart\(row.settings)\(row.stored == "held" ? " greets" : "")"
        }
        if row.name != "restore" || state.name != "unbound" { steps += " ; \(state.steps)" }
        if !row.before.isEmpty { steps += " ; \(row.before)" }
        if state.name == "enabled", !row.whenEnabled.isEmpty { steps += " ; \(row.whenEnabled)" }
        let player = RulePlayer()
        _ = try player.play("\(steps) ; wait 2")
        #expect(player.state == state.name)
        return player
    }

    /// All actions in words, and the next state.
    private static func long(_ state: (name: String, steps: String), _ row: Row) throws -> [String] {
        let player = try player(in: state, for: row)
        return try player.play(row.step) + ["state: \(player.state)"]
    }

    /// As in the article: the kinds of actions, and the next state if it is another.
    private static func short(_ state: (name: String, steps: String), _ row: Row) throws -> String {
        let player = try player(in: state, for: row)
        _ = try player.play(row.step)
        if let error = player.lastError { return "✗ \(name(error))" }
        var kinds: [String] = []
        for kind in player.lastKinds where kinds.last != kind { kinds.append(kind) }
        let next = player.state == state.name ? "" : " → **\(player.state)**"
        let text = (kinds.joined(separator: ", ") + next).trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? "–" : text
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
        let columns = Self.states.map(\.0)
        let tables = try Self.tables.map { heading, rows in
            let cells = try rows.map { row in (row.name, try Self.states.map { try Self.short($0, row) }) }
            return (heading, GeneratedTables.markdown(columns: columns, rows: cells))
        }
        #expect(
            try GeneratedTables.differences(in: Self.article, from: tables) == [],
            "STANZA_RECORD=1 writes the tables anew")
    }

    @Test func everyActionOfEveryCell() throws {
        var text = ""
        for row in Self.tables.flatMap(\.1) {
            for state in Self.states {
                text += "\(row.name) when \(state.0)\n"
                text += try Self.long(state, row).map { "    \($0)\n" }.joined()
            }
        }
        let known = (try? String(contentsOf: Self.transcript, encoding: .utf8)) ?? ""
        if GeneratedTables.isRecording { try text.write(to: Self.transcript, atomically: true, encoding: .utf8) }
        let difference = zip(known.split(separator: "\n"), text.split(separator: "\n")).first { $0 != $1 }
        #expect(known == text, "STANZA_RECORD=1 writes the transcript anew; first difference: \(difference as Any)")
    }

    /// A locally illegal event changes nothing: the core handles every next event as if it had never seen the event.
    @Test func errorsChangeNothing() throws {
        let probes = [
            "show", "send <message id='new'/>", "resume", "close", "receive <sm:a h='1'/>",
            "receive <sm:resumed previd='s1' h='1'/>",
        ]
        var refused = 0
        for row in Self.tables.flatMap(\.1) {
            for state in Self.states where try Self.long(state, row)[0].hasPrefix("error: ") {
                refused += 1
                for probe in probes {
                    let players = try (1...2).map { _ in try Self.player(in: state, for: row) }
                    _ = try players[0].play(row.step)
                    let outcomes = try players.map { try $0.play(probe) + $0.play("show") }
                    #expect(outcomes[0] == outcomes[1], "\(row.name) when \(state.0)")
                }
            }
        }
        #expect(refused > 50)
    }
}
