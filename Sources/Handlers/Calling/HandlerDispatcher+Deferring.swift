// Defers handlers that this program cannot load because an older or newer version stored them. A deferred handler stays
// in the store with its missed calls.

public import Foundation

/// The result of calling a stored handler.
public enum HandlerDelivery: Sendable, Hashable {
    /// The function was called and returned.
    case called
    /// This program cannot load the handler. The store keeps the call with those of its arguments that are storable.
    case deferred(HandlerError)
}

/// The result of replaying the calls of a deferred handler.
public struct HandlerReplay: Sendable, Identifiable {
    public let id: UUID
    /// The result of each deferred call that was made, in order: success, or its error.
    public let calls: [Result<Void, any Error>]
    /// Why the handler is still deferred; `nil` when it no longer is.
    public let stillDeferred: HandlerError?
}

extension HandlerDispatcher {
    /// Loads a handler and calls it. If this program cannot load it, the store keeps the call for a program that can.
    ///
    /// - Throws: The errors of `call(_:_:)`, and `HandlerError` of kind `notStored`.
    @discardableResult
    public func call(stored id: UUID, _ arguments: HandlerArguments = [:]) async throws -> HandlerDelivery {
        try await deliver(.call, to: id, arguments)
    }

    /// Loads a handler and invalidates it. If this program cannot load it, the store keeps the invalidation for replay.
    ///
    /// - Throws: The errors of `invalidate(_:because:_:)`, and `HandlerError` of kind `notStored`.
    @discardableResult
    public func invalidate(
        stored id: UUID, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws -> HandlerDelivery {
        try await deliver(.invalidation(reason), to: id, arguments)
    }

    /// Calls or invalidates a handler that its caller owns as bytes, such as the row of a request. The caller decides
    /// that it is called once: neither the store nor the state of other copies does.
    ///
    /// - Returns: The error if this program cannot load the handler or its bound values: the call waits for a program
    ///   that can. `nil` if the function returned.
    /// - Throws: The error of the function, or `HandlerError` for arguments that do not fit.
    package func run(
        _ purpose: DeferredCall.Purpose, owned data: Data, _ arguments: HandlerArguments
    ) async throws -> HandlerError? {
        let handler: Handler
        do { handler = try load(from: data).withOwnIdentity } catch { return error }
        switch await using(Self.nowhere).attempt(purpose, handler, arguments) {
        case .returned: return nil
        case .refused(let error as HandlerError) where error.isOfAnUnreadableValue: return error
        case .refused(let error), .threw(let error): throw error
        }
    }

    /// The stored form of a handler whose arguments fit, for a caller that owns it.
    package func ownedData(of handler: Handler) throws(HandlerError) -> Data {
        try data(of: try registry.updated(handler).withOwnIdentity)
    }

    private static let nowhere = MemoryHandlerStore()

    /// Lists the handlers in the store that could not be loaded.
    ///
    /// - Throws: Errors of the store.
    public func deferred() async throws -> [DeferredHandler] {
        try await store.handlers().compactMap { stored in
            stored.deferral.map { deferral in
                DeferredHandler(
                    id: stored.id, description: stored.description, reason: deferral.reason, since: deferral.since,
                    waitingCalls: deferral.calls.count)
            }
        }
    }

    /// Retries all deferred handlers, for example after an update. A handler that this program can load gets its
    /// deferred calls, in order, and is then no longer deferred.
    ///
    /// If several tasks or processes replay at once, one of them makes the calls of a handler; the others skip it. A
    /// call leaves the store after it was made. If the process dies in between, the handler gets the call again, unless
    /// it is single-shot. A call whose arguments do not fit is not made and stays deferred.
    ///
    /// - Parameter arguments: Arguments that the store could not keep with the calls, such as the account. An argument
    ///   that was stored with a call takes precedence.
    /// - Throws: Errors of the store; `CancellationError`. The result has the errors of the functions.
    public func replay(_ arguments: HandlerArguments = [:]) async throws -> [HandlerReplay] {
        var replays: [HandlerReplay] = []
        for listed in try await store.handlers() where listed.deferral != nil {
            guard let stored = try await store.beginReplay(of: listed.id), let deferral = stored.deferral else {
                continue
            }
            do {
                replays.append(try await replay(stored, deferral, arguments))
            } catch {
                try? await toTheEnd { try await store.endReplay(of: stored.id) }
                throw error
            }
            try await toTheEnd { try await store.endReplay(of: stored.id) }
        }
        return replays
    }

    /// Runs work that must finish even if the current task is canceled.
    private func toTheEnd(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task(operation: body).value
    }

    private func replay(
        _ stored: StoredHandler, _ deferral: StoredHandler.Deferral, _ arguments: HandlerArguments
    ) async throws -> HandlerReplay {
        var results: [Result<Void, any Error>] = []
        do {
            let handler = try await open(stored)
            for waiting in deferral.calls {
                try Task.checkCancellation()
                let call = try HandlerDecoder.call(in: waiting.data)
                let given = try registry.updated(call, of: HandlerDecoder.handler(in: stored.data))
                switch await attempt(call.purpose, handler, given.completed(by: arguments)) {
                case .returned: results.append(.success(()))
                case .threw(let error): results.append(.failure(error))
                case .refused(let error) where hasEnded(handler): results.append(.failure(error))
                case .refused(let error): throw error
                }
                try await toTheEnd { try await store.removeDeferredCall(waiting.number, of: stored.id) }
            }
        } catch let error as HandlerError {
            try await deferHandler(stored, error, call: nil)
            return HandlerReplay(id: stored.id, calls: results, stillDeferred: error)
        }
        try await store.endDeferral(stored.id)
        logger.info("handler not deferred any more", metadata: ["handler": "\(stored.description)"])
        return HandlerReplay(id: stored.id, calls: results, stillDeferred: nil)
    }

    private func deliver(
        _ purpose: DeferredCall.Purpose, to id: UUID, _ arguments: HandlerArguments
    ) async throws -> HandlerDelivery {
        guard let stored = try await store.handler(id) else { throw HandlerError(.notStored) }
        let handler: Handler
        do {
            handler = try await open(stored)
        } catch let error as HandlerError {
            // Unreadable data do not reveal a version.
            let unread = try? HandlerDecoder.handler(in: stored.data)
            let call = DeferredCall(
                purpose: purpose, version: unread.map { registry.versionGiven(purpose, to: $0) } ?? 1,
                arguments: try arguments.storablePart(for: error.handler), withheld: arguments.withheld)
            try await deferHandler(stored, error, call: call)
            return .deferred(error)
        }
        switch await attempt(purpose, handler, arguments) {
        case .returned: return .called
        case .threw(let error), .refused(let error): throw error
        }
    }

    func deferHandler(_ stored: StoredHandler, _ error: HandlerError, call: DeferredCall?) async throws {
        let data = try call.map { try HandlerEncoder.data(of: $0, hasEnded: hasEnded) }
        try await store.deferHandler(stored.id, reason: error.description, call: data)
        logger.log(
            level: stored.deferral == nil ? .warning : .debug, "handler deferred",
            metadata: ["handler": "\(stored.description)", "id": "\(stored.id)", "error": "\(error)"])
    }
}
