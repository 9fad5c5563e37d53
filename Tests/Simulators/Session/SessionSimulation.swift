// One run: the processes, their database, the server, and the choices that move them.

import Foundation
import SessionCore

/// A simulated world. The same setup and the same choices give the same run.
public final class SessionSimulation {
    let setup: SessionSetup
    let ledger = SessionLedger()
    let database = SimulatedDatabase()
    let server: SimulatedServer
    let tally: SessionTally
    private var processes: [SimulatedProcess?]
    private var uptime: Duration = .zero
    private var clockOffset: TimeInterval = 0
    /// By the place of the process.
    private var uptimeOffsets: [Int: Duration] = [:]
    private var boots: [Int: Int] = [:]
    private var lastToken = 0
    private var lastAsk = 0
    private var lastMessage = 0
    /// The process that has ended each request.
    var ended: [Core.Serial: Int] = [:]
    /// The changes of canceled handlers, for a planted mistake.
    var abandoned: [String: SimulatedWork] = [:]
    private var luck = 0
    /// Whether the first unhandled stanza may have ended the last owner.
    var isToBlame = true
    /// Writes the transcript, if requested.
    public var log: ((String) -> Void)?
    /// The current choice, until the transcript has its first line.
    private var title: SessionChoice?

    public init(_ setup: SessionSetup, tally: SessionTally = SessionTally()) {
        self.setup = setup
        self.tally = tally
        server = SimulatedServer(ledger: ledger)
        processes = Array(repeating: nil, count: setup.processes)
    }

    var now: Core.Moment {
        Core.Moment(
            uptime: uptime, date: Date(timeIntervalSince1970: 1_000_000 + uptime / .seconds(1) + clockOffset))
    }

    func clock(of place: Int) -> SimulatedClock {
        SimulatedClock(uptime: uptime + (uptimeOffsets[place] ?? .zero), boot: "\(boots[place] ?? 0)")
    }

    func isAlive(_ token: Int) -> Bool { processes.contains { $0?.token == token && $0?.isClosed == false } }

    func makeMessage() -> String {
        lastMessage += 1
        return "m\(lastMessage)"
    }

    func makeAsk() -> SimulatedWork.Ask {
        lastAsk += 1
        return SimulatedWork.Ask(id: "q\(lastAsk)", timeout: [nil, 2, 30, 120][lastAsk % 4])
    }

    func isAsked(_ id: String) -> Bool { database.requests.values.contains { $0.id == id } }

    func isUnlucky() -> Bool {
        luck += 1
        return luck % 3 == 0
    }

    /// Blames the first unhandled stanza for the end of the last owner (rule R40), unless something else ended it.
    func changesOwner() {
        defer { isToBlame = true }
        guard isToBlame, let row = database.session, row.attempts > 0, let session = server.session,
            session.id == row.id, row.handled < session.sent.count
        else { return }
        ledger.blame(session.sent[row.handled].id)
    }

    /// The possible next steps of the process that has the session.
    struct Owner {
        let place: Int
        let isRunning: Bool
        let isClosing: Bool
        let isConnected: Bool
        let hasOperations: Bool
        /// Whether the first operation is a look-up.
        let looksUp: Bool
        let countsFailure: Bool
        let waitsForRoom: Bool
        let hasResults: Bool
        let hasHandlers: Bool
        let hasStanzas: Bool
        let hasOutput: Bool
    }

    var owner: Owner? {
        for (place, process) in processes.enumerated() {
            guard let process, process.isOwner else { continue }
            return Owner(
                place: place, isRunning: process.core.phase.name == "running",
                isClosing: process.core.phase.name == "leaving", isConnected: process.isOnline,
                hasOperations: process.nextOperation != nil, looksUp: process.looksUp,
                countsFailure: process.countsFailure, waitsForRoom: process.waitsForRoom,
                hasResults: !process.results.isEmpty,
                hasHandlers: !process.handlers.isEmpty, hasStanzas: process.hasStanzas,
                hasOutput: !process.outbox.isEmpty)
        }
        return nil
    }

