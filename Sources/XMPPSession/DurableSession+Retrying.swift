// Each run tries deferred requests and held stanzas again. An earlier program could not load the handlers of the
// requests, or had no route for the stanzas.

import Foundation
import Logging
import Persistence
import SafeText
import XMLTree

extension DurableSession {
    /// Tries all of them, the oldest first, each in its own transaction. One that fails changes nothing and stays. One
    /// that has ended several processes in a row stays, too, and is not tried any more (rule R40).
    nonisolated func retryWaiting() async {
        let account = account
        await endAttempt()
        do {
            for deferred in try await database.read({ try $0.requests.deferred(of: account) })
            where canEnd(deferred.request) {
                await retry(.request(deferred.request.serial), "a deferred request could not end") { work in
                    guard let end = deferred.request.end else { return }
                    // Of several processes, one ends it.
                    let serial = deferred.request.serial
                    try work.changes.add {
                        if try !$0.requests.remove(serial, isDeferred: true) { throw OutcomeIsOpen() }
                    }
                    try await self.end(deferred.request, Core.Outcome(end), with: deferred.answer, work)
                }
            }
            var last: Int64 = 0
            while true {
                let stanzas = try await database.read { [last] transaction in
                    try transaction.sessions.heldStanzas(of: account, after: last)
                }
                guard let end = stanzas.last?.number, !Task.isCancelled else { break }
                last = end
                for held in stanzas where await hasRoute(held.element) { await retry(held) }
            }
        } catch {
            log(.warning, "the deferred requests and held stanzas could not be read", error: error.loggable)
        }
    }

    private nonisolated func retry(_ held: SessionTransaction.HeldStanza) async {
        await retry(.heldStanza(held.number), "a held stanza could not be handled") { work in
            // Nothing of it commits: the stanza stays.
            guard try await self.takes(held.element, work) else { throw OutcomeIsOpen() }
            // Of several processes, one handles it.
            try work.changes.add { if try !$0.sessions.removeHeldStanza(held.number) { throw OutcomeIsOpen() } }
        }
    }

    private nonisolated func canEnd(_ request: StoredRequest) -> Bool {
        if RequestKind(rawValue: request.kind)?.hasPromise == true { return workContext.promises != nil }
        return (try? workContext.handlers.load(from: request.handler)) != nil
    }

    private func hasRoute(_ stanza: Element) -> Bool {
        if case .handOver = otherwise { return true }
        return (try? bodies(for: stanza).isEmpty) == false
    }

    private nonisolated func retry(
        _ row: RetriedRow, _ failure: Logger.Message, _ body: @escaping @Sendable (StanzaWork) async throws -> Void
    ) async {
        if Task.isCancelled { return }
        do {
            let maximum = await stream.configuration.maximumHandlingAttempts
            guard try await database.write({ try $0.beginAttempt(row, atMost: maximum) }) else {
                return log(.warning, failure, error: "\(maximum) attempts ended with their process")
            }
            await update { $0.retried = row }
            do {
                try await transaction(body)
            } catch is OutcomeIsOpen {
            } catch {
                if !Task.isCancelled { log(.warning, failure, error: error.loggable) }
            }
            // Else the session has done so, and the next run may try the row by now.
            if !Task.isCancelled { await endAttempt() }
        } catch {
            if Task.isCancelled { return }
            log(.warning, failure, error: error.loggable)
        }
    }

    /// The process has survived the attempt, which may have failed. Neither a handler that ignores its cancellation nor
    /// a suspension ends a process. If this fails, the next run does it.
    func endAttempt() async {
        guard let row = update(\.retried) else { return }
        do {
            try await database.write { try $0.endAttempt(row) }
            update { $0.retried = nil }
        } catch {
            log(.warning, "the end of an attempt is not stored", error: error.loggable)
        }
    }

    /// Reports a stanza after its commit: without that, the session handles the stanza again.
    nonisolated func report(_ unrouted: UnroutedStanza) async {
        let stanza = unrouted.stanza
        switch unrouted.fate {
        case .refused: log(.info, "no route takes a request: it is refused", of: stanza)
        case .held: log(.info, "no route takes a stanza: it is held", of: stanza)
        case .dropped: log(.info, "no route takes a stanza: it cannot be held", of: stanza)
        case .ignored: log(.debug, "no route takes a stanza: it is ignored", of: stanza)
        }
        await stream.reportNotRouted(stanza)
        if unrouted.fate == .dropped {
            await stream.reportDeadLetter(stanza, attempts: 1, because: RouteError.tooManyHeldStanzas)
        }
    }
}

/// A stanza that no route has taken.
struct UnroutedStanza: Sendable {
    enum Fate: Sendable {
        case refused, ignored, held
        /// It cannot be held.
        case dropped
    }

    let stanza: Element
    let fate: Fate
}
