// The delivery states of the sent stanzas, for their senders.

import Locking
import XMLTree

/// A stanza that was passed to a session to be sent.
///
/// ```swift
/// let sent = try await session.send(message)
/// for await state in sent.states { show(state) }  // queued, sent, acknowledged, and perhaps bounced
/// ```
public final class SentStanza: Sendable {
    public let number: OutgoingNumber

    private let story: Lock<Story>

    private struct Story {
        /// The stanza, until its delivery is settled: the session compares it with stored stanzas.
        var element: Element?
        var history: [StanzaState] = [.queued]
        /// Whether the session knows what became of the stanza. Only an error of the recipient can follow.
        var isSettled = false
        /// Whether nothing more follows.
        var isFinished = false
        var deadLetterReason: StreamManagementCore.DeadLetterReason?
        /// The sequences that are in use.
        var listeners: [UInt64: Listener] = [:]
        var lastListener: UInt64 = 0

        mutating func settle() {
            isSettled = true
            element = nil
            switch history.last {
            // An error of the recipient may follow.
            case .acknowledged, .sent: end { $0.endsEarly }
            case .queued, .bounced, .failed, .unknown, nil: finish()
            }
        }

        mutating func finish() {
            (isSettled, isFinished, element) = (true, true, nil)
            end { _ in true }
        }

        private mutating func end(_ isEnding: (Listener) -> Bool) {
            for (number, listener) in listeners where isEnding(listener) {
                listener.continuation.finish()
                listeners[number] = nil
            }
        }
    }

    private struct Listener {
        let continuation: AsyncStream<StanzaState>.Continuation
        /// Whether its sequence ends when the delivery is settled.
        let endsEarly: Bool
    }

    package init(number: OutgoingNumber, element: Element) {
        self.number = number
        story = Lock(Story(element: element))
    }

    /// The latest known state.
    public var state: StanzaState { story.withLock { $0.history[$0.history.count - 1] } }

    /// The states of the stanza from `queued` on. Each call returns its own sequence.
    ///
    /// The sequence ends with `failed`, `unknown` or `bounced`. After `acknowledged`, or `sent` where the server counts
    /// nothing, an error of the recipient may follow. The sequence then ends when the session has forgotten the stanza:
    /// it remembers the last 1,000, as long as the process lives. Use ``outcome()`` to wait for the acknowledgement.
    ///
    /// If the next session sends the stanza again, its state goes from `unknown` or `failed` back to `queued`. A
    /// suspended session reports nothing. The sequence continues when the ``StreamSession`` runs again. It ends with
    /// `unknown` if another process has sent or given up the stanza in between, or when the ``StreamSession`` is
    /// released.
    public var states: AsyncStream<StanzaState> { states(endingEarly: false) }

    private func states(endingEarly: Bool) -> AsyncStream<StanzaState> {
        AsyncStream { continuation in
            story.withLock { story in
                for state in story.history { continuation.yield(state) }
                if story.isFinished || (endingEarly && story.isSettled) { return continuation.finish() }
                story.lastListener += 1
                story.listeners[story.lastListener] = Listener(continuation: continuation, endsEarly: endingEarly)
                continuation.onTermination = { [weak self, number = story.lastListener] end in
                    // The last state finishes the sequence inside the lock, and removes it itself.
                    guard case .cancelled = end else { return }
                    self?.story.withLock { _ = $0.listeners.removeValue(forKey: number) }
                }
            }
        }
    }

    /// The number of sequences in use, for tests.
    var sequenceCount: Int { story.withLock { $0.listeners.count } }

    /// Waits until the session knows what became of the stanza, and returns that: `acknowledged`, `failed`, `unknown`,
    /// `bounced`, or `sent` where the server counts nothing. An error that comes later changes ``state``.
    public func outcome() async -> StanzaState {
        var last = StanzaState.queued
        for await state in states(endingEarly: true) { last = state }
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
                for listener in story.listeners.values { listener.continuation.yield(state) }
            }
            if isFinal { story.settle() }
        }
    }

    /// Whether only an error of the recipient can follow.
    var mayBounce: Bool { story.withLock { $0.isSettled && !$0.isFinished } }

    /// No error can follow any more.
    func finish() { story.withLock { $0.finish() } }
}

/// The sent stanzas whose last state is not reported, and those that an error may still answer. Belongs to the session.
struct SentStanzas {
    private var stanzas: [OutgoingNumber: SentStanza] = [:]
    /// The last settled stanzas, in order.
    private var settled: [OutgoingNumber: SentStanza] = [:]
    private var order: [OutgoingNumber] = []

    subscript(number: OutgoingNumber) -> SentStanza? { stanzas[number] }

    mutating func add(_ added: [SentStanza]) {
        for stanza in added { stanzas[stanza.number] = stanza }
    }

    mutating func remove(_ numbers: Set<OutgoingNumber>) { for number in numbers { stanzas[number] = nil } }

    /// The transport has taken these stanzas.
    func wereWritten(_ numbers: [OutgoingNumber]) {
        for number in numbers { stanzas[number]?.update(.sent) }
    }

    mutating func pass(_ report: StanzaReport) {
        guard let stanza = stanzas[report.number] ?? settled[report.number] else { return }
        stanza.update(report.state, isFinal: report.prospect == .final, because: report.deadLetterReason)
        switch report.prospect {
        case .final:
            stanzas[report.number] = nil
            if stanza.mayBounce { keep(stanza) }
        case .resent: stanza.update(.queued)
        case .undecided: break
        }
    }

    /// Keeps a settled stanza, as the core does, for an error that answers it.
    private mutating func keep(_ stanza: SentStanza) {
        if settled.updateValue(stanza, forKey: stanza.number) == nil { order.append(stanza.number) }
        guard order.count > 2 * AcknowledgedStanzas.maximumCount else { return }
        for number in order.prefix(AcknowledgedStanzas.maximumCount) { settled.removeValue(forKey: number)?.finish() }
        order.removeFirst(AcknowledgedStanzas.maximumCount)
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
        for stanza in settled.values { stanza.finish() }
        (stanzas, settled, order) = ([:], [:], [])
    }
}
