// Saves handlers to the store and loads them.

public import Foundation

extension HandlerDispatcher {
    /// Returns the stored form of a handler, for programs that keep it themselves. `load(from:)` reads it.
    ///
    /// It includes the marks of the handler and of handlers bound within it. It omits marks that another transaction
    /// has claimed but not committed.
    ///
    /// - Throws: `HandlerError` for a handler that exceeds one of `HandlerLimits`, or holds an element that no parser
    ///   would read back.
    public func data(of handler: Handler) throws(HandlerError) -> Data {
        try HandlerEncoder.data(of: handler, hasEnded: hasEnded)
    }

    /// Decodes a handler from stored data. It calls nothing, and makes only handlers and types that this program has
    /// registered.
    ///
    /// - Throws: `HandlerError` for data that are damaged or exceed `HandlerLimits`, and for names, versions and types
    ///   that are not registered.
    public func load(from data: Data) throws(HandlerError) -> Handler {
        try registry.updated(HandlerDecoder.handler(in: data))
    }

    /// Stores a handler under its identity, and replaces a handler that was stored under it before.
    ///
    /// - Throws: The errors of `data(of:)`, `HandlerError` when an argument's type is not its parameter's, and the
    ///   errors of the store.
    public func store(_ handler: Handler) async throws {
        _ = try registry.updated(handler)
        let data = try data(of: handler)
        try await store.save(
            StoredHandler(
                id: handler.id, description: handler.description, data: data,
                nested: Set(handler.nestedHandlers.map(\.id)).sorted { $0.uuidString < $1.uuidString }))
        // A store with provisional claims marks the handlers as stored when its transaction commits.
        if store is any ProvisionalClaims { return }
        for handler in [handler] + handler.nestedHandlers { handler.state.noteStored() }
    }

    /// Loads a handler. One that this program cannot load stays in the store and is deferred.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or the reason for deferral; and the errors of the store.
    public func load(_ id: UUID) async throws -> Handler {
        guard let stored = try await store.handler(id) else { throw HandlerError(.notStored) }
        do {
            return try await open(stored)
        } catch let error as HandlerError {
            try await deferHandler(stored, error, call: nil)
            throw error
        }
    }

    /// Loads all stored handlers. It defers those that this program cannot load; `deferred()` lists them.
    ///
    /// - Throws: Errors of the store.
    public func loadAll() async throws -> [Handler] {
        var handlers: [Handler] = []
        for stored in try await store.handlers() {
            do {
                handlers.append(try await open(stored))
            } catch let error as HandlerError {
                try await deferHandler(stored, error, call: nil)
            }
        }
        return handlers
    }

    /// Removes a handler from the store, for example after its last call.
    ///
    /// The removal also ends every copy, in any process, that was loaded from the store or saved to it. Such a copy
    /// cannot be called or invalidated until the handler is stored again.
    ///
    /// - Throws: Errors of the store.
    public func remove(_ id: UUID) async throws { try await store.remove(id) }

    /// Loads the handler of a record, and sets the marks that the store has for it and the handlers bound within.
    func open(_ stored: StoredHandler) async throws -> Handler {
        let handler = try load(from: stored.data)
        let within = handler.nestedHandlers
        let marks = try await store.marks(of: [handler.id] + within.map(\.id))
        for handler in [handler] + within {
            handler.state.noteStored()
            if let mark = marks[handler.id] { handler.state.end(mark) }
        }
        return handler
    }
}
