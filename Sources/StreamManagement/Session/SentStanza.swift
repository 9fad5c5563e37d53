// What became of one stanza, for whoever sent it.

import Foundation
import XMLTree

/// A stanza that was given to a session to be sent.
///
///     let sent = try await session.send(message)
///     for await state in sent.states { show(state) }  // queued, sent, acknowledged
///
/// Sendable without being checked: what changes is read and written under the lock.
public final class SentStanza: @unchecked Sendable {
    public let number: OutgoingNumber

    private let lock = NSLock()
    /// The stanza, as long as it may be asked whether another one is the same.
    private var element: Element?
    private var history: [StanzaState] = [.queued]
    private var isFinished = false
    private var continuations: [AsyncStream<StanzaState>.Continuation] = []

    init(number: OutgoingNumber, element: Element) {
        self.number = number
        self.element = element
    }

    /// What is known last.
    public var state: StanzaState { lock.withLock { history[history.count - 1] } }

    /// Everything that was and will be known, from `queued` on; it ends with what will not change any more. Each call
    /// gives a sequence of its own.
    ///
    /// A stanza whose session was lost may go from `unknown` or `failed` to `queued` again, if it is sent again. While a
    /// session is suspended nothing is said; it goes on when the ``StreamSession`` is run again, and ends with `unknown`
    /// if another process has settled the matter meanwhile, or when the ``StreamSession`` is let go.
    public var states: AsyncStream<StanzaState> {
        AsyncStream { continuation in
            lock.withLock {
                for state in history { continuation.yield(state) }
                if isFinished { continuation.finish() } else { continuations.append(continuation) }
            }
        }
    }

    /// What is known in the end.
    public func outcome() async -> StanzaState {
        var last = StanzaState.queued
        for await state in states { last = state }
        return last
    }

    func isOf(_ other: Element) -> Bool { lock.withLock { element == other } }

    func update(_ state: StanzaState, isFinal: Bool = false) {
        lock.withLock {
            if isFinished { return }
            if history.last != state {
                history.append(state)
                for continuation in continuations { continuation.yield(state) }
            }
            guard isFinal else { return }
            isFinished = true
            element = nil
            for continuation in continuations { continuation.finish() }
            continuations = []
        }
    }
}
