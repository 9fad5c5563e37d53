// The lock of all modules, and words that threads share.

import Locking
import TestSupport
import Testing

@Suite struct LockTests {
    private struct Failure: Error {}

    @Test func oneThreadAtATime() {
        let (lock, word) = (Lock(0), AtomicWord(-1))
        defer { word.deallocate() }
        let failures = onThreads(4) { _ in
            for _ in 0..<5000 {
                lock.withLock { $0 += 1 }
                while true {
                    let value = word.value
                    if word.replace(value, with: value + 1) == value { break }
                }
            }
            return true
        }
        #expect(failures == 0 && lock.withLock { $0 } == 20_000 && word.value == 19_999)
        #expect(word.exchange(7) == 19_999 && word.replace(8, with: 9) == 7 && word.value == 7)
    }

    @Test func aFailureReleasesTheLock() {
        let lock = Lock(1)
        #expect(throws: Failure.self) { try lock.withLock { _ in throw Failure() } }
        #expect(lock.withLock { $0 } == 1)
    }
}
