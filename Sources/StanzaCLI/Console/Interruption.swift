// Ctrl-C: the progress line goes before the process does.

import Foundation
import Synchronization

/// What is done when a signal ends the process.
enum Interruption {
    private static let isLineVisible = Atomic(false)

    /// Remembers whether a line stands on standard error that has to go.
    static func noteLine(isVisible: Bool) {
        isLineVisible.store(isVisible, ordering: .relaxed)
    }

    /// From now on the line is erased before a signal ends the process. Signals that are ignored stay so.
    static func erasesLine() {
        // So that the handler does not initialise it.
        noteLine(isVisible: false)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let former = signal(number, handler)
            if former.map(address) == address(SIG_IGN) { signal(number, SIG_IGN) }
        }
    }

    /// Only what POSIX allows here: it reads an atomic, writes constant bytes, and lets the signal do what it does
    /// without a handler.
    private static let handler: @convention(c) (Int32) -> Void = { number in
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
