// The requests that tasks of this process wait for. They end with the process, as the tasks do.
//
// An answer goes to its task on the stream's thread: the queue of the core's jobs may wait for the handler that asked.

import Locking
import StreamManagement
import XMLTree
import XMPPCore

/// The tasks that wait for answers, by the `id` of their requests.
final class AwaitedAnswers: Sendable {
    private struct Waiter {
        let recipient: String?
        let continuation: CheckedContinuation<Element, any Error>
        /// `nil` until the stream has taken the request.
        var sent: SentStanza?
    }

    private let account: JID
    private let waiters = Lock<[StanzaID: Waiter]>([:])
    /// Requests that no task waits for any more, and that could not be taken back.
    private let kept = Lock<[SentStanza]>([])

    init(account: JID) { self.account = account }

    /// Whether a task waits for an answer.
    var isWaiting: Bool { waiters.withLock { !$0.isEmpty } }

    /// The requests that the stream has taken.
    var sent: [SentStanza] { waiters.withLock { $0.values.compactMap(\.sent) } }

    func keep(_ sent: SentStanza) { kept.withLock { $0.append(sent) } }

    /// The requests to take back.
    var allKept: [SentStanza] { kept.withLock(\.self) }

    /// The stream has taken the request back.
    func forget(_ sent: SentStanza) { kept.withLock { $0.removeAll { $0 === sent } } }

    /// - Returns: `false` if another task waits for that `id`. This then does not resume the continuation.
    func add(_ id: StanzaID, to recipient: String?, _ continuation: CheckedContinuation<Element, any Error>) -> Bool {
        waiters.withLock { waiters in
            if waiters[id] != nil { return false }
            waiters[id] = Waiter(recipient: recipient, continuation: continuation)
            return true
        }
    }

    /// Hands a stanza to the task that waits for it, if there is one.
    func take(_ stanza: Element) -> Bool {
        guard Requests.isAnswer(stanza), let id = stanza["id"].map(StanzaID.init(rawValue:)),
            let waiter = remove(
                id, where: { Requests.accepts(from: stanza["from"], at: stanza["to"], to: $0, account: account) })
        else { return false }
        if let error = StanzaError(stanza) {
            waiter.continuation.resume(throwing: error)
        } else {
            waiter.continuation.resume(returning: stanza)
        }
        return true
    }

    /// Ends the request of the task that waits for a lost answer, if there is one.
    func fail(_ answer: LostAnswer) -> Bool {
        guard let rejection = answer.rejection else { return false }
        let waiter = remove(StanzaID(answer.id)) { answer.answers(requestTo: $0, account: account) }
        waiter?.continuation.resume(throwing: RequestError.answerRejected(rejection))
        return waiter != nil
    }

    private func remove(_ id: StanzaID, where isMeant: (_ recipient: String?) -> Bool) -> Waiter? {
        waiters.withLock { waiters in
            guard let waiter = waiters[id], isMeant(waiter.recipient) else { return nil }
            return waiters.removeValue(forKey: id)
        }
    }

    /// The stream has taken the request.
    func note(_ sent: SentStanza, for id: StanzaID) {
        waiters.withLock { $0[id]?.sent = sent }
        // Its session may have been lost in the same moment.
        switch sent.state {
        case .unknown, .failed: fail(id, Self.error(sent.deadLetterReason))
        case .queued, .sent, .acknowledged, .bounced: break
        }
    }

    func fail(_ id: StanzaID, _ error: any Error) {
        let waiter = waiters.withLock { $0.removeValue(forKey: id) }
        waiter?.continuation.resume(throwing: error)
    }

    /// The session of the sent requests is lost. Requests that were not sent keep waiting.
    func failSent() { fail { waiter in waiter.sent.map { $0.state != .queued } ?? false } }

    /// The stanza of this report is lost, and will not be sent again.
    func fail(_ report: StanzaReport) {
        fail(with: Self.error(report.deadLetterReason)) { $0.sent?.number == report.number }
    }

    /// The session repeats a handler after a lost connection, but not without end after a dead letter.
    private static func error(_ reason: StreamManagementCore.DeadLetterReason?) -> RequestError {
        reason.map(RequestError.deadLettered) ?? .disconnected
    }

    func failAll() { fail { _ in true } }

    private func fail(with error: RequestError = .disconnected, where isLost: (Waiter) -> Bool) {
        let lost = waiters.withLock { waiters in
            let lost = waiters.filter { isLost($0.value) }
            for id in lost.keys { waiters[id] = nil }
            return lost
        }
        for waiter in lost.values { waiter.continuation.resume(throwing: error) }
    }
}
