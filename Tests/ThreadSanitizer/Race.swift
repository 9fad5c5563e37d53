// A program for the thread sanitizer: threads that contend for a counter, with a mutex or without one. .ci/sanitize
// runs it before the tests. The sanitizer must report the race, and must not report the mutex.
//
//     Race mutex     every access is locked
//     Race planted   one thread does not lock: nothing orders its accesses, even if the threads run one after another

import Foundation
import Synchronization

/// A counter that is only safe if its callers lock the mutex.
///
/// It is `@unchecked Sendable` on purpose: the compiler would refuse the race that the sanitizer has to find.
final class Counter: @unchecked Sendable {
    let mutex = Mutex(())
    var count = 0
}

let isPlanted = CommandLine.arguments.last == "planted"
let counter = Counter()
let group = DispatchGroup()
for number in 0..<4 {
    group.enter()
    Thread.detachNewThread {
        for _ in 0..<20_000 {
            if isPlanted, number == 0 {
                counter.count += 1
            } else {
                counter.mutex.withLock { _ in counter.count += 1 }
            }
        }
        group.leave()
    }
}
group.wait()
print(counter.mutex.withLock { _ in counter.count })
