// Listeners for changes. Notifications that a listener has not received yet are merged into one.

import Foundation
import Locking

/// Notifies any number of listeners that something has changed.
public final class Listeners: Sendable {
    private let streams = Lock<[UUID: AsyncStream<Void>.Continuation]>([:])

    public init() {}

    deinit { finish() }

    /// Adds a listener for all changes from now on.
    public func add() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        streams.withLock { $0[id] = continuation }
        continuation.onTermination = { [weak self] _ in self?.streams.withLock { $0[id] = nil } }
        return stream
    }

    /// Notifies all listeners.
    public func notify() {
        for continuation in streams.withLock(\.values) { continuation.yield() }
    }

    /// Ends the streams of all listeners.
    public func finish() {
        // Each one's end removes it.
        for continuation in streams.withLock(\.values) { continuation.finish() }
    }
}
