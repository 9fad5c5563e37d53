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
        do {
            for deferred in try await database.read({ try $0.requests.deferred(of: account) })
            where canEnd(deferred.request) {
                await retry(.request(deferred.request.serial), "a deferred request could not end") { work in
                    guard let end = deferred.request.end else { return }
                    // Of several processes, one ends it.
                    try work.changes.add { transaction in
                        if try !transaction.requests.remove(deferred.request.serial) { throw OutcomeIsOpen() }
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
            guard try await self.takes(held.element, work) else { return }
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
            do {
                try await transaction(body)
            } catch {
                if !Task.isCancelled { log(.warning, failure, error: error.loggable) }
            }
            // This also runs after a cancellation, which ends no process.
            try await Task { [database] in try await database.write { try $0.endAttempt(row) } }.value
        } catch {
            if Task.isCancelled { return }
            log(.warning, failure, error: error.loggable)
        }
    }

    /// Reports a stanza after its commit: without that, the session handles the stanza again.
    nonisolated func report(_ unrouted: UnroutedStanza) async {
        let stanza = unrouted.stanza
        switch unrouted.fate {
        case .refused: log(.info, "no route takes a request: it is refused", of: stanza)
        case .held: log(.info, "no route takes a stanza: it is held", of: stanza)
        case .dropped: log(.info, "no route takes a stanza: too many are held", of: stanza)
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
        /// Too many stanzas are held.
        case dropped
    }

    let stanza: Element
    let fate: Fate
}
