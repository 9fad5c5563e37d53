// Each run tries deferred calls and held stanzas again. An earlier program could not load the handlers of the calls, or
// had no route for the stanzas.

import Foundation
import Persistence
import SafeText
import XMLTree

extension DurableSession {
    /// Tries all of them, the oldest first, each in its own transaction. One that fails changes nothing and
    /// stays.
    nonisolated func retryWaiting() async {
        let account = account
        do {
            for (handler, number) in try await database.read({ try $0.handlers.deferredCalls(of: account) }) {
                await retry("a deferred call could not be made") { work in
                    _ = try await work.dispatcher.retry(number, of: handler, work.arguments(for: nil))
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
            log(.warning, "the deferred calls and held stanzas could not be read", error: error.loggable)
        }
    }

    private nonisolated func retry(_ held: SessionTransaction.HeldStanza) async {
        await retry("a held stanza could not be handled") { work in
            guard try await self.takes(held.element, work) else { return }
            // Of several processes, one handles it.
            try work.changes.add { if try !$0.sessions.removeHeldStanza(held.number) { throw OutcomeIsOpen() } }
        }
    }

    private func hasRoute(_ stanza: Element) -> Bool {
        if case .handOver = otherwise { return true }
        return (try? bodies(for: stanza).isEmpty) == false
    }

    private nonisolated func retry(
        _ failure: String, _ body: @escaping @Sendable (StanzaWork) async throws -> Void
    ) async {
        if Task.isCancelled { return }
        do {
            try await transaction(body)
        } catch {
            if Task.isCancelled { return }
            log(.warning, "\(failure)", error: error.loggable)
        }
    }

    /// No route has taken the stanza.
    nonisolated func reportUnrouted(_ stanza: Element) async {
        if stanza.name == "iq" {
            log(.info, "no route takes a request: it is refused", of: stanza)
        } else if case .hold = await otherwise {
            log(.info, "no route takes a stanza: it is held", of: stanza)
        } else {
            log(.debug, "no route takes a stanza: it is ignored", of: stanza)
        }
        await stream.reportNotRouted(stanza)
    }
}
