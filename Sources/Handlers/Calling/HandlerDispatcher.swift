// Makes handlers by name, calls them and invalidates them. HandlerDispatcher+Storing.swift stores and loads them,
// HandlerDispatcher+Deferring.swift keeps calls for a later version of the program.
//
// A dispatcher has no state of its own: the handlers' shared state and the store know which handlers have ended.

public import Foundation
public import Logging

/// Calls, invalidates, stores and loads handlers.
///
/// ```swift
/// let dispatcher = HandlerDispatcher(
///     registry: try HandlerRegistry(Carbons.self), store: try FileHandlerStore(at: file))
/// try await dispatcher.store(handler)
/// try await dispatcher.call(stored: handler.id, ["account": account, "iq": iq])
/// ```
public struct HandlerDispatcher: Sendable {
    public let registry: HandlerRegistry
    public let store: any HandlerStore
    private let arguments: HandlerArguments
    let logger: Logger
    let observer: (@Sendable (HandlerEvent) -> Void)?

    /// Creates a dispatcher for the handlers of a registry.
    ///
    /// - Parameters:
    ///   - registry: The handlers that this program knows.
    ///   - store: The store of the handlers; by default in memory.
    ///   - arguments: The arguments of every call, such as the account or the promises. An argument of a call hides one
    ///     of these, and one of these hides a bound argument.
    ///   - logger: Gets calls at level debug, refused calls and deferred handlers at level warning. It never gets
    ///     arguments.
    ///   - observer: Called after every call and invalidation, in the task that made it.
    public init(
        registry: HandlerRegistry, store: any HandlerStore = MemoryHandlerStore(), arguments: HandlerArguments = [:],
        logger: Logger = Logger(label: "stanza.handlers"), observer: (@Sendable (HandlerEvent) -> Void)? = nil
    ) {
        self.registry = registry
        self.store = store
        self.arguments = arguments
        self.logger = logger
        self.observer = observer
    }

    /// Returns the same dispatcher over another store, such as a database transaction. Calls also get that store's
    /// arguments.
    public func using(_ store: any HandlerStore) -> HandlerDispatcher {
        HandlerDispatcher(registry: registry, store: store, arguments: arguments, logger: logger, observer: observer)
    }

    // MARK: Making

    /// Makes a handler by name, for a name that the program reads at run time. If your code has the function itself,
    /// use `HandlerFunction.handler(binding:)` or `HandlerDefinition.handler(invalidation:binding:)`.
    ///
    /// ```swift
    /// let handler = try dispatcher.handler(
    ///     "Omemo|bundleFetched", invalidation: "Omemo|bundleLost", binding: ["device": 5])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The function, by its present name or a former one.
    ///   - invalidation: The invalidation function.
    ///   - arguments: The bound arguments. The handler keeps names that neither function declares, and ignores them.
    /// - Throws: `HandlerError` for an unknown name, and for an argument of a wrong type or one that is not storable.
    public func handler(
        _ name: HandlerName, invalidation: HandlerName? = nil, binding arguments: HandlerArguments = [:]
    ) throws(HandlerError) -> Handler {
        let definition = try registry.known(name)
        let other: HandlerDefinition? = if let invalidation { try registry.known(invalidation) } else { nil }
        return try definition.handler(invalidation: other, binding: arguments)
    }

    // MARK: Calling

    /// Calls a handler with its bound arguments and those of the call; an argument of the call hides a bound one.
    ///
    /// The dispatcher reads all arguments before it calls the function. A call that does not fit fails with an error,
    /// changes nothing, and does not count as the call of a single-shot handler. The call ignores arguments that the
    /// function does not declare.
    ///
    /// - Throws: `HandlerError` when the function was not called, and the errors of the store and of the function.
    public func call(_ handler: Handler, _ arguments: HandlerArguments = [:]) async throws {
        try await run(.call, handler, arguments)
    }

