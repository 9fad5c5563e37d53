// Holding something that others wait for, a database say, while a test looks at what they do.

import Dispatch
import Synchronization

/// What is held blocks its thread in `hold()`, until the test lets go.
public final class Holder: Sendable {
    private enum State {
        case waiting, held, over
    }

    private let state = Mutex(State.waiting)
    private let release = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    /// Ends when it is held, or cannot be.
    fileprivate let begun: AsyncStream<Void>
    fileprivate let begin: AsyncStream<Void>.Continuation

    public init() { (begun, begin) = AsyncStream.makeStream() }

    /// Says that it is held now, and returns when it was let go. Nobody waits for ever: the time only ends what hangs.
    public func hold() {
        state.withLock { $0 = .held }
        begin.finish()
        _ = release.wait(timeout: .now() + 1200)
        state.withLock { $0 = .over }
    }

    /// Whether nobody has let go yet.
    public var isHeld: Bool { state.withLock { $0 == .held } }

    /// Lets go; whoever holds it does so in a moment.
    public func letGo() { release.signal() }

    /// Lets go, and blocks until it is free; once.
    public func letGoAndWait() {
        letGo()
        _ = end.wait(timeout: .now() + 1200)
    }

    fileprivate func endHolding() {
        begin.finish()
        end.signal()
    }
}

/// Does something while something else is held.
///
/// - Parameters:
///   - hold: Holds it: calls `hold()` when it does.
///   - body: What is done meanwhile. It may let go itself.
public func holding(
    with holder: Holder = Holder(), _ hold: @escaping @Sendable (Holder) async throws -> Void,
    during body: (Holder) async throws -> Void
) async throws {
    let holding = Task {
        defer { holder.endHolding() }
        try await hold(holder)
    }
    for await _ in holder.begun {}
    defer { holder.letGo() }
    guard holder.isHeld else {
        try await holding.value
        throw WaitedInVain(description: "what was to be held was not")
    }
    try await body(holder)
    holder.letGo()
    try await holding.value
}
