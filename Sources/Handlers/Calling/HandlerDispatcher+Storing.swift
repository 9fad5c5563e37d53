// Handlers as bytes, which the program keeps where it wants: in a row of its own, or in a file.

public import Foundation

extension HandlerDispatcher {
    /// Returns the stored form of a handler. `load(from:)` reads it.
    ///
    /// It includes the marks of the handler and of handlers bound within it.
    ///
    /// - Throws: `HandlerError` for a handler that exceeds one of `HandlerLimits`, or holds an element that no parser
    ///   would read back.
    public func data(of handler: Handler) throws(HandlerError) -> Data { try HandlerEncoder.data(of: handler) }

    /// Decodes a handler from stored data. It calls nothing, and makes only handlers and types that this program has
    /// registered.
    ///
    /// - Throws: `HandlerError` for data that are damaged or exceed `HandlerLimits`, and for names, versions and types
    ///   that are not registered. Keep the data then: another version of the program may know them.
    public func load(from data: Data) throws(HandlerError) -> Handler {
        try registry.updated(HandlerDecoder.handler(in: data))
    }

    /// Loads a handler from stored data, and calls it. See `load(from:)` and `call(_:_:)`.
    ///
    /// This ends no copy of the handler. Delete the data in the transaction of the effects, so that they are called
    /// once: if that fails, you can call them again.
    ///
    /// - Throws: The errors of both.
    public func call(stored data: Data, _ arguments: HandlerArguments = [:]) async throws {
        try await call(load(from: data).withOwnIdentity, arguments)
    }

    /// Loads a handler from stored data, and invalidates it. See `load(from:)` and `invalidate(_:because:_:)`.
    ///
    /// - Throws: The errors of both.
    public func invalidate(
        stored data: Data, because reason: InvalidationReason, _ arguments: HandlerArguments = [:]
    ) async throws {
        try await invalidate(load(from: data).withOwnIdentity, because: reason, arguments)
    }

    // MARK: Rows that own a handler

    /// The stored form of a handler whose arguments fit, for a row that owns it.
    package func ownedData(of handler: Handler) throws(HandlerError) -> Data {
        try data(of: try registry.updated(handler).withOwnIdentity)
    }

    /// Calls or invalidates the handler of a row that owns it. The transaction that deletes the row decides that it is
    /// called once, not the state of other copies.
    ///
    /// - Returns: The error if this program cannot load the handler, or an argument has another type: the call waits
    ///   for a program that can. `nil` if the function returned.
    /// - Throws: The error of the function, or `HandlerError` for a missing argument.
    package func run(
        _ purpose: HandlerEvent.Purpose, owned data: Data, _ arguments: HandlerArguments
    ) async throws -> HandlerError? {
        let handler: Handler
        do { handler = try load(from: data).withOwnIdentity } catch { return error }
        switch await attempt(purpose, handler, arguments) {
        case .returned: return nil
        case .refused(let error as HandlerError) where error.isOfAnUnreadableValue: return error
        case .refused(let error), .threw(let error): throw error
        }
    }
}
