// The database: its rows survive every process. Transactions are atomic.

import Foundation
import SessionCore
import XMPPCore

typealias Core = DurableSessionCore

/// Changes that a handler or the application has collected.
struct SimulatedWork: Hashable {
    /// The stanza that caused the changes.
    var stanza: ServerStanza?
    /// The promises that the work resolves.
    var resolves: [String] = []
    /// Requests with new promises.
    var asks: [Ask] = []
    /// Messages.
    var says: [String] = []
    /// Whether it greets the session.
    var greets = false
    /// The first change fails, or is interrupted.
    var fails = false
    var isInterrupted = false

    /// The number of stanzas that it needs room for. All that fills the queue waits for a greeting.
    var stanzaCount: Int { greets ? 0 : asks.count + says.count }

    struct Ask: Hashable {
        let id: String
        let timeout: TimeInterval?
    }
}

/// One file for all processes.
final class SimulatedDatabase {
    struct SessionRow: Hashable {
        let id: Int
        var handled = 0
        /// The number of times that the next stanza after `handled` has failed, or ended a process.
        var attempts = 0
        /// Whether a greeting has committed.
        var isGreeted = false
    }

    struct RequestRow: Hashable {
        let serial: Core.Serial
        let id: String
        let deadline: Date?
        let timeout: TimeInterval?
        let asked: Duration
        var session: Int?
        var cause: Core.Outcome?
        var outcome: Core.Outcome?
        var isGivenUp = false

        var open: Core.Request {
            Core.Request(serial: serial, deadline: deadline, timeout: timeout, cause: cause)
        }
    }

    struct OutgoingRow: Hashable {
        let number: Int
        let id: String
        let isRequest: Bool
        /// It belongs to the greeting of the session.
        var isGreeting = false
        var isSent: Bool
    }

    /// The process that owns the session; negative after a release.
    var owner = 0
    var lease = Lease(boot: nil, end: 0)
    var session: SessionRow?
    private(set) var requests: [Core.Serial: RequestRow] = [:]
    /// The open ones by their id.
    private var open: [String: Core.Serial] = [:]
    var outgoing: [OutgoingRow] = []
    /// Whether all that waits, waits for the greeting of the session.
    var holds = false
    /// The number of times that each promise was resolved.
    private(set) var promises: [String: Int] = [:]
    private(set) var said: Set<String> = []
    private var lastSerial: Int64 = 0
    private var lastRow = 0
    /// The number of accesses that will fail.
    var failures = 0
    var isBroken = false

    var openCount: Int { open.count }
    /// The largest number of requests open at once.
    private(set) var mostOpen = 0

    /// - Returns: The reason why the next access fails.
    func nextFailure() -> Core.DatabaseFailure? {
        if failures == 0 { return nil }
        failures -= 1
        return isBroken ? .broken : .busy
    }

    // MARK: Requests

    func request(_ id: String) -> RequestRow? { open[id].flatMap { requests[$0] } }

    /// The requests that have a cause to end, and the later ones with a deadline.
    func ending(after serial: Core.Serial) -> [Core.Request] {
        open.values.sorted().compactMap { requests[$0] }
            .filter { $0.cause != nil || ($0.deadline != nil && $0.serial > serial) }.map(\.open)
    }

    /// - Returns: Whether the request was open.
    func end(_ ending: Core.Ending) -> Bool {
        guard let row = requests[ending.serial], row.outcome == nil else { return false }
        requests[ending.serial]?.outcome = ending.outcome
        requests[ending.serial]?.isGivenUp = ending.isGivenUp
        open[row.id] = nil
        return true
    }

    func note(_ cause: Core.Outcome, of id: String) {
        if let serial = open[id] { requests[serial]?.cause = cause }
    }

    /// Gives up the requests of a session, except those whose stanzas wait to be sent.
    func lose(sentIn session: Int?) {
        let waiting = Set(outgoing.lazy.filter { !$0.isSent }.map(\.id))
        for serial in open.values {
            guard let row = requests[serial], row.session == session, row.cause == nil else { continue }
            if waiting.contains(row.id) { requests[serial]?.session = nil } else { requests[serial]?.cause = .lost }
        }
    }

    func loseAll() {
        for serial in open.values where requests[serial]?.cause == nil { requests[serial]?.cause = .lost }
    }

    /// Takes back unsent requests.
    func withdraw(_ serials: [Core.Serial]) {
        let ids = Set(serials.compactMap { requests[$0]?.id })
        outgoing.removeAll { !$0.isSent && ids.contains($0.id) }
    }

    /// A session begins.
    func begin(_ id: Int?) {
        let old = session?.id
        session = id.map { SessionRow(id: $0) }
        holds = true
        for index in outgoing.indices { outgoing[index].isGreeting = false }
        if let old { lose(sentIn: old) }
        guard let id else { return }
        for serial in open.values where requests[serial]?.session == nil && requests[serial]?.cause == nil {
            requests[serial]?.session = id
        }
    }

    // MARK: Work

    func apply(_ work: SimulatedWork, isOnline: Bool, at now: Core.Moment) {
        if work.greets { session?.isGreeted = true }
        for promise in work.resolves { promises[promise, default: 0] += 1 }
        for ask in work.asks {
            lastSerial += 1
            let serial = Core.Serial(rawValue: lastSerial)
            requests[serial] = RequestRow(
                serial: serial, id: ask.id,
                deadline: ask.timeout.map { now.date.addingTimeInterval($0) }, timeout: ask.timeout, asked: now.uptime,
                session: session?.id)
            open[ask.id] = serial
            mostOpen = max(mostOpen, open.count)
            append(ask.id, isRequest: true, work, isOnline: isOnline)
        }
        for text in work.says {
            said.insert(text)
            append(text, isRequest: false, work, isOnline: isOnline)
        }
    }

    private func append(_ id: String, isRequest: Bool, _ work: SimulatedWork, isOnline: Bool) {
        lastRow += 1
        outgoing.append(
            OutgoingRow(
                number: lastRow, id: id, isRequest: isRequest, isGreeting: work.greets,
                isSent: isOnline && (work.greets || !holds)))
    }

    /// The stanzas that the work sends now, if it was committed.
    func rows(of work: SimulatedWork) -> [OutgoingRow] {
        let ids = Set(work.asks.map(\.id) + work.says)
        return outgoing.filter { ids.contains($0.id) && $0.isSent }
    }

    /// Sends the stanzas that wait for nothing more than a connection, and returns them.
    func sendWaiting() -> [OutgoingRow] {
        var sent: [OutgoingRow] = []
        for index in outgoing.indices where !outgoing[index].isSent && (outgoing[index].isGreeting || !holds) {
            outgoing[index].isSent = true
            sent.append(outgoing[index])
        }
        return sent
    }

    /// What waited for the greeting goes after it.
    func endGreeting() {
        guard holds else { return }
        holds = false
        let waiting = outgoing.filter { !$0.isSent && !$0.isGreeting }
        outgoing.removeAll { !$0.isSent && !$0.isGreeting }
        outgoing += waiting
    }

    // MARK: Invariants

    func check() throws(Violation) {
        for (id, count) in promises where count > 1 {
            throw Violation("a promise is resolved once", "\(id), \(count) times")
        }
        for row in requests.values.sorted(by: { $0.serial < $1.serial }) {
            let isResolved = promises[row.id] != nil
            if isResolved != (row.outcome != nil && !row.isGivenUp) {
                throw Violation("a request ends in one commit with its handler's changes", row.id)
            }
        }
    }
}
