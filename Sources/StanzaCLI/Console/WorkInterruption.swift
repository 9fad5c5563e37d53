// Ctrl-C while a command goes from item to item.

import Foundation
import Synchronization

/// Stops a command before its next item, and remembers that there was one: a command that has done everything when
/// Ctrl-C comes was not interrupted.
struct WorkInterruption {
    private let isInterrupted: () -> Bool
    /// Whether something was left undone.
    private(set) var leftWork = false

    /// From now on the first Ctrl-C is only noted.
    init(on console: Console) {
        console.noteInterruption()
        isInterrupted = console.isInterrupted
    }

    /// Whether to stop here, asked before each item.
    mutating func stops() -> Bool {
        if isInterrupted() { leaveWork() }
        return leftWork
    }

    /// Notes that something was left undone elsewhere.
    mutating func leaveWork() {
        leftWork = true
    }

    /// Does an item that may take long and does not look at Ctrl-C. Returns `nil` if that comes first: then a thread
    /// works in vain until the process ends, which is soon.
    mutating func wait<Value: Sendable>(for work: @escaping @Sendable () -> Value) -> Value? {
        let item = Item<Value>()
        Thread.detachNewThread { item.keep(work()) }
        while true {
            if let value = item.value(within: Self.patience) { return value }
            if stops() { return nil }
        }
    }

    /// Who presses Ctrl-C does not notice that it is seen so much later.
    private static let patience = DispatchTimeInterval.milliseconds(20)
}

/// What a thread makes and another one waits for.
private final class Item<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isKept = DispatchSemaphore(value: 0)

    func keep(_ value: Value) {
        self.value.withLock { $0 = value }
        isKept.signal()
    }

    /// The value, once it is there.
    func value(within time: DispatchTimeInterval) -> Value? {
        isKept.wait(timeout: .now() + time) == .success ? value.withLock { $0 } : nil
    }
}
