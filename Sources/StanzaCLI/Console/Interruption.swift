// Ctrl-C and its like: the terminal is left as it was found, without the progress line, before the process goes. What
// can end by itself is asked to do so first.

import Foundation
import Synchronization

/// What is done when a signal ends the process.
enum Interruption {
    private static let isLineVisible = Atomic(false)

    /// Remembers whether a line stands on standard error that has to go.
    static func noteLine(isVisible: Bool) {
        isLineVisible.store(isVisible, ordering: .relaxed)
    }

    /// What the terminal was before it was first changed. Written once, before `changesTerminal` is true for the first
    /// time, and never again: whoever finds that true reads what nobody writes.
    private nonisolated(unsafe) static let formerTerminal = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let knowsFormerTerminal = Atomic(false)
    private static let changesTerminal = Atomic(false)

    /// Remembers what the terminal has to become again; `nil` when it has. One thread calls it.
    static func restoresTerminal(to state: termios?) {
        if let state, !knowsFormerTerminal.exchange(true, ordering: .sequentiallyConsistent) {
            formerTerminal.initialize(to: state)
        }
        changesTerminal.store(state != nil, ordering: .sequentiallyConsistent)
    }

    /// Whether somebody looks at `noted`, who ends what takes long.
    private static let isNoting = Atomic(false)
    private static let noted = Atomic(false)

    /// A pipe that has something to read once Ctrl-C is noted: who waits for input waits for that as well. -1 as long
    /// as nothing is to be noted.
    private static let alarm = Atomic<Int32>(-1)
    private static let alarmTrigger = Atomic<Int32>(-1)

    /// Forgets earlier interruptions. From now on the first Ctrl-C is only noted, unless a line is edited then. One
    /// thread calls it.
    static func beginNoting() {
        makeAlarm()
        noted.store(false, ordering: .sequentiallyConsistent)
        var rest: UInt8 = 0
        while read(alarm.load(ordering: .sequentiallyConsistent), &rest, 1) == 1 {}
        isNoting.store(true, ordering: .sequentiallyConsistent)
    }

    private static func makeAlarm() {
        var ends: [Int32] = [-1, -1]
        guard alarm.load(ordering: .sequentiallyConsistent) < 0, pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        alarm.store(ends[0], ordering: .sequentiallyConsistent)
        alarmTrigger.store(ends[1], ordering: .sequentiallyConsistent)
    }

    /// Whether Ctrl-C was pressed since `beginNoting`.
    static var isNoted: Bool { noted.load(ordering: .relaxed) }

    /// Waits until there is something to read, or the input has ended, or Ctrl-C is noted. Returns whether that is so.
    /// Where nothing is to be noted, it does not wait.
    static func isNoted(beforeReading descriptor: Int32) -> Bool {
        guard isNoting.load(ordering: .sequentiallyConsistent) else { return false }
        if !isNoted { wait(for: POLLIN, of: descriptor, orAlarm: true, milliseconds: -1) }
        return isNoted
    }

    /// Waits until something can be written. Once Ctrl-C is noted, it waits a moment only. Returns whether there is
    /// still no room then. Where nothing is to be noted, it does not wait.
    static func isNoted(beforeWriting descriptor: Int32) -> Bool {
        guard isNoting.load(ordering: .sequentiallyConsistent) else { return false }
        if !isNoted, wait(for: POLLOUT, of: descriptor, orAlarm: true, milliseconds: -1) { return false }
        return !wait(for: POLLOUT, of: descriptor, orAlarm: false, milliseconds: patience)
    }

    /// A reader that has not made room for so many milliseconds when Ctrl-C is pressed does not get the rest. Nobody
    /// notices that the command ends so much later.
    private static let patience: Int32 = 50

    /// Returns whether the descriptor is ready, or has failed.
    @discardableResult
    private static func wait(for event: Int32, of descriptor: Int32, orAlarm: Bool, milliseconds: Int32) -> Bool {
        let alarm = orAlarm ? Self.alarm.load(ordering: .sequentiallyConsistent) : -1
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(event), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&requests, 2, milliseconds) < 0, errno == EINTR { continue }
            return requests[0].revents != 0
        }
    }

    /// Ends the process as the noted Ctrl-C would have: whoever started it sees that it was that.
    static func endProcess() {
        signal(SIGINT, SIG_DFL)
        raise(SIGINT)
    }

    /// From now on the line is erased before a signal ends the process. Signals that are ignored stay so.
    static func handleSignals() {
        // So that the handler does not initialise them.
        noteLine(isVisible: false)
        noted.store(false, ordering: .sequentiallyConsistent)
        isNoting.store(false, ordering: .sequentiallyConsistent)
        alarmTrigger.store(-1, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let former = signal(number, handler)
            if former.map(address) == address(SIG_IGN) { signal(number, SIG_IGN) }
        }
    }

    /// Only what POSIX allows here: it reads atomics, sets the terminal, writes constant bytes, and lets the signal do
    /// what it does without a handler.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        if number == SIGINT, isNoting.load(ordering: .sequentiallyConsistent),
            !changesTerminal.load(ordering: .sequentiallyConsistent),
            !noted.exchange(true, ordering: .sequentiallyConsistent)
        {
            ring(alarmTrigger.load(ordering: .sequentiallyConsistent))
            return
        }
        if changesTerminal.load(ordering: .sequentiallyConsistent) {
            tcsetattr(STDIN_FILENO, TCSANOW, formerTerminal)
        }
        if isLineVisible.load(ordering: .relaxed) {
            _ = write(STDERR_FILENO, Terminal.erasingLine.utf8Start, Terminal.erasingLine.utf8CodeUnitCount)
        }
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Writes to a pipe, and changes nothing else: the program goes on, perhaps between a call that failed and its look
    /// at the reason.
    static func ring(_ trigger: Int32) {
        let reason = errno
        var byte: UInt8 = 0
        _ = write(trigger, &byte, 1)
        errno = reason
    }

    private static func address(_ handler: @convention(c) (Int32) -> Void) -> Int {
        unsafeBitCast(handler, to: Int.self)
    }
}
