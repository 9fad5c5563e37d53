// Answers: which request they belong to, and how it ends. What is done when none comes is DurableSession+Endings.swift.

import Foundation
import Handlers
import Persistence
import StreamManagement
import XMLTree

extension DurableSession {
    /// Calls the handler of the request that a stanza answers. What answers nothing is dropped.
    func answer(with stanza: Element, _ work: StanzaWork) async throws {
        guard let id = stanza["id"] else { return }
        let found = try await work.database.lookUp { _ in try await openRequest(id, work) }
        guard let found, Requests.accepts(from: stanza["from"], to: found.request.recipient, account: account) else {
            return
        }
        do {
            try await end(found.request, .call, work, found.sharing) {
                self.arguments(of: found.request, for: stanza, work)
            }
        } catch is RequestIsEnding {
            // It comes too late: the handler is being invalidated. If that comes to nothing, it is tried again, here or
            // by whoever is next; to wait for it might hold up what it waits for.
        }
    }

    /// Looks up the open request of that `id`. For a batch, one read looks up the requests of all answers that wait.
    private func openRequest(_ id: String, _ work: StanzaWork) async throws -> OpenRequest? {
        if work.isBatched, let known = batch.requests[id] { return known }
        var others: Set<String> = []
        if work.isBatched {
            let waiting = await stream.waitingStanzas(batch.room).filter(Requests.isAnswer)
            others = Set(waiting.compactMap { $0["id"] }).subtracting([id])
        }
        let account = account
        let (own, found) = try await database.read { [others] transaction in
            var found: [String: OpenRequest?] = [:]
            for id in others {
                do {
                    found.updateValue(try transaction.requests.open(id, of: account), forKey: id)
                } catch StanzaDatabaseError.invalidRecord {
                    // Its own answer meets the error.
                }
            }
            return (try transaction.requests.open(id, of: account), found)
        }
        if work.isBatched { batch.note(found) }
        return own
    }

    /// The request of that `id`, if its recipient is the one that has answered.
    func request(_ id: String, if isAnswered: (_ recipient: String?) -> Bool) async throws -> StoredRequest? {
        let account = account
        guard let request = try await database.read({ try $0.requests.request(id, of: account) }),
            isAnswered(request.recipient)
        else { return nil }
        return request
    }

    private nonisolated func arguments(
        of request: StoredRequest, for stanza: Element, _ work: StanzaWork
    ) -> HandlerArguments {
        var arguments = work.arguments(for: stanza)
        switch RequestKind(rawValue: request.kind) {
        case .pubsubItems: PubSubAnswer(stanza).give(to: &arguments)
        // A kind of a later version: the handler gets the answer, and may make of it what it can.
        case .iq, nil: break
        }
        return arguments
    }

    /// Ends a request together with what its handler does. One piece of work at a time does so.
    ///
    /// - Throws: `RequestIsEnding` if other work of this session is at it; `RequestHasEnded` if it is not there any
    ///   more; what the handler throws.
    func end(
        _ request: StoredRequest, _ purpose: ParkedCall.Purpose, _ work: StanzaWork, _ known: HandlerSharing? = nil,
        _ arguments: @Sendable () -> HandlerArguments
    ) async throws {
        let serial = request.serial
        guard endingRequests.insert(serial).inserted else { throw RequestIsEnding() }
        work.endedRequest.withLock { $0 = serial }
        // Of several processes, one ends it; the others' work fails as a whole.
        try work.database.add { transaction in
            if try !transaction.requests.remove(serial) { throw RequestHasEnded() }
        }
        var sharing = known
        if sharing == nil {
            sharing = try await work.database.lookUp { database in
                try await database.read { transaction in
                    try transaction.requests.contains(serial) ? try transaction.requests.sharing(request) : nil
                }
            }
        }
        // The read of a long list may be long ago.
        guard let sharing else { throw RequestHasEnded() }
        // A handler that waits for other answers, too, goes on to wait.
        let isShared = sharing.isShared(without: work.isBatched ? uncommittedEnds : [])
        work.database.noteAnswered(request.handler)
        let outcome = try await HandlingScope.run(of: self) {
            try await handlers.using(work.database).outcome(
                of: purpose, stored: request.handler, arguments(), keeping: isShared)
        }
        switch outcome {
        // It waits for a program that knows the handler.
        case .parked: try work.database.add { try $0.handlers.noteParkedRequest(of: request.handler) }
        case .tried(.returned): try forget(request.handler, work, wasShared: isShared)
        // The application has invalidated it, or removed it: nobody wants the answer any more.
        case .ended: try forget(request.handler, work, wasShared: true)
        case .tried(.refused(let error as HandlerError)) where error.isOfAnEndedHandler:
            try checkEnd(of: request.handler, work)
            try forget(request.handler, work, wasShared: true)
        // Also if the function says of another handler that it has ended.
        case .tried(.refused(let error)), .tried(.threw(let error)): throw error
        }
    }

    /// The work that ended a request is over, with or without success.
    func didEnd(_ work: StanzaWork) {
        if let serial = work.endedRequest.withLock({ $0 }) { endingRequests.remove(serial) }
    }

    /// Somebody is about to end a handler, which may come to nothing, or just has; or it was not there.
    private func checkEnd(of handler: UUID, _ work: StanzaWork) throws {
        try work.database.add { transaction in
            let handlers = transaction.handlers
            let hasEnded = try handlers.marks(of: [handler])[handler] != nil
            if try !hasEnded && handlers.handler(handler) != nil { throw HandlerIsEnding() }
        }
    }

    /// Removes a handler with its last request; it may have asked again.
    private func forget(_ handler: UUID, _ work: StanzaWork, wasShared: Bool) throws {
        try work.database.add { transaction in
            if try !transaction.requests.uses(handler) { return try transaction.handlers.remove(handler) }
            // It has ended now, and could not hear of the other answer.
            if try !wasShared && transaction.handlers.marks(of: [handler])[handler] != nil { throw HandlerIsShared() }
        }
    }
}

/// Somebody else has ended the request, or did before; what was done because of it is undone.
struct RequestHasEnded: Error {}

/// Another request was given the same handler meanwhile: what was done is undone, and done again without ending the
/// handler.
struct HandlerIsShared: Error {}

/// Other work of this session is about to end the request.
struct RequestIsEnding: Error {}

/// Other work is about to end the handler, which may come to nothing.
struct HandlerIsEnding: Error {}

extension HandlerError {
    /// Whether it says that a handler has ended, or is gone.
    var isOfAnEndedHandler: Bool {
        switch kind {
        case .alreadyCalled, .alreadyInvalidated, .notStored: true
        default: false
        }
    }

    /// Whether it says that this program does not know a handler, or what is bound to it.
    var isOfAnUnknownHandler: Bool {
        switch kind {
        case .unknownHandler, .unknownVersion, .unknownType, .migrationFailed: true
        default: false
        }
    }
}

extension RequestTransaction {
    /// The open request of that `id`, and the other occasions of its handler.
    fileprivate func open(_ id: String, of account: String) throws -> OpenRequest? {
        guard let request = try request(id, of: account) else { return nil }
        return OpenRequest(request: request, sharing: try sharing(request))
    }
}
