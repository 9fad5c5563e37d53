// The invariants at the end of a run, when nothing more happens.

import Foundation
import GRDB
import Persistence

/// The evidence of a run: the logs, the tables and bob's knowledge.
struct RunEvidence {
    let resends: Bool
    let log: RunLog
    let bob: BobsView
    /// The stanzas in flight when a server was killed: the server may have acknowledged and lost them.
    let lostByServer: Set<String>
    /// The rows of the app's tables: messages with their sessions, and outcomes of requests.
    let inbox: [String: [String]]
    let outcomes: [String: [String]]
    /// The outcomes of the existing promises.
    let promises: [String: String]
    /// The requests that still wait.
    let waiting: [String]

    /// Returns the violated invariants.
    func violations() -> [String] {
        log.violations + sentMessages() + receivedMessages() + requests()
    }

    // MARK: Messages of the app

    private func sentMessages() -> [String] {
        var found = bob.unannounced.sorted().map { "\($0) came again before it was reported as unknown" }
        for id in log.all("sending").sorted() {
            let count = bob.received[id] ?? 0
            let isExplained = lostByServer.contains(id)
            if count > 1 + log.count("unknown", id) { found.append("\(id) came \(count) times\(reports(of: id))") }
            if !resends, count > 1 {
                found.append("\(id) came \(count) times, and should not be sent again\(reports(of: id))")
            }
            guard count == 0, !isExplained else { continue }
            if log.count("acknowledged", id) > 0 { found.append("\(id) was reported as acknowledged, and is missing") }
            let isGivenUp = !resends && (log.count("unknown", id) > 0 || log.count("failed", id) > 0)
            if log.count("stored", id) > 0, !isGivenUp {
                found.append("\(id) was stored, and is missing\(reports(of: id))")
            }
        }
        return found
    }

    private func reports(of id: String) -> String {
        let words = ["stored", "acknowledged", "unknown", "failed"].filter { log.count($0, id) > 0 }
        return " (reported: \(words.map { "\($0) \(log.count($0, id))" }.joined(separator: ", ")))"
    }

    /// Whether the server may have sent messages to a session that no client can resume. A connection that is cut
    /// before `<enabled/>` arrives leaves such a session. If a waiting presence was sent before, messages go there.
    var mayBeElsewhere: Bool { log.count("unknown", "presence") + log.count("failed", "presence") > 0 }

    /// Whether a session may have been lost, together with the server's state of it.
    private var wasLost: Bool {
        log.total("unknown") + log.total("failed") + log.total("notResumed") + log.total("sessionLost") > 0
            || log.total("enabled") > 1
    }

    // MARK: Messages of bob, and their receipts

    private func receivedMessages() -> [String] {
        var found: [String] = []
        // The app handles the stanzas of a session that is then lost, and the server may send them again.
        let most = wasLost ? 1 + Set(inbox.values.joined()).count : 1
        for (id, sessions) in inbox.sorted(by: { $0.key < $1.key }) {
            // At most once for the previous session, and once for this one. Between two sessions the column is empty.
            let named = Dictionary(grouping: sessions.filter { !$0.isEmpty }, by: \.self)
            let mostInOne = named.values.map(\.count).max() ?? 0
            if sessions.count > most || mostInOne > (wasLost ? 2 : 1) {
                found.append("\(id) was handled \(sessions.count) times, in the sessions \(sessions)")
            }
        }
        for id in bob.sent where !id.isEmpty {
            let rows = inbox[id]?.count ?? 0
            let receipt = "re-\(id)"
            let receipts = bob.received[receipt] ?? 0
            if bob.taken.contains(id), rows == 0, !mayBeElsewhere {
                found.append("\(id) was taken by the server, and is missing")
            }
            if receipts > 0, rows == 0 { found.append("\(id) is acknowledged by the application, and is missing") }
            if receipts > rows + log.count("unknown", receipt) {
                found.append("\(receipt) came \(receipts) times for \(rows)\(reports(of: receipt))")
            }
            let isGivenUp = !resends && log.count("unknown", receipt) + log.count("failed", receipt) > 0
            if receipts < rows, !isGivenUp, !lostByServer.contains(receipt) {
                found.append("\(receipt) came \(receipts) times for \(rows)\(reports(of: receipt))")
            }
        }
        return found
    }

    // MARK: Requests

    private func requests() -> [String] {
        var found = waiting.map { "\($0) waits forever" }
        for (id, all) in outcomes.sorted(by: { $0.key < $1.key }) where all.count > 1 {
            found.append("\(id) has the outcomes \(all)")
        }
        for id in log.all("asked").sorted() {
            guard let outcome = outcomes[id]?.first else {
                found.append("\(id) was asked, and has no outcome")
                continue
            }
            if id.hasSuffix("forget"), outcome == "result" { found.append("\(id) has an invented result") }
            // A promise is removed some time after its outcome was taken.
            if let promise = promises[id], promise != outcome {
                found.append("\(id) has \(outcome), its promise \(promise)")
            }
        }
        for (id, values) in log.shown.sorted(by: { $0.key < $1.key }) where values != Set(outcomes[id] ?? []) {
            found.append("\(id) has shown \(values.sorted()), its outcome is \(outcomes[id] ?? [])")
        }
        return found
    }
}

// MARK: Reading

extension RunEvidence {
    /// Reads the database and the log of the processes.
    init(folder: String, resends: Bool, bob: BobsView, lostByServer: Set<String>) async throws {
        let database = try await StanzaDatabase.open(at: folder + "/session.db")
        defer { database.close() }
        let log = RunLog(contentsOf: folder + "/reported.log")
        func pairs(_ sql: String) async throws -> [String: [String]] {
            let rows = try await database.read { transaction in
                try Row.fetchAll(transaction.db, sql: sql).map { row -> [String] in [row[0], row[1] ?? ""] }
            }
            return Dictionary(grouping: rows) { $0[0] }.mapValues { $0.map { $0[1] } }
        }
        var promises: [String: String] = [:]
        for id in log.all("asked") {
            guard let record = try await database.promise(key: id) else { continue }
            if case .fulfilled(let payload) = record.outcome {
                promises[id] = (try? payload.value()) ?? "unreadable"
            } else {
                promises[id] = "\(record.state)"
            }
        }
        self.init(
            resends: resends, log: log, bob: bob, lostByServer: lostByServer,
            inbox: try await pairs("SELECT id, session FROM inbox"),
            outcomes: try await pairs("SELECT request, outcome FROM outcome"), promises: promises,
            waiting: try await pairs("SELECT id, account FROM stanza_request").keys.sorted())
    }
}
