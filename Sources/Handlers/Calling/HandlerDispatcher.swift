// Makes handlers by name, calls them and invalidates them. HandlerDispatcher+Storing.swift has them as bytes.
//
// A dispatcher has no state of its own: the handlers' shared state knows which handlers have ended.

import Foundation
public import Logging

/// Calls and invalidates handlers, and reads them from stored data.
///
/// ```swift
/// let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Carbons.self))
/// let data = try dispatcher.data(of: handler)
/// try await dispatcher.call(stored: data, ["account": account, "iq": iq])
/// ```
public struct HandlerDispatcher: Sendable {
    public let registry: HandlerRegistry
    private let arguments: HandlerArguments
    let logger: Logger
    let observer: (@Sendable (HandlerEvent) -> Void)?

    /// Creates a dispatcher for the handlers of a registry.
    ///
    /// - Parameters:
    ///   - registry: The handlers that this program knows.
    ///   - arguments: The arguments of every call, such as the account or the promises. An argument of a call hides one
    ///     of these, and one of these hides a bound argument.
    ///   - logger: Gets calls at level debug, and refused calls at level warning. It never gets arguments.
    ///   - observer: Called after every call and invalidation, in the task that made it.
    public init(
        registry: HandlerRegistry, arguments: HandlerArguments = [:],
        logger: Logger = Logger(label: "stanza.handlers"), observer: (@Sendable (HandlerEvent) -> Void)? = nil
    ) {
        self.registry = registry
        self.arguments = arguments
        self.logger = logger
        self.observer = observer
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
    /// - Throws: `HandlerError` when the function was not called, and the errors of the function.
    public func call(_ handler: Handler, _ arguments: HandlerArguments = [:]) async throws {
        try await run(.call, handler, arguments)
    }

    /// Invalidates a handler, then calls its invalidation function, if it has one. From then on, neither the handler
    /// nor any copy in this process can be called, bound or invalidated.
    ///
    /// - Throws: `HandlerError` when the handler has ended already or the arguments do not fit, in which case it is not
    ///   invalidated; and the errors of the function.
    public func invalidate(
        _ handler: Handler, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws {
        try await run(.invalidation(reason), handler, arguments)
    }

    private func run(
        _ purpose: HandlerEvent.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async throws {
        switch await attempt(purpose, handler, arguments) {
        case .returned: return
        case .threw(let error), .refused(let error): throw error
        }
    }

    /// Makes a call and reports it. The outcome separates a function that threw from a call that was refused.
    package func attempt(
        _ purpose: HandlerEvent.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async -> HandlerEvent.Outcome {
        let start = ContinuousClock.now
        let outcome: HandlerEvent.Outcome
        do {
            let prepared = try await prepare(purpose, handler, arguments.completed(by: self.arguments))
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

    /// Reads the arguments before it ends the handler: a call that does not fit must not end it.
    private func prepare(
        _ purpose: HandlerEvent.Purpose, _ handler: Handler, _ arguments: HandlerArguments
    ) async throws -> PreparedCall {
        try handler.checkNotEnded()
        let handler = try present(handler)
        let definition = try registry.known(handler.name)
        switch purpose {
        case .call:
            let prepared = try await definition.prepare(
                CallFrame(handler: definition.name, bound: handler.arguments, given: arguments, reason: nil))
            if definition.isSingleShot { try end(handler, .called) } else { try handler.checkNotEnded() }
            return prepared
        case .invalidation(let reason):
            var prepared: PreparedCall = {}
            if let invalidation = handler.invalidation {
                let frame = CallFrame(
                    handler: invalidation.name, bound: handler.invalidationArguments, given: arguments, reason: reason)
                prepared = try await registry.known(invalidation.name).prepare(frame)
            }
            try end(handler, .invalidated(reason))
            return prepared
        }
    }

    /// Sets the mark of the handler. Of several tasks, one succeeds.
    private func end(_ handler: Handler, _ mark: HandlerMark) throws(HandlerError) {
        if !handler.state.settle(mark) { try handler.checkNotEnded() }
    }

    /// Updates a handler that another registry made, which may have old names or versions. Returns others unchanged.
    private func present(_ handler: Handler) throws(HandlerError) -> Handler {
        let isPresent = registry.definition(of: handler.name).map {
            $0.version == handler.version && $0.name == handler.name
        }
        return isPresent == true ? handler : try registry.updated(handler)
    }
}
