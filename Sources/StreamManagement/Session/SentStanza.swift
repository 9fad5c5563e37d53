// What became of one stanza, for whoever sent it.

import Synchronization
import XMLTree

/// A stanza that was given to a session to be sent.
///
/// ```swift
/// let sent = try await session.send(message)
/// for await state in sent.states { show(state) }  // queued, sent, acknowledged
/// ```
public final class SentStanza: Sendable {
    public let number: OutgoingNumber

    private let story: Mutex<Story>

    private struct Story {
        /// The stanza, as long as it may be asked whether another one is the same.
        var element: Element?
        var history: [StanzaState] = [.queued]
        var isFinished = false
        var deadLetterReason: StreamManagementCore.DeadLetterReason?
        var continuations: [AsyncStream<StanzaState>.Continuation] = []
    }

    init(number: OutgoingNumber, element: Element) {
        self.number = number
        story = Mutex(Story(element: element))
    }

    /// What is known last.
    public var state: StanzaState { story.withLock { $0.history[$0.history.count - 1] } }

    /// Everything that was and will be known, from `queued` on; it ends with what will not change any more. Each call
    /// gives a sequence of its own.
    ///
    /// A stanza whose session was lost may go from `unknown` or `failed` to `queued` again, if it is sent again. While
    /// a session is suspended nothing is said; it goes on when the ``StreamSession`` is run again, and ends with
    /// `unknown` if another process has settled the matter meanwhile, or when the ``StreamSession`` is let go.
    public var states: AsyncStream<StanzaState> {
        AsyncStream { continuation in
            story.withLock { story in
                for state in story.history { continuation.yield(state) }
                if story.isFinished { continuation.finish() } else { story.continuations.append(continuation) }
            }
        }
    }

    /// What is known in the end.
    public func outcome() async -> StanzaState {
        var last = StanzaState.queued
        for await state in states { last = state }
        return last
    }

    /// Why the session gave the stanza up; `nil` if it did not. It is known when ``outcome()`` returns.
    public var deadLetterReason: StreamManagementCore.DeadLetterReason? { story.withLock { $0.deadLetterReason } }

    func isOf(_ other: Element) -> Bool { story.withLock { $0.element == other } }

    func update(
        _ state: StanzaState, isFinal: Bool = false, because reason: StreamManagementCore.DeadLetterReason? = nil
    ) {
        story.withLock { story in
            if story.isFinished { return }
            story.deadLetterReason = reason
            if story.history.last != state {
                story.history.append(state)
                for continuation in story.continuations { continuation.yield(state) }
            }
            guard isFinal else { return }
            story.isFinished = true
            story.element = nil
            for continuation in story.continuations { continuation.finish() }
            story.continuations = []
        }
    }
}
