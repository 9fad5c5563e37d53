// Ctrl-C and similar signals. Before the process ends, the progress line is erased and the terminal is restored. A
// command that can end by itself is asked to do so first.

import Foundation
import Locking

/// The work to do when a signal ends the process.
enum Interruption {
    private static let isLineVisible = AtomicWord()

    /// Remembers whether standard error shows a line that has to be erased.
    static func noteLine(isVisible: Bool) {
        isLineVisible.value = isVisible ? 1 : 0
    }

    /// The state of the terminal before the first change. It is written once, before `changesTerminal` first becomes
    /// true, and never again. So a reader that finds `changesTerminal` true has no race.
    private nonisolated(unsafe) static let formerTerminal = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let knowsFormerTerminal = AtomicWord()
    private static let changesTerminal = AtomicWord()

    /// Remembers the state that the terminal has to return to; `nil` when it has. One thread calls it.
    static func restoresTerminal(to state: termios?) {
        if let state, knowsFormerTerminal.exchange(1) == 0 {
            formerTerminal.initialize(to: state)
        }
        changesTerminal.value = state == nil ? 0 : 1
    }

    /// A process that has a group of its own, which Ctrl-C at a terminal does not reach; 0 if there is none.
    private static let program = AtomicWord()

    /// Remembers the process that ends with this one, with its group; `nil` when it has ended. There is one at a time.
    static func endsProgram(_ process: pid_t?) {
        program.value = Int(process ?? 0)
    }

    /// Whether a command checks `noted` and ends by itself.
    private static let isNoting = AtomicWord()
    /// When Ctrl-C was noted, in milliseconds of a clock that only goes forward; 0 as long as it was not.
    private static let noted = AtomicWord()

    /// A pipe that becomes readable when Ctrl-C is noted, so that a wait for input can wait for it as well. -1 while
    /// nothing notes Ctrl-C.
    private static let alarm = AtomicWord(-1)
    private static let alarmTrigger = AtomicWord(-1)

    /// Forgets earlier interruptions. From now on the first Ctrl-C is only noted, unless a line is edited then. One
    /// thread calls it.
    static func beginNoting() {
        makeAlarm()
        noted.value = 0
        var rest: UInt8 = 0
        while read(Int32(alarm.value), &rest, 1) == 1 {}
        isNoting.value = 1
    }

    private static func makeAlarm() {
        var ends: [Int32] = [-1, -1]
        guard alarm.value < 0, pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        alarm.value = Int(ends[0])
        alarmTrigger.value = Int(ends[1])
    }

    /// Whether Ctrl-C was pressed since `beginNoting`.
    static var isNoted: Bool { noted.value != 0 }

    /// Waits until there is input, or the input has ended, or Ctrl-C is noted. Returns whether Ctrl-C is noted. If
    /// nothing notes Ctrl-C, it does not wait.
    static func isNoted(beforeReading descriptor: Int32) -> Bool {
        guard isNoting.value == 1 else { return false }
        if !isNoted { wait(for: POLLIN, of: descriptor, orAlarm: true, milliseconds: -1) }
        return isNoted
    }

    /// Waits until there is room to write, but not longer than a moment after Ctrl-C; all writes share that moment.
    /// Returns whether there is still no room. If nothing notes Ctrl-C, it does not wait.
    static func isNoted(beforeWriting descriptor: Int32) -> Bool {
        guard isNoting.value == 1 else { return false }
        if !isNoted, wait(for: POLLOUT, of: descriptor, orAlarm: true, milliseconds: -1) { return false }
        let end = Int64(noted.value) + patience
        return !wait(for: POLLOUT, of: descriptor, orAlarm: false, milliseconds: Int32(max(0, end - milliseconds())))
    }

    /// In milliseconds after Ctrl-C: a reader without room by then does not get the rest. The delay is too short to
    /// notice.
    private static let patience: Int64 = 50

    /// The time, for the handler of signals, too. It is never 0.
    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 + 1
    }

    /// Returns whether the descriptor is ready, or has failed.
    @discardableResult
    private static func wait(for event: Int32, of descriptor: Int32, orAlarm: Bool, milliseconds: Int32) -> Bool {
        let alarm = orAlarm ? Int32(Self.alarm.value) : -1
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(event), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&requests, 2, milliseconds) < 0, errno == EINTR { continue }
            return requests[0].revents != 0
        }
    }

    /// Ends the process as the noted Ctrl-C would have, so that the parent process sees the signal.
    static func endProcess() {
        signal(SIGINT, SIG_DFL)
        raise(SIGINT)
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// The signals that the handler handles.
    static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }

    /// Erases the line before a signal ends the process, from now on. Ignored signals stay ignored.
    static func handleSignals() {
        // If the parent process ignored this one, no end of a program could be noticed.
        signal(SIGCHLD, SIG_DFL)
        // So that the handler does not initialize them.
        noteLine(isVisible: false)
        endsProgram(nil)
        noted.value = 0
        isNoting.value = 0
        alarmTrigger.value = -1
        changesTerminal.value = 0
        for number in numbers {
            let former = signal(number, handler)
            if former.map(address) == address(SIG_IGN) { signal(number, SIG_IGN) }
        }
    }

    /// It does only what POSIX allows in a handler. It reads atomics and a clock, kills a program, sets the terminal,
    /// writes constant bytes, and repeats the signal with its default action.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        if number == SIGINT, isNoting.value == 1, changesTerminal.value == 0,
            noted.replace(0, with: Int(milliseconds())) == 0
        {
            ring(Int32(alarmTrigger.value))
            return
        }
        let process = pid_t(program.value)
        if process > 0 {
            kill(-process, SIGKILL)
            kill(process, SIGKILL)
        }
        if changesTerminal.value == 1 { tcsetattr(STDIN_FILENO, TCSANOW, formerTerminal) }
        if isLineVisible.value == 1 {
            _ = write(STDERR_FILENO, Terminal.erasingLine.utf8Start, Terminal.erasingLine.utf8CodeUnitCount)
        }
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Writes to a pipe, and restores `errno`: the signal may arrive between a failed call and its check.
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
