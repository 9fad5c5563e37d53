// Ctrl-C during a command that processes one item after another.

import Foundation

/// Stops a command before its next item, and remembers that items were left. A command that has processed all items
/// when Ctrl-C comes was not interrupted.
struct WorkInterruption {
    private let isInterrupted: () -> Bool
    /// Whether work was left.
    private(set) var leftWork = false

    /// From now on the first Ctrl-C is only noted.
    init(on console: Console) {
        console.noteInterruption()
        isInterrupted = console.isInterrupted
    }

    /// Whether to stop here. The command calls it before each item.
    mutating func stops() -> Bool {
        if isInterrupted() { leaveWork() }
        return leftWork
    }

    /// Notes that work was left elsewhere.
    mutating func leaveWork() {
        leftWork = true
    }

    /// Runs the work of an item that may take long and does not check for Ctrl-C. Returns `nil` if Ctrl-C comes first.
    /// Then a thread continues needlessly until the process ends, which is soon.
    mutating func wait<Value: Sendable>(for work: @escaping @Sendable () -> Value) -> Value? {
        let result = PendingResult<Value>()
        Thread.detachNewThread { result.set(work()) }
        while true {
            if let value = result.value(within: Self.patience) { return value }
            if stops() { return nil }
        }
    }

    /// A delay after Ctrl-C that users do not notice.
    private static let patience = DispatchTimeInterval.milliseconds(20)
}
