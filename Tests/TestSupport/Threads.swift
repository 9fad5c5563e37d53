// Many threads that work at once: threads of their own, because the pool of tasks has no more of them than the machine
// has cores.

import Foundation
import Locking

/// Runs a body on as many threads at once, and counts those where it fails.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Bool) -> Int {
    let threads = Threads()
    for number in 0..<count { threads.begin { body(number) } }
    return threads.failures()
}

/// Threads, and how many of them fail.
public final class Threads: Sendable {
    private let group = DispatchGroup()
    private let count = Lock(0)

    public init() {}

    /// Runs a body on one more thread, beside all others.
    public func begin(_ body: @escaping @Sendable () -> Bool) {
        group.enter()
        let thread = Thread { [self] in
            if !body() { count.withLock { $0 += 1 } }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Waits for all of them.
    public func failures() -> Int {
        group.wait()
        return count.withLock { $0 }
    }
}
