// Calls the routes of a stanza, or the handler of a request.

import Foundation
import Handlers
import Persistence
import SessionCore
import StreamManagement
import XMLTree

extension DurableSession {
    /// Calls the routes that a stanza matches, or else the `otherwise` route.
    nonisolated func route(_ stanza: Element, _ work: StanzaWork) async throws {
        if stanza.name == "iq", !Requests.isRequest(stanza) {
            // An answer to no open request is gone before this.
            return try work.send(StanzaError.badRequest.reply(to: stanza))
        }
        if try await takes(stanza, work) { return }
        await reportUnrouted(stanza)
        if stanza.name == "iq" { return try work.send(StanzaError.serviceUnavailable.reply(to: stanza)) }
        switch await otherwise {
        case .hold where try await !work.hold(stanza):
            await stream.reportDeadLetter(stanza, attempts: 1, because: RouteError.tooManyHeldStanzas)
        case .hold: break
        case .ignore, .handOver, nil: break
        }
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

    /// Calls the handler of the request that a stanza answers.
    nonisolated func answer(_ found: FoundRequest, with stanza: Element, _ work: StanzaWork) async throws {
        var found = found
        if found.isShared {
            // The other requests may have ended since.
            let serial = DurableSessionCore.Serial(rawValue: found.request.serial)
            let rows = rows
            guard let now = try await work.changes.lookUp({ _ in try await rows.request(serial) }) else { return }
            found = now
        }
        var arguments = work.arguments(for: stanza)
        switch RequestKind(rawValue: found.request.kind) {
        case .pubsubItems: arguments.addItems(of: stanza)
        // For a kind of a later version, the handler gets the answer alone.
        case .iq, nil: break
        }
        try await end(found, .call, work, arguments)
    }

    /// Invalidates the handler of a request that gets no answer.
    nonisolated func invalidate(_ ending: DurableSessionCore.Ending, _ work: StanzaWork) async throws {
        let rows = rows
        // The commit finds that it has ended.
        guard let found = try await work.changes.lookUp({ _ in try await rows.request(ending.serial) }) else { return }
        try await end(found, .invalidation(InvalidationReason(ending.outcome)), work, work.arguments(for: nil))
    }

    /// Calls or invalidates a handler. It ends with its last request.
    private nonisolated func end(
        _ found: FoundRequest, _ purpose: DeferredCall.Purpose, _ work: StanzaWork, _ arguments: HandlerArguments
    ) async throws {
        let (handler, isShared) = (found.request.handler, found.isShared)
        work.changes.noteAnswered(handler)
        let outcome = try await work.dispatcher.outcome(
            of: purpose, stored: handler, arguments, keeping: isShared)
        switch outcome {
        // It waits for a program that knows the handler.
        case .deferred:
            let account = account
            try work.changes.add { try $0.handlers.noteDeferredRequest(of: handler, account: account) }
        case .tried(.returned): try forget(handler, work, wasShared: isShared)
        // The application has invalidated or removed it.
        case .ended: try forget(handler, work, wasShared: true)
        case .tried(.refused(let error as HandlerError)) where error.isOfAnEndedHandler:
            try work.changes.add { transaction in
                let hasEnded = try transaction.handlers.marks(of: [handler])[handler] != nil
                if try !hasEnded && transaction.handlers.handler(handler) != nil { throw OutcomeIsOpen() }
            }
            try forget(handler, work, wasShared: true)
        // The function itself may throw such an error, about another handler.
        case .tried(.refused(let error)), .tried(.threw(let error)): throw error
        }
    }

    /// Removes a handler with its last request, unless the handler has sent another one.
    private nonisolated func forget(_ handler: UUID, _ work: StanzaWork, wasShared: Bool) throws {
        try work.changes.add { transaction in
            if try !transaction.requests.uses(handler) { return try transaction.handlers.remove(handler) }
            // A request that was stored since waits for a call that this end has made impossible.
            if try !wasShared && transaction.handlers.marks(of: [handler])[handler] != nil { throw OutcomeIsOpen() }
        }
    }
}

extension InvalidationReason {
    fileprivate init(_ outcome: DurableSessionCore.Outcome) {
        switch outcome {
        case .answered, .timedOut: self = .timedOut
        case .lost: self = .disconnected
        case .notHandled: self = .answerNotHandled
        case .rejected: self = .answerRejected
        }
    }
}
