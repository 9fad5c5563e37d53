// Calls the routes of a stanza, or the handler of a request.

import Foundation
import Handlers
import Logging
import Persistence
import SafeText
import SessionCore
import StreamManagement
import XMLTree

extension DurableSession {
    /// Calls the routes that a stanza matches, or else the `otherwise` route.
    nonisolated func route(_ stanza: Element, _ work: StanzaWork) async throws {
        if stanza.name == "iq", !Requests.isRequest(stanza) {
            // An answer to no open request is gone before this.
            if let answer = stanza.error(.badRequest) { try work.send(answer) }
            return
        }
        if try await takes(stanza, work) { return }
        let fate: UnroutedStanza.Fate
        if stanza.name == "iq" {
            if let answer = stanza.error(.serviceUnavailable) { try work.send(answer) }
            fate = .refused
        } else if case .hold = await otherwise {
            fate = try await work.hold(stanza) ? .held : .dropped
        } else {
            fate = .ignored
        }
        work.note(UnroutedStanza(stanza: stanza, fate: fate))
    }

    /// Calls the routes that a stanza matches, or else the one that it is handed over to.
    ///
    /// - Returns: Whether one of them has taken it.
    nonisolated func takes(_ stanza: Element, _ work: StanzaWork) async throws -> Bool {
        var isTaken = false
        for body in try await bodies(for: stanza) {
            if try await body(stanza, work) { isTaken = true }
        }
        if isTaken { return true }
        guard case .handOver(let body) = await otherwise else { return false }
        return try await body(stanza, work)
    }

    /// Invalidates the handler of a request that gets no answer.
    nonisolated func invalidate(_ ending: DurableSessionCore.Ending, _ work: StanzaWork) async throws {
        let rows = rows
        // The commit finds that it has ended.
        guard let request = try await work.changes.lookUp({ _ in try await rows.request(ending.serial) }) else {
            return
        }
        try await end(request, ending.outcome, with: nil, work)
    }

    /// Calls or invalidates the handler of a request. The transaction of the work removes the request's row: of several
    /// calls, one commits. If this program cannot load the handler, the row stays for one that can.
    nonisolated func end(
        _ request: StoredRequest, _ outcome: DurableSessionCore.Outcome, with answer: Element?, _ work: StanzaWork
    ) async throws {
        let kind = RequestKind(rawValue: request.kind)
        let reason: String?
        if let kind, kind.hasPromise {
            reason = try await work.resolve(request, kind, outcome, with: answer)
        } else {
            var arguments = work.arguments(for: answer)
            // For a kind of a later version, the handler gets the answer alone.
            if let answer, kind == .pubsubItems { arguments.addItems(of: answer) }
            reason = try await work.dispatcher.run(
                owned: request.handler, because: outcome == .answered ? nil : InvalidationReason(outcome), arguments)?
                .description
        }
        guard let reason else { return }
        log(.warning, "a request waits for a program that can load its handler", error: reason)
        let (account, date) = (account, work.date)
        try work.changes.add { transaction in
            try transaction.requests.deferRequest(
                request, because: StoredRequest.End(outcome), answer: answer, reason: reason, of: account,
                at: date)
        }
    }
}

extension InvalidationReason {
    init(_ outcome: DurableSessionCore.Outcome) {
        switch outcome {
        case .answered, .timedOut: self = .timedOut
        case .lost: self = .disconnected
        case .notHandled: self = .answerNotHandled
        case .rejected: self = .answerRejected
        }
    }
}
