// Ctrl-C and its like: the terminal is left as it was found, without the progress line, before the process goes. What can
// end by itself is asked to do so first.

import Foundation
import Synchronization

/// What is done when a signal ends the process.
enum Interruption {
    private static let isLineVisible = Atomic(false)

    /// Remembers whether a line stands on standard error that has to go.
    static func noteLine(isVisible: Bool) {
        isLineVisible.store(isVisible, ordering: .relaxed)
    }

    /// What the terminal was before it was first changed. Written once, before `changesTerminal` is true for the first time,
    /// and never again: whoever finds that true reads what nobody writes.
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

    /// Forgets earlier interruptions. From now on the first Ctrl-C is only noted, unless a line is edited then.
    static func beginNoting() {
        noted.store(false, ordering: .sequentiallyConsistent)
        isNoting.store(true, ordering: .sequentiallyConsistent)
    }

    /// Whether Ctrl-C was pressed since `beginNoting`.
    static var isNoted: Bool { noted.load(ordering: .relaxed) }

    /// From now on the line is erased before a signal ends the process. Signals that are ignored stay so.
    static func erasesLine() {
        // So that the handler does not initialise them.
        noteLine(isVisible: false)
        noted.store(false, ordering: .sequentiallyConsistent)
        isNoting.store(false, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let former = signal(number, handler)
            if former.map(address) == address(SIG_IGN) { signal(number, SIG_IGN) }
        }
    }

    /// Only what POSIX allows here: it reads atomics, sets the terminal, writes constant bytes, and lets the signal do what
    /// it does without a handler.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        if number == SIGINT, isNoting.load(ordering: .sequentiallyConsistent),
            !changesTerminal.load(ordering: .sequentiallyConsistent),
            !noted.exchange(true, ordering: .sequentiallyConsistent)
        {
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

    private static func address(_ handler: @convention(c) (Int32) -> Void) -> Int {
        unsafeBitCast(handler, to: Int.self)
    }
}