    /// Invalidates a handler, then calls its invalidation function, if it has one. From then on, neither the handler
    /// nor any copy, stored ones included, can be called, bound or invalidated.
    ///
    /// The invalidation is durable before the function is called, so the function is called at most once, even if the
    /// process dies.
    ///
    /// - Throws: `HandlerError` when the handler has ended already or the arguments do not fit, in which case it is not
    ///   invalidated; and the errors of the store and of the function.
    public func invalidate(
        _ handler: Handler, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws {
        try await run(.invalidation(reason), handler, arguments)
    }

    private func run(
        _ purpose: DeferredCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async throws {
        switch await attempt(purpose, handler, arguments) {
        case .returned: return
        case .threw(let error), .refused(let error): throw error
        }
    }

    /// Makes a call and reports it. The outcome separates a function that threw from a call that was refused.
    package func attempt(
        _ purpose: DeferredCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async -> HandlerEvent.Outcome {
        let start = ContinuousClock.now
        let outcome: HandlerEvent.Outcome
        do {
            let all = arguments.completed(by: self.arguments).completed(by: store.arguments)
            let prepared = try await prepare(purpose, handler, all)
            do {
                try await prepared()
                outcome = .returned
            } catch {
                outcome = .threw(error)
            }
        } catch {
            outcome = .refused(error)
        }
        report(purpose, handler, since: start, outcome)
        return outcome
    }

    /// Reads the arguments before it claims the handler. In the reverse order, a call that does not fit could end it.
    private func prepare(
        _ purpose: DeferredCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async throws -> PreparedCall {
        try handler.checkNotEnded()
        let handler = try present(handler)
        let definition = try registry.known(handler.name)
        switch purpose {
        case .call:
            let prepared = try await definition.prepare(
                CallFrame(handler: definition.name, bound: handler.arguments, given: arguments, reason: nil))
            try await claim(definition.isSingleShot ? .singleShotCall : .call, handler)
            return prepared
        case .invalidation(let reason):
            var prepared: PreparedCall = {}
            if let invalidation = handler.invalidation {
                let frame = CallFrame(
                    handler: invalidation.name, bound: handler.invalidationArguments, given: arguments, reason: reason)
                prepared = try await registry.known(invalidation.name).prepare(frame)
            }
            try await claim(.invalidation(reason), handler)
            return prepared
        }
    }

    /// Claims the handler in the shared state, which decides between the tasks of this process, and then in the store,
    /// which decides between processes. A call that the shared state refuses leaves no claim in the store.
    private func claim(_ claim: HandlerClaim, _ handler: Handler) async throws {
        if let mark = claim.mark {
            while !handler.state.settle(mark, isKept: false) { try handler.checkNotEnded() }
        }
        let earlier: HandlerMark?
        do {
            earlier = try await store.claim(claim, of: handler.id, wasStored: handler.state.isStored)
        } catch {
            if claim.mark != nil { handler.state.reopen() }
            throw error
        }
        if let earlier {
            handler.state.end(earlier)
            throw HandlerError(earlier.error, handler: handler.name)
        }
        if claim.mark != nil, !(store is any ProvisionalClaims) { handler.state.keep() }
    }

    /// Whether a handler has ended from the view of this dispatcher. A claim that another transaction has not committed
    /// does not count.
    package func hasEnded(_ handler: Handler) -> Bool {
        // The state dies with the last copy in this process, so it can be newer than the claim.
        handler.state.hasKeptMark || (store as? any ProvisionalClaims)?.hasClaimed(handler.id) == true
    }

    /// Updates a handler that another registry made, which may have old names or versions. Returns others unchanged.
    private func present(_ handler: Handler) throws(HandlerError) -> Handler {
        let isPresent = registry.definition(of: handler.name).map {
            $0.version == handler.version && $0.name == handler.name
        }
        return isPresent == true ? handler : try registry.updated(handler)
    }

    /// Clears the marks in this process of claims whose transaction was rolled back: the handlers can be called again.
    ///
    /// For stores that take part in transactions. The rollback itself removes the claims from the store.
    public static func releaseClaims(of ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.reopen() }
    }

    /// Marks handlers as stored in this process, after the store has committed them.
    package static func noteStored(_ ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.noteStored() }
    }

    /// Makes the marks in this process final, after a store has committed its `ProvisionalClaims`.
    package static func keepClaims(of ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.keep() }
    }
}
