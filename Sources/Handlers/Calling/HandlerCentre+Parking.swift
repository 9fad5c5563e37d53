// Handlers that this program cannot load, because it is older or younger than what stored them, wait in the store with
// the calls that they should have got.

public import Foundation

/// What became of a call of a stored handler.
public enum HandlerDelivery: Sendable, Hashable {
    /// The function was called, and returned.
    case called
    /// This program cannot load the handler: the call waits in the store, with those of its arguments that can be
    /// stored.
    case parked(HandlerError)
}

/// What became of what was wanted of a stored handler.
package enum StoredOutcome: Sendable {
    /// This program cannot load it: what was wanted waits in the store.
    case parked(HandlerError)
    /// It has ended, and that is kept.
    case ended(HandlerError)
    /// It was loaded, or is not there.
    case tried(HandlerEvent.Outcome)
}

/// What became of a parked handler when its calls were replayed.
public struct HandlerReplay: Sendable, Identifiable {
    public let id: UUID
    /// How each of the calls that waited ended, in order: with nothing, or with what was thrown.
    public let calls: [Result<Void, any Error>]
    /// Why the handler is still parked; `nil` when it is not any more.
    public let stillParked: HandlerError?
}

extension HandlerCentre {
    /// Loads a handler and calls it. If this program cannot load it, the call is kept and replayed by one that can.
    ///
    /// - Throws: What `call(_:_:)` throws, and `HandlerError` of kind `notStored`.
    @discardableResult
    public func call(stored id: UUID, _ arguments: HandlerArguments = [:]) async throws -> HandlerDelivery {
        try await deliver(.call, to: id, arguments)
    }

