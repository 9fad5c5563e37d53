// The signals that end a command that has to clean up first: programs that it has started, a folder, connections.

import Foundation
import Locking

/// A received signal as an error: the command cleans up as after any other failure.
struct EndingSignal: Error {
    let number: Int32

    /// The maximum pause between two checks during a wait.
    static let pause = Duration.milliseconds(50)

    private static let received = AtomicWord()

    /// Makes `check()` report these signals, which no longer end the process. Ignored signals stay ignored.
    static func watch(for numbers: [Int32]) {
        // So that the handler does not initialize it.
        received.value = 0
        for number in numbers {
            let former = signal(number, handler)
            if former.map(address) == address(SIG_IGN) { signal(number, SIG_IGN) }
        }
        // The threads of tasks block signals, and so do all threads of a process that such a thread has started.
        Thread.detachNewThread {
            var signals = sigset_t()
            sigemptyset(&signals)
            for number in numbers { sigaddset(&signals, number) }
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            while true { sleep(.max) }
        }
    }

    /// - Throws: The signal, if one has come.
    static func check() throws(EndingSignal) {
        let number = received.value
        if number != 0 { throw EndingSignal(number: Int32(number)) }
    }

    /// Returns when a signal has come.
    static func wait() async throws(CancellationError) {
        while received.value == 0 {
            do { try await Task.sleep(for: pause) } catch { throw CancellationError() }
        }
    }

    private static let handler: @convention(c) (Int32) -> Void = { EndingSignal.received.value = Int($0) }

    private static func address(_ handler: @convention(c) (Int32) -> Void) -> Int {
        unsafeBitCast(handler, to: Int.self)
    }
}
