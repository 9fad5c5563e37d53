// A core that keeps the time and the numbers for the tests.

import Foundation
import SessionCore

typealias Core = DurableSessionCore

/// A core, its time, and the numbers that its last actions named.
final class TestCore {
    private var core: Core
    private(set) var uptime: Duration = .zero
    /// How far the test has set the clock.
    var offset: TimeInterval = 0
    private(set) var alarm: Duration?
    private(set) var commit = Core.AccessNumber(rawValue: 99)
    private(set) var lookUp = Core.AccessNumber(rawValue: 99)
    private(set) var read = Core.AccessNumber(rawValue: 99)
    private(set) var sweep = Core.AccessNumber(rawValue: 99)
    private(set) var attempt = Core.Attempt(rawValue: 99)
    private(set) var greeting = Core.Attempt(rawValue: 99)
    private(set) var entries: [Core.Entry] = []
    /// The commit that waits for room.
    private(set) var waiting = Core.AccessNumber(rawValue: 99)
    private(set) var waitingEntries: [Core.Entry] = []

    init(_ configure: (inout Core.Limits) -> Void = { _ in }) {
        var limits = Core.Limits()
        configure(&limits)
        core = Core(limits: limits)
    }

    /// A core that runs and has read an empty list of requests.
    static func running(_ configure: (inout Core.Limits) -> Void = { _ in }) -> TestCore {
        let core = TestCore(configure)
        core.handle(.run(1))
        core.handle(.claimed(for: 1))
        core.handle(.streamBegan)
        core.handle(.requestsRead(core.read, []))
        return core
    }

    var phase: String { core.phase.name }

    var hasRequestsLeft: Bool { core.phase == .closed(hasRequestsLeft: true) }

    var jobCount: Int { core.jobCount }

    var collectedCount: Int { core.collectedCount }

    /// - Returns: The actions without alarms.
    @discardableResult
    func handle(_ event: Core.Event) -> [Core.Action] {
        var actions: [Core.Action] = []
        let date = Date(timeIntervalSince1970: 1_000_000 + uptime / .seconds(1) + offset)
        core.handle(event, at: Core.Moment(uptime: uptime, date: date), into: &actions)
        for action in actions {
            switch action {
            case .commit(let number, let entries): (commit, self.entries) = (number, entries)
            case .commitWithRoom(let number, let entries): (waiting, waitingEntries) = (number, entries)
            case .lookUp(let number, _): lookUp = number
            case .readRequests(let number, _): read = number
            case .sweep(let number, _, _): sweep = number
            case .handle(let number, _, _), .invalidate(let number, _): attempt = number
            case .greet(let number, _): greeting = number
            case .setAlarm(let time): alarm = time
            default: break
            }
        }
        return actions.filter { if case .setAlarm = $0 { false } else { true } }
    }

    /// Lets time pass without ringing the alarm.
    func sleep(_ time: Duration) { uptime += time }

    /// Lets time pass, and rings the alarm if it is due.
    @discardableResult
    func wait(_ time: Duration) -> [Core.Action] {
        uptime += time
        guard let alarm, alarm <= uptime else { return [] }
        return handle(.alarm)
    }

    @discardableResult
    func receive(_ number: Core.StanzaNumber, isAnswer: Bool = false, isCounted: Bool = true, isSuspect: Bool = false)
        -> [Core.Action]
    {
        handle(
            .received(Core.Stanza(number: number, isAnswer: isAnswer, isCounted: isCounted, isSuspect: isSuspect)))
    }

    /// The running handler returns.
    @discardableResult
    func returned(_ collected: Core.Collected = Core.Collected()) -> [Core.Action] {
        handle(.returned(attempt, collected))
    }

    /// The database commits, with these results; without them, all entries are done.
    @discardableResult
    func committed(_ results: [Core.EntryResult]? = nil) -> [Core.Action] {
        handle(.committed(commit, results ?? entries.map { _ in .done }))
    }
}

extension DurableSessionCore.Number: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(rawValue: value) }
}

func request(
    _ serial: Core.Serial, after timeout: TimeInterval? = nil, cause: Core.Outcome? = nil
) -> Core.Request {
    Core.Request(
        serial: serial, deadline: timeout.map { Date(timeIntervalSince1970: 1_000_000 + $0) }, timeout: timeout,
        cause: cause)
}

func match(_ serial: Core.Serial) -> Core.Match { Core.Match(serial: serial) }
