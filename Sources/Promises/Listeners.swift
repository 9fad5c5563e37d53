// Listeners for changes. Notifications that a listener has not received yet are merged into one.

import Synchronization

/// Notifies any number of listeners that something has changed.
public final class Listeners: Sendable {
    private let streams = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    public init() {}

    deinit { finish() }

    /// Adds a listener for all changes from now on.
    public func add() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = streams.withLock { streams in
            streams.next += 1
            streams.all[streams.next] = continuation
            return streams.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    /// Notifies all listeners.
    public func notify() {
        for continuation in streams.withLock({ Array($0.all.values) }) { continuation.yield() }
    }

    /// Ends the streams of all listeners.
    public func finish() {
        let all = streams.withLock { streams in
            defer { streams.all = [:] }
            return Array(streams.all.values)
        }
        for continuation in all { continuation.finish() }
    }
}
