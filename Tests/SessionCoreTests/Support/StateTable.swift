// Every phase and every event: the steps into each phase, and the values of each event there.

import SessionCore

/// The rows and columns of the table in SessionStates.md.
enum StateTable {
    /// The phases, in the order in which sessions go through them.
    static let phases = [
        "idle", "claiming", "running", "suspending", "storing", "suspended", "finishing", "leaving", "forgetting",
        "ending", "closed",
    ]

    /// An event, and the steps before it.
    struct Row {
        let name: String
        var before: (TestCore) -> Void = { _ in }
        let event: (TestCore) -> Core.Event
    }

    static var wanted: [Row] {
        [
            Row(name: "run") { _ in .run(8) },
            Row(name: "suspend") { .suspend(8, deadline: $0.uptime + .seconds(1), isWithin: false) },
            Row(name: "suspend, by the handler that runs") {
                .suspend(8, deadline: $0.uptime + .seconds(1), isWithin: true)
            },
            Row(name: "close") { _ in .close(8, isWithin: false) },
            Row(name: "close, by the handler that runs") { _ in .close(8, isWithin: true) },
            Row(name: "transactionCollected") { _ in .transactionCollected(8, Core.Collected()) },
            Row(name: "transactionCanceled", before: { $0.handle(.transactionCollected(8, Core.Collected())) }) { _ in
                .transactionCanceled(8)
            },
            Row(name: "readWanted") { .readWanted($0.attempt) },
        ]
    }

    static var passive: [Row] {
        [
            Row(name: "received") { _ in .received(Core.Stanza(number: 8)) },
            Row(name: "received, an answer") { _ in .received(Core.Stanza(number: 8, isAnswer: true)) },
            Row(name: "requestsChanged") { _ in .requestsChanged },
            Row(name: "streamBegan") { _ in .streamBegan },
            Row(name: "sessionBegan") { _ in .sessionBegan(isNew: true) },
            Row(name: "streamLost") { _ in .streamLost },
            Row(name: "streamIsGone") { _ in .streamIsGone(canResume: true) },
            Row(name: "streamEnded") { _ in .streamEnded },
            Row(name: "alarm, an hour later", before: { $0.sleep(.seconds(3600)) }) { _ in .alarm },
        ]
    }

    static var results: [Row] {
        [
            Row(name: "claimed") { _ in .claimed(for: 1) },
            Row(name: "notClaimed") { _ in .notClaimed(for: 1) },
            Row(
                name: "swept",
                before: {
                    $0.handle(.streamIsGone(canResume: true))
                    $0.handle(.requestsRead($0.read, []))
                }
            ) { .swept($0.sweep, true) },
            Row(name: "streamSuspended") { _ in .streamSuspended },
            Row(name: "streamClosed") { _ in .streamClosed },
            Row(name: "sessionForgotten") { _ in .sessionForgotten([request(5)]) },
            Row(name: "sessionNotForgotten") { _ in .sessionNotForgotten },
            Row(name: "found", before: { $0.receive(7, isAnswer: true) }) { .found($0.lookUp, [nil]) },
            Row(name: "notFound, busy", before: { $0.receive(7, isAnswer: true) }) { .notFound($0.lookUp, .busy) },
            Row(name: "returned") { .returned($0.attempt, Core.Collected()) },
            Row(name: "threw") { .threw($0.attempt, .failed) },
            Row(name: "wasGreeted", before: { $0.handle(.sessionBegan(isNew: false)) }) { .wasGreeted($0.greeting) },
            Row(name: "committed") { .committed($0.commit, $0.entries.map { _ in .done }) },
            Row(name: "committed, but a stanza failed") { .committed($0.commit, $0.entries.map { _ in .failed }) },
            Row(name: "committed, but without room") { .committed($0.commit, $0.entries.map { _ in .noRoom }) },
            Row(name: "notCommitted, busy") { .notCommitted($0.commit, .busy) },
            Row(name: "notCommitted, another owner") { .notCommitted($0.commit, .notOwner) },
            Row(name: "withdrawn", before: { $0.waitForRoom(8) }) { _ in .withdrawn(8) },
            Row(name: "failureCounted", before: { $0.failFirst() }) { _ in .failureCounted(1, .again) },
            Row(name: "requestsRead, one is lost", before: { $0.handle(.requestsChanged) }) {
                .requestsRead($0.read, [request(5, cause: .lost)])
            },
        ]
    }

    /// A core in a phase, with one of everything that the phase can hold. Where handlers run, the first stanza is in
    /// the commit, the second one in its handler, and a third one waits.
    static func core(in phase: String) -> TestCore {
        let core = TestCore()
        switch phase {
        case "idle": break
        case "claiming": core.handle(.run(1))
        case "running", "suspending", "finishing":
            run(core)
            for stanza in [1, 2, 3] as [Core.StanzaNumber] { core.receive(stanza) }
            core.returned()
            core.sleep(.milliseconds(50))
            core.handle(.alarm)
            if phase == "suspending" { core.handle(.suspend(2, deadline: .seconds(10), isWithin: false)) }
            if phase == "finishing" { core.handle(.close(2, isWithin: false)) }
        case "storing", "suspended":
            run(core)
            core.handle(.suspend(2, deadline: .seconds(10), isWithin: false))
            if phase == "suspended" { core.handle(.streamSuspended) }
        default:
            run(core)
            core.handle(.close(2, isWithin: false))
            if phase == "leaving" { return core }
            core.handle(.streamClosed)
            if phase == "forgetting" { return core }
            core.handle(.sessionForgotten(phase == "ending" ? [request(6), request(7)] : []))
        }
        return core
    }

    private static func run(_ core: TestCore) {
        core.handle(.run(1))
        core.handle(.claimed(for: 1))
        core.handle(.streamBegan)
        core.handle(.requestsRead(core.read, []))
    }
}

extension TestCore {
    /// The transaction waits for room in a commit, and is canceled.
    fileprivate func waitForRoom(_ transaction: Core.TransactionNumber) {
        func isCommitting() -> Bool { entries.contains { $0.work == .transaction(transaction) } }
        handle(.transactionCollected(transaction, Core.Collected()))
        if !isCommitting() { committed() }
        if isCommitting() { committed(entries.map { _ in .noRoom }) }
        handle(.transactionCanceled(transaction))
    }

    /// The handling of the first stanza has failed, and the core waits for the count.
    fileprivate func failFirst() {
        if phase == "running" { handle(.committed(commit, entries.map { _ in .failed })) }
    }
}
