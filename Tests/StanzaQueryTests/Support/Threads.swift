// Many threads that do the same at once.

import Foundation
import Synchronization

/// Runs a body on as many threads at once, and counts those where it fails.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Bool) -> Int {
    let failures = Failures()
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        let thread = Thread {
            if !body(number) { failures.count.add(1, ordering: .relaxed) }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    group.wait()
    return failures.count.load(ordering: .relaxed)
}

private final class Failures: Sendable {
    let count = Atomic<Int>(0)
}