    /// Writes the choice before the first line that it causes.
    func trace(_ line: @autoclosure () -> String) {
        guard let log else { return }
        if let title { log(Self.text(title)) }
        title = nil
        log("    " + Self.text(line()))
    }

    /// The text of a value, without the names of its modules and types.
    private static func text(_ value: Any) -> String {
        var text = "\(value)"
        for name in ["Simulators.", "SessionCore.DurableSessionCore.", "SessionChoice.", "DurableSessionCore."] {
            text = text.replacingOccurrences(of: name, with: "")
        }
        return text
    }

    // MARK: Choices

    /// Makes one step.
    ///
    /// - Throws: `Violation` when an invariant does not hold.
    public func perform(_ choice: SessionChoice) throws {
        title = choice
        switch choice {
        case .run(let place, let takingOver): try with(place) { try $0.run(takingOver: takingOver) }
        case .suspend(let place, let milliseconds, let isWithin):
            try with(place) { try $0.suspend(after: .milliseconds(milliseconds), isWithin: isWithin) }
        case .close(let place, let isWithin): try with(place) { try $0.close(isWithin: isWithin) }
        case .store(let place, let asks): try with(place) { try $0.store(asks: asks) }
        case .cancelTransaction(let place): try with(place) { try $0.cancelTransaction() }
        case .handlerEnds(let place, let index, let ending):
            try with(place) { try $0.endHandler(index, ending) }
        case .handlerReads(let place): try with(place) { try $0.read() }
        case .start(let place, let takingOver): try start(place, takingOver: takingOver)
        case .kill(let place): kill(place)
        case .killAtAction(let place, let count): try with(place) { $0.killAfter = count }
        case .access(let place): try with(place) { try $0.access() }
        case .result(let place, let index): try with(place) { try $0.takeResult(index) }
        case .databaseFails(let count, let isBroken):
            database.failures = count
            database.isBroken = isBroken
        case .advance(let milliseconds):
            uptime += .milliseconds(milliseconds)
            for place in processes.indices { try with(place) { try $0.ring() } }
        case .setClock(let seconds): clockOffset = TimeInterval(seconds)
        case .renew(let place): try with(place) { if !$0.isSuspended, !$0.isClosed { $0.renew() } }
        case .jump(let place, let seconds): uptimeOffsets[place] = .seconds(seconds)
        case .restart(let place):
            kill(place)
            boots[place, default: 0] += 1
        case .connect(let place): try with(place) { try $0.beginToConnect() }
        case .deliver(let place): try with(place) { try $0.deliver() }
        case .transmit(let place): try with(place) { try $0.transmit() }
        case .acknowledge(let place): try with(place) { try $0.acknowledge() }
        case .cut: server.link?.isCut = true
        case .notice(let place): try with(place) { try $0.notice() }
        case .serverSends(let kind): server.send(setup.kind(kind))
        case .serverAnswers(let index): server.answer(index)
        case .serverForgets: server.forget()
        }
    }

    private func with(_ place: Int, _ body: (SimulatedProcess) throws -> Void) throws {
        guard place < processes.count, let process = processes[place] else { return }
        do {
            try body(process)
        } catch is Killed {
            kill(place)
        }
    }

    private func start(_ place: Int, takingOver: Bool) throws(Violation) {
        guard place < processes.count else { return }
        if let process = processes[place] {
            guard process.isClosed, process.isIdle else { return }
            kill(place)
        }
        lastToken += 1
        let process = SimulatedProcess(token: lastToken, place: place, world: self)
        if try process.claim(takingOver: takingOver) { processes[place] = process }
    }

    private func kill(_ place: Int) {
        guard place < processes.count, let process = processes[place] else { return }
        trace("\(process.token) is killed")
        process.link?.isCut = true
        for delivery in process.deliveries.values where delivery.session == nil { ledger.exempt(delivery.stanza.id) }
        // Only this process had the stanzas of a session that is gone.
        for delivery in process.deliveries.values where delivery.session != database.session?.id {
            ledger.exempt(delivery.stanza.id)
        }
        processes[place] = nil
    }

