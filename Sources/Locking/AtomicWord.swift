// A word that threads share without a lock.

import CAtomics

/// A number that threads and signal handlers read and change. Its memory stays until `deallocate`.
///
/// Sendable without being checked: only atomic operations touch the memory.
package struct AtomicWord: @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt>

    package init(_ value: Int = 0) {
        word = .allocate(capacity: 1)
        word.initialize(to: UInt(bitPattern: value))
    }

    package func deallocate() { word.deallocate() }

    package var value: Int {
        get { Int(bitPattern: stanza_atomic_load(word)) }
        nonmutating set { stanza_atomic_store(word, UInt(bitPattern: newValue)) }
    }

    /// Returns the value before.
    package func exchange(_ value: Int) -> Int {
        Int(bitPattern: stanza_atomic_exchange(word, UInt(bitPattern: value)))
    }

    /// Replaces the value if it is the expected one. Returns the value before.
    package func replace(_ expected: Int, with value: Int) -> Int {
        Int(bitPattern: stanza_atomic_replace(word, UInt(bitPattern: expected), UInt(bitPattern: value)))
    }
}
