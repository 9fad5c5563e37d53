// Makes handlers by name, calls them and invalidates them, and has them as bytes.
//
// A dispatcher has no state of its own: a handler's state, which its copies share, shows whether it has ended.

public import Foundation
public import Logging
import SafeText

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
    private let logger: Logger

    /// Creates a dispatcher for the handlers of a registry.
    ///
    /// - Parameters:
    ///   - registry: The handlers that this program knows.
    ///   - arguments: The arguments of every call, such as the account or the promises. An argument of a call hides one
    ///     of these, and one of these hides a bound argument.
    ///   - logger: Gets calls at level debug, and refused calls at level warning. It never gets arguments.
    public init(
        registry: HandlerRegistry, arguments: HandlerArguments = [:],
        logger: Logger = Logger(label: "stanza.handlers")
    ) {
        self.registry = registry
        self.arguments = arguments
        self.logger = logger
    }

    // MARK: Making

    /// Makes a handler by name, for a name that the program reads at run time. If your code has the function itself,
    /// use `HandlerFunction.handler(binding:)` or `HandlerDefinition.handler(invalidation:binding:)`.
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
    /// - Returns: The value that the function returns: `try await dispatcher.call(handler) as? String`.
    /// - Throws: `HandlerError` when the function was not called, `PayloadError` for an element that is not the payload
    ///   of its parameter, and the errors of the function.
    @discardableResult
    public func call(_ handler: Handler, _ arguments: HandlerArguments = [:]) async throws -> any Sendable {
        try await prepare(handler, nil, arguments)()
    }

    /// Invalidates a handler, then calls its invalidation function, if it has one. From then on, neither the handler
    /// nor any copy can be called, bound or invalidated.
    ///
    /// - Returns: The value that the invalidation function returns.
    /// - Throws: `HandlerError` when the handler has ended already or the arguments do not fit, in which case it is not
    ///   invalidated; and the errors of the function.
    @discardableResult
    public func invalidate(
        _ handler: Handler, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws -> any Sendable {
        try await prepare(handler, reason, arguments)()
    }

    /// Reads the arguments of a call or, with a reason, of an invalidation. Its errors are refusals.
    private func prepare(
        _ handler: Handler, _ reason: InvalidationReason?, _ arguments: HandlerArguments, endsSingleShot: Bool = true
    ) async throws -> PreparedCall {
        let start = ContinuousClock.now
        let call: PreparedCall
        do {
            call = try await check(
                handler, reason, arguments.completed(by: self.arguments), endsSingleShot: endsSingleShot)
        } catch {
            log(handler, reason, start, error, isRefused: true)
            throw error
        }
        return {
            do {
                let value = try await call()
                log(handler, reason, start)
                return value
            } catch {
                log(handler, reason, start, error)
                throw error
            }
        }
    }

    /// Reads the arguments before it ends the handler: a call that does not fit must not end it.
    private func check(
        _ handler: Handler, _ reason: InvalidationReason?, _ arguments: HandlerArguments, endsSingleShot: Bool
    ) async throws -> PreparedCall {
        try handler.checkNotEnded()
        let handler = try present(handler)
        let definition = try registry.known(handler.name)
        var call: PreparedCall = { () }
        if reason == nil {
            call = try await definition.prepare(
                CallFrame(handler: definition.name, bound: handler.arguments, given: arguments, reason: nil))
        } else if let invalidation = handler.invalidation {
            let frame = CallFrame(
                handler: invalidation.name, bound: handler.invalidationArguments, given: arguments, reason: reason)
            call = try await registry.known(invalidation.name).prepare(frame)
        }
        // Of several tasks, one succeeds.
        let mark = reason.map(HandlerMark.invalidated) ?? (definition.isSingleShot && endsSingleShot ? .called : nil)
        if mark.map(handler.state.settle) != true { try handler.checkNotEnded() }
        return call
    }

    /// Updates a handler that another registry made, which may have old names or versions. Returns others unchanged.
    private func present(_ handler: Handler) throws(HandlerError) -> Handler {
        let isPresent = registry.definition(of: handler.name).map {
            $0.version == handler.version && $0.name == handler.name
        }
        return isPresent == true ? handler : try registry.updated(handler)
    }

    /// Logs names, durations and errors, never an argument's value.
    private func log(
        _ handler: Handler, _ reason: InvalidationReason?, _ start: ContinuousClock.Instant,
        _ error: (any Error)? = nil, isRefused: Bool = false
    ) {
        let level: Logger.Level = isRefused ? .warning : .debug
        if logger.logLevel > level { return }
        var metadata: Logger.Metadata = [
            "handler": "\(handler)", "id": "\(handler.id)", "duration": "\(ContinuousClock.now - start)",
        ]
        metadata["reason"] = reason.map { "\($0)" }
        metadata["error"] = error.map { "\($0.loggable)" }
        let verb = reason == nil ? "called" : "invalidated"
        let text = error == nil ? "handler \(verb)" : "handler \(verb), its function threw"
        logger.log(level: level, "\(isRefused ? "handler not \(verb)" : text)", metadata: metadata)
    }

    // MARK: Handlers as bytes

    /// Returns the stored form of a handler. `load(from:)` reads it.
    ///
    /// It includes the marks of the handler and of handlers bound within it.
    ///
    /// - Throws: `HandlerError` for a handler that exceeds one of `HandlerLimits`, or holds an element that no parser
    ///   would read back.
    public func data(of handler: Handler) throws(HandlerError) -> Data { try HandlerEncoder.data(of: handler) }

    /// Decodes a handler from stored data. It calls nothing, and makes only handlers and types that this program has
    /// registered. The handler shares no state with the one that was stored.
    ///
    /// - Throws: `HandlerError` for data that are damaged or exceed `HandlerLimits`, and for names, versions and types
    ///   that are not registered. Keep the data then: another version of the program may know them.
    public func load(from data: Data) throws(HandlerError) -> Handler {
        try registry.updated(HandlerDecoder.handler(in: data))
    }

    /// Loads a handler from stored data, and calls it. See `load(from:)` and `call(_:_:)`.
    ///
    /// Delete the data in the transaction of the effects, so that they are called once: if that fails, you can call
    /// them again.
    ///
    /// - Throws: The errors of both.
    @discardableResult
    public func call(stored data: Data, _ arguments: HandlerArguments = [:]) async throws -> any Sendable {
        try await call(load(from: data), arguments)
    }

    /// Loads a handler from stored data, and invalidates it. See `load(from:)` and `invalidate(_:because:_:)`.
    ///
    /// - Throws: The errors of both.
    @discardableResult
    public func invalidate(
        stored data: Data, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws -> any Sendable {
        try await invalidate(load(from: data), because: reason, arguments)
    }

    /// The stored form of a handler whose arguments fit, for a row that owns it.
    package func ownedData(of handler: Handler) throws(HandlerError) -> Data {
        try data(of: registry.updated(handler))
    }

    /// Calls a handler that stays, also a single-shot one. Returns the error if it was not called.
    package func callAgain(_ handler: Handler, _ arguments: HandlerArguments) async throws -> HandlerError? {
        let call: PreparedCall
        do {
            call = try await prepare(handler, nil, arguments, endsSingleShot: false)
        } catch let error as HandlerError {
            return error
        }
        _ = try await call()
        return nil
    }

    /// Calls the handler of a row that owns it or, with a reason, invalidates it. The transaction that deletes the row
    /// decides that it is called once.
    ///
    /// - Returns: The error if this program cannot load the handler, or an argument has another type: the call waits
    ///   for a program that can. `nil` if the function returned.
    /// - Throws: The error of the function, `HandlerError` for a missing argument, or `PayloadError`.
    package func run(
        owned data: Data, because reason: InvalidationReason?, _ arguments: HandlerArguments
    ) async throws -> HandlerError? {
        let handler: Handler
        do { handler = try load(from: data) } catch { return error }
        let call: PreparedCall
        do {
            call = try await prepare(handler, reason, arguments)
        } catch let error as HandlerError where error.isOfAnUnreadableValue {
            return error
        }
        _ = try await call()
        return nil
    }
}