    // MARK: The end

    /// Lets all processes come to rest, and checks that no stanza or request was lost.
    public func comeToRest() throws {
        log?("no more faults")
        database.failures = 0
        clockOffset = 0
        uptimeOffsets = [:]
        let stanzas = server.session.map { $0.sent.count - $0.acknowledged } ?? 0
        let left = stanzas + database.openCount + database.outgoing.count
        for round in 0..<(Self.mostRounds + left * Self.roundsOfEach) {
            try goOn(round)
            if isAtRest {
                try database.check()
                try checkGreeting()
                return try ledger.checkEnd()
            }
        }
        throw Violation("everything comes to rest", restlessness)
    }

    /// The session is greeted, also after the kill of the process that began it.
    private func checkGreeting() throws(Violation) {
        guard let row = database.session, !row.isGreeted else { return }
        let leader = processes.compactMap(\.self).first { $0.isOwner }
        if let leader, leader.failedGreetings < SessionSetup.attempts {
            throw Violation("each session is greeted", "\(row.id)")
        }
    }

    private static let mostRounds = 200
    /// Handlers that fail, never return or end the process need many rounds until their stanza is dead-lettered.
    private static let roundsOfEach = 50

    private func goOn(_ round: Int) throws {
        let owner = processes.firstIndex { $0.map { $0.isOwner && !$0.isClosed } ?? false }
        // A process that lost the session to one that is gone notices it with its connection.
        if owner == nil { try perform(.cut) }
        let leader = owner ?? 0
        // The lease of an owner that is gone has to end.
        try perform(.start(process: leader, takingOver: false))
        if let process = processes[leader], process.core.phase == .idle || process.core.phase == .suspended {
            try perform(.run(process: leader, takingOver: round > 20))
        }
        for place in processes.indices {
            for _ in 0..<4 { try perform(.access(process: place)) }
            for _ in 0..<4 { try perform(.result(process: place, index: 0)) }
            try perform(.notice(process: place))
            try perform(.connect(process: place))
            for _ in 0..<3 { try perform(.deliver(process: place)) }
            for index in 0..<3 { try perform(.handlerEnds(process: place, index: index, .returns)) }
            for _ in 0..<3 { try perform(.transmit(process: place)) }
            try perform(.acknowledge(process: place))
        }
        while round > 20, server.canAnswer { try perform(.serverAnswers(index: 1)) }
        try perform(.advance(milliseconds: round % 5 == 4 ? 25_000 : 100))
    }

    private var isAtRest: Bool {
        guard let leader = processes.compactMap(\.self).first(where: { $0.isOwner && $0.isOnline }) else {
            return false
        }
        return processes.allSatisfy { $0.map(\.isIdle) ?? true } && leader.outbox.isEmpty && database.openCount == 0
            && (server.session.map { $0.acknowledged == $0.sent.count } ?? false) && !server.canAnswer
            && database.outgoing.allSatisfy { server.received[$0.number] != nil }
    }

    private var restlessness: String {
        let phases = processes.compactMap(\.self).map { "\($0.token) \($0.core.phase.name), \($0.core.jobCount) jobs" }
        let lost = database.outgoing.filter { server.received[$0.number] == nil }.map(\.id)
        let unread = server.session.map { $0.sent.count - $0.acknowledged } ?? 0
        return
            (phases + [
                "\(database.openCount) requests are open", "\(unread) stanzas are not acknowledged",
                "not sent: \(lost)",
            ]).joined(separator: "; ")
    }
}

extension SimulatedProcess {
    /// Whether nothing happens by itself, and every waiting task waits only for the end of the run.
    var isIdle: Bool {
        operations.isEmpty && results.isEmpty && handlers.allSatisfy(\.isCancelled) && !core.hasWork
            && transactions.isEmpty && calls.count <= 1
    }
}
