// Where handlers are made by name, called and invalidated. Storing is HandlerCentre+Storing.swift, what waits for a
// later program HandlerCentre+Parking.swift.
//
// A centre holds no state of its own: what has ended is known by the handlers' shared state and by the store.

public import Foundation
public import Logging

/// Calls, invalidates, stores and loads handlers.
///
/// ```swift
/// let centre = HandlerCentre(registry: try HandlerRegistry(Carbons.self), store: try FileHandlerStore(at: file))
/// try await centre.store(handler)
/// try await centre.call(stored: handler.id, ["account": account, "iq": iq])
/// ```
public struct HandlerCentre: Sendable {
    public let registry: HandlerRegistry
    public let store: any HandlerStore
    private let arguments: HandlerArguments
    let logger: Logger
    let observer: (@Sendable (HandlerEvent) -> Void)?

    /// A centre for the handlers of a registry.
    ///
    /// - Parameters:
    ///   - registry: The handlers that this program knows.
    ///   - store: What keeps them; memory unless given.
    ///   - arguments: The arguments of every call, such as the account or the promises. An argument of a call counts
    ///     more than one of these, and one of these counts more than a bound argument.
    ///   - logger: Gets calls at level debug, refused calls and parked handlers at level warning. It never gets
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

    /// The same centre over another store: a transaction of a database, say. Calls also get that store's arguments.
    public func using(_ store: any HandlerStore) -> HandlerCentre {
        HandlerCentre(registry: registry, store: store, arguments: arguments, logger: logger, observer: observer)
    }

    // MARK: Making

    /// A new handler by name, for a name that the program reads at run time. Where the code has the function itself,
    /// use `HandlerFunction.handler(binding:)` or `HandlerDefinition.handler(invalidation:binding:)`.
    ///
    /// ```swift
    /// let handler = try centre.handler(
    ///     "Omemo|bundleFetched", invalidation: "Omemo|bundleLost", binding: ["device": 5])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The function, by its present name or a former one.
    ///   - invalidation: The invalidation function.
    ///   - arguments: What is bound. Names that neither function declares are kept and ignored.
    /// - Throws: `HandlerError` for an unknown name, and for an argument of a wrong type or one that is not storable.
    public func handler(
        _ name: HandlerName, invalidation: HandlerName? = nil, binding arguments: HandlerArguments = [:]
    ) throws(HandlerError) -> Handler {
        let definition = try registry.known(name)
        let other: HandlerDefinition? = if let invalidation { try registry.known(invalidation) } else { nil }
        return try definition.handler(invalidation: other, binding: arguments)
    }

    // MARK: Calling

    /// Calls a handler with what is bound to it and what is given here; of equal names, what is given here counts.
    ///
    /// All arguments are read before the function is called. A call that does not fit is an error, changes nothing, and
    /// does not count as the call of a single-shot handler. Arguments that the function does not declare are ignored.
    ///
    /// - Throws: `HandlerError` when the function was not called, what the store throws, and what the function throws.
    public func call(_ handler: Handler, _ arguments: HandlerArguments = [:]) async throws {
        try await run(.call, handler, arguments)
    }

    /// Invalidates a handler: from now on it cannot be called, bound or invalidated, and neither can its copies, stored
    /// ones included. Then its invalidation function is called, if it has one.
    ///
    /// The invalidation is durable before the function is called: it is called at most once, also when the process
    /// dies.
    ///
    /// - Throws: `HandlerError` when the handler has ended already or the arguments do not fit, in which case it is not
    ///   invalidated; what the store throws, and what the function throws.
    public func invalidate(
        _ handler: Handler, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws {
        try await run(.invalidation(reason), handler, arguments)
    }

    func run(
        _ purpose: ParkedCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments, keeping: Bool = false
    ) async throws {
        switch await attempt(purpose, handler, arguments, keeping: keeping) {
        case .returned: return
        case .threw(let error), .refused(let error): throw error
        }
    }

    /// Makes a call, and reports it: a function that throws is not taken for a handler that has ended. With `keeping`
    /// the handler does not end by it.
    package func attempt(
        _ purpose: ParkedCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments, keeping: Bool = false
    ) async -> HandlerEvent.Outcome {
        let start = ContinuousClock.now
        let outcome: HandlerEvent.Outcome
        do {
            let all = arguments.completed(by: self.arguments).completed(by: store.arguments)
            let prepared = try await prepare(purpose, handler, all, keeping: keeping)
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

    /// Reads the arguments and then claims the handler, in this order: a claim cannot be taken back.
    private func prepare(
        _ purpose: ParkedCall.Purpose, _ handler: Handler, _ arguments: HandlerArguments, keeping: Bool
    ) async throws -> PreparedCall {
        try handler.checkNotEnded()
        let handler = try present(handler)
        let definition = try registry.known(handler.name)
        switch purpose {
        case .call:
            let prepared = try await definition.prepare(
                CallFrame(handler: definition.name, bound: handler.arguments, given: arguments, reason: nil))
            try await claim(definition.isSingleShot && !keeping ? .singleShotCall : .call, handler)
            return prepared
        case .invalidation(let reason):
            var prepared: PreparedCall = {}
            if let invalidation = handler.invalidation {
                let frame = CallFrame(
                    handler: invalidation.name, bound: handler.invalidationArguments, given: arguments, reason: reason)
                prepared = try await registry.known(invalidation.name).prepare(frame)
            }
            try await claim(keeping ? .call : .invalidation(reason), handler)
            return prepared
        }
    }

    /// The shared state decides between the tasks of this process, the store between processes. The state is asked
    /// first: whoever is refused there has claimed nothing in the store.
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

    /// Whether a handler has ended for whoever uses this centre: not if somebody else is about to end it, which may
    /// come to nothing.
    package func hasEnded(_ handler: Handler) -> Bool {
        // The state may be younger than a claim: it goes with the last copy that this process has.
        handler.state.hasKeptMark || (store as? any ProvisionalClaims)?.hasClaimed(handler.id) == true
    }

    /// Handlers of this registry are as they should be; one that another registry made may be older.
    private func present(_ handler: Handler) throws(HandlerError) -> Handler {
        let isPresent = registry.definition(of: handler.name).map {
            $0.version == handler.version && $0.name == handler.name
        }
        return isPresent == true ? handler : try registry.updated(handler)
    }

    /// Takes back what this process knows of claims whose transaction was rolled back: the handlers can be called
    /// again.
    ///
    /// For stores that take part in transactions; the store itself forgets by the rollback.
    public static func releaseClaims(of ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.reopen() }
    }

    /// Tells this process that handlers are stored now which a store has taken to be stored later.
    package static func noteStored(_ ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.noteStored() }
    }

    /// Tells this process that claims were committed which a store has granted as `ProvisionalClaims`.
    package static func keepClaims(of ids: [UUID]) {
        for id in ids { HandlerState.alive(id)?.keep() }
    }
}
