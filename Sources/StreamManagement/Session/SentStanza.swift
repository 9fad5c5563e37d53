// The delivery states of the sent stanzas, for their senders.

import Synchronization
import XMLTree

/// A stanza that was passed to a session to be sent.
///
/// ```swift
/// let sent = try await session.send(message)
/// for await state in sent.states { show(state) }  // queued, sent, acknowledged
/// ```
public final class SentStanza: Sendable {
    public let number: OutgoingNumber

    private let story: Mutex<Story>

    private struct Story {
        /// The stanza, until its last state: the session compares it with stored stanzas.
        var element: Element?
        var history: [StanzaState] = [.queued]
        var isFinished = false
        var deadLetterReason: StreamManagementCore.DeadLetterReason?
        /// The sequences that are in use.
        var continuations: [UInt64: AsyncStream<StanzaState>.Continuation] = [:]
        var lastSequence: UInt64 = 0
    }

    init(number: OutgoingNumber, element: Element) {
        self.number = number
        story = Mutex(Story(element: element))
    }

    /// The latest known state.
    public var state: StanzaState { story.withLock { $0.history[$0.history.count - 1] } }

    /// The states of the stanza from `queued` on; the sequence ends with the final one. Each call returns its own
    /// sequence.
    ///
    /// If the next session sends the stanza again, its state goes from `unknown` or `failed` back to `queued`. A
    /// suspended session reports nothing. The sequence continues when the ``StreamSession`` runs again. It ends with
    /// `unknown` if another process has sent or given up the stanza in between, or when the ``StreamSession`` is
    /// released.
    public var states: AsyncStream<StanzaState> {
        AsyncStream { continuation in
            story.withLock { story in
                for state in story.history { continuation.yield(state) }
                if story.isFinished { return continuation.finish() }
                story.lastSequence += 1
                story.continuations[story.lastSequence] = continuation
                continuation.onTermination = { [weak self, number = story.lastSequence] end in
                    // The final state finishes the sequence inside the lock, and removes it itself.
                    guard case .cancelled = end else { return }
                    self?.story.withLock { _ = $0.continuations.removeValue(forKey: number) }
                }
            }
        }
    }

    /// The number of sequences in use, for tests.
    var sequenceCount: Int { story.withLock { $0.continuations.count } }

    /// Waits for the final state, and returns it.
    public func outcome() async -> StanzaState {
        var last = StanzaState.queued
        for await state in states { last = state }
        return last
    }

    /// Why the session gave the stanza up; `nil` if it did not. The reason is set when ``outcome()`` returns.
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
                for continuation in story.continuations.values { continuation.yield(state) }
            }
            guard isFinal else { return }
            story.isFinished = true
            story.element = nil
            for continuation in story.continuations.values { continuation.finish() }
            story.continuations = [:]
        }
    }
}

/// The sent stanzas whose last state is not reported. Belongs to the session.
struct SentStanzas {
    private var stanzas: [OutgoingNumber: SentStanza] = [:]

    subscript(number: OutgoingNumber) -> SentStanza? { stanzas[number] }

    mutating func add(_ added: [SentStanza]) {
        for stanza in added { stanzas[stanza.number] = stanza }
    }

    /// The transport has taken these stanzas.
    func wereWritten(_ numbers: [OutgoingNumber]) {
        for number in numbers { stanzas[number]?.update(.sent) }
    }

    mutating func pass(_ report: StanzaReport) {
        guard let stanza = stanzas[report.number] else { return }
        stanza.update(report.state, isFinal: report.prospect == .final, because: report.deadLetterReason)
        switch report.prospect {
        case .final: stanzas[report.number] = nil
        case .resent: stanza.update(.queued)
        case .undecided: break
        }
    }

    /// Keeps the ``SentStanza`` of each stanza that is still stored, and makes one for each stanza of an earlier
    /// process. The others end as `unknown`: another process has sent or given them up, and only it knows their state.
    mutating func restore(_ stored: [OutgoingStanza]) {
        let former = stanzas
        stanzas = [:]
        for stanza in stored {
            if let tracked = former[stanza.number], tracked.isOf(stanza.element) {
                stanzas[stanza.number] = tracked
            } else {
                let tracked = SentStanza(number: stanza.number, element: stanza.element)
                if stanza.isSent { tracked.update(.sent) }
                stanzas[stanza.number] = tracked
            }
        }
        for (number, stanza) in former where stanzas[number] !== stanza { stanza.update(.unknown, isFinal: true) }
    }

    /// The session is over, or released: nothing more is reported.
    mutating func finish() {
        for stanza in stanzas.values { stanza.update(.unknown, isFinal: true) }
        stanzas = [:]
    }
}
