// Ctrl-C while a command goes from item to item.

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
        if isInterrupted() { leftWork = true }
        return leftWork
    }
}