    /// Loads a handler and invalidates it. If this program cannot load it, the invalidation is kept and replayed.
    ///
    /// - Throws: What `invalidate(_:because:_:)` throws, and `HandlerError` of kind `notStored`.
    @discardableResult
    public func invalidate(
        stored id: UUID, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws -> HandlerDelivery {
        try await deliver(.invalidation(reason), to: id, arguments)
    }

    /// Loads a handler, and does what is wanted of it. Tells what came of that: a function that throws is not taken for
    /// a handler that has ended.
    ///
    /// - Parameters:
    ///   - purpose: What is wanted of the handler.
    ///   - id: The handler.
    ///   - arguments: What is given to it.
    ///   - keeping: Whether the handler is still to be called, or invalidated, on another occasion: it does not end,
    ///     even if it is single-shot. Whoever asks for that sees to it that each occasion is used once.
    package func outcome(
        of purpose: ParkedCall.Purpose, stored id: UUID, _ arguments: HandlerArguments, keeping: Bool = false
    ) async throws -> StoredOutcome {
        guard let stored = try await store.handler(id) else { return .tried(.refused(HandlerError(.notStored))) }
        let handler: Handler
        do {
            handler = try await open(stored)
        } catch let error as HandlerError {
            // Data that cannot be read say nothing of versions.
            let unread = try? HandlerDecoder.handler(in: stored.data)
            let call = ParkedCall(
                purpose: purpose, version: unread.map { registry.versionGiven(purpose, to: $0) } ?? 1,
                arguments: try arguments.storablePart(for: error.handler), withheld: arguments.withheld)
            try await park(stored, error, call: call)
            return .parked(error)
        }
        let outcome = await attempt(purpose, handler, arguments, keeping: keeping)
        // Asked while this copy keeps its state alive.
        if case .refused(let error as HandlerError) = outcome, hasEnded(handler) { return .ended(error) }
        return .tried(outcome)
    }

    /// The handlers in the store that this program could not load.
    public func parked() async throws -> [ParkedHandler] {
        try await store.handlers().compactMap { stored in
            stored.parking.map { parking in
                ParkedHandler(
                    id: stored.id, description: stored.description, reason: parking.reason, since: parking.since,
                    waitingCalls: parking.calls.count)
            }
        }
    }

    /// Tries all parked handlers again: after an update, say. Those that this program can load are not parked any more,
    /// and get the calls that waited, in order.
    ///
    /// Of several tasks or processes that replay at once, one makes the calls of a handler; the others leave it out. A
    /// call is removed from the store after it was made: if the process dies in between, a handler that is not
    /// single-shot, or serves other occasions, too (`HandlerStore.occasions(of:)`), gets it again. A call whose
    /// arguments do not fit is not made, and waits on.
    ///
    /// - Parameter arguments: What could not be stored with the calls, such as the account. What was stored with a call
    ///   counts more.
    public func replay(_ arguments: HandlerArguments = [:]) async throws -> [HandlerReplay] {
        var replays: [HandlerReplay] = []
        for listed in try await store.handlers() where listed.parking != nil {
            guard let stored = try await store.beginReplay(of: listed.id), let parking = stored.parking else {
                continue
            }
            do {
                replays.append(try await replay(stored, parking, arguments))
            } catch {
                try? await toTheEnd { try await store.endReplay(of: stored.id) }
                throw error
            }
            try await toTheEnd { try await store.endReplay(of: stored.id) }
        }
        return replays
    }

    /// Runs something that a cancelled task has to do as well.
    private func toTheEnd(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task(operation: body).value
    }

    private func replay(
        _ stored: StoredHandler, _ parking: StoredHandler.Parking, _ arguments: HandlerArguments
    ) async throws -> HandlerReplay {
        var results: [Result<Void, any Error>] = []
        do {
            let handler = try await open(stored)
            for (index, waiting) in parking.calls.enumerated() {
                try Task.checkCancellation()
                let call = try HandlerDecoder.call(in: waiting.data)
                let given = try registry.updated(call, of: HandlerDecoder.handler(in: stored.data))
                let isKept = try await isKept(stored.id, callsLeft: parking.calls.count - index)
                switch await attempt(call.purpose, handler, given.completed(by: arguments), keeping: isKept) {
                case .returned: results.append(.success(()))
                case .threw(let error): results.append(.failure(error))
                case .refused(let error) where hasEnded(handler): results.append(.failure(error))
                case .refused(let error): throw error
                }
                try await toTheEnd { try await store.removeParkedCall(waiting.number, of: stored.id) }
            }
        } catch let error as HandlerError {
            try await park(stored, error, call: nil)
            return HandlerReplay(id: stored.id, calls: results, stillParked: error)
        }
        try await store.unpark(stored.id)
        logger.info("handler not parked any more", metadata: ["handler": "\(stored.description)"])
        return HandlerReplay(id: stored.id, calls: results, stillParked: nil)
    }

    private func deliver(
        _ purpose: ParkedCall.Purpose, to id: UUID, _ arguments: HandlerArguments
    ) async throws -> HandlerDelivery {
        switch try await outcome(of: purpose, stored: id, arguments) {
        case .parked(let error): return .parked(error)
        case .ended(let error): throw error
        case .tried(.returned): return .called
        case .tried(.threw(let error)), .tried(.refused(let error)): throw error
        }
    }

    /// Whether a handler is to be called on other occasions, too, when so many of its parked calls are left.
    private func isKept(_ id: UUID, callsLeft: Int) async throws -> Bool {
        guard let others = try await store.occasions(of: id) else { return false }
        return others + callsLeft > 1
    }

    func park(_ stored: StoredHandler, _ error: HandlerError, call: ParkedCall?) async throws {
        let data = try call.map { try HandlerEncoder.data(of: $0, hasEnded: hasEnded) }
        try await store.park(stored.id, reason: error.description, call: data)
        logger.log(
            level: stored.parking == nil ? .warning : .debug, "handler parked",
            metadata: ["handler": "\(stored.description)", "id": "\(stored.id)", "error": "\(error)"])
    }
}
