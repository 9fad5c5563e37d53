// Holding a resource that other code waits for, such as a database, while a test watches that code.

import Dispatch
import Locking

/// Blocks a thread in `hold()` until the test releases the resource.
public final class Holder: Sendable {
    private enum State {
        case waiting, held, over
    }

    private let state = Lock(State.waiting)
    private let release = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    /// Ends when it is held, or cannot be.
    fileprivate let begun: AsyncStream<Void>
    fileprivate let begin: AsyncStream<Void>.Continuation

    public init() { (begun, begin) = AsyncStream.makeStream() }

    /// Reports that the resource is held, and returns when the test releases it. A time limit ends tests that hang.
    public func hold() {
        state.withLock { $0 = .held }
        begin.finish()
        _ = release.wait(timeout: .now() + 1200)
        state.withLock { $0 = .over }
    }

    /// Whether the test has not released the resource yet.
    public var isHeld: Bool { state.withLock { $0 == .held } }

    /// Releases the resource; the holder then returns from `hold()`.
    public func letGo() { release.signal() }

    /// Releases the resource, and blocks until it is free; once.
    public func letGoAndWait() {
        letGo()
        _ = end.wait(timeout: .now() + 1200)
    }

    fileprivate func endHolding() {
        begin.finish()
        end.signal()
    }
}

/// Runs a body while a resource is held.
///
/// - Parameters:
///   - hold: Holds the resource: calls `hold()` when it does.
///   - body: Runs during that time. It may release the resource itself.
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
        throw WaitedInVain(description: "the holder did not hold its resource")
    }
    try await body(holder)
    holder.letGo()
    try await holding.value
}
