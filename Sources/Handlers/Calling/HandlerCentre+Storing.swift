// Handlers to the store and back.

public import Foundation

extension HandlerCentre {
    /// The stored form of a handler, for programs that keep it themselves. `load(from:)` reads it.
    ///
    /// It holds what has ended the handler, and those within, but not what other work in hand is about to do to them,
    /// which may come to nothing.
    ///
    /// - Throws: `HandlerError` for a handler that exceeds one of `HandlerLimits`, or holds an element that no parser
    ///   would read back.
    public func data(of handler: Handler) throws(HandlerError) -> Data {
        try HandlerEncoder.data(of: handler, hasEnded: hasEnded)
    }

    /// The handler in stored data. Nothing is called, and nothing is made that this program has not registered.
    ///
    /// - Throws: `HandlerError` for data that are damaged or exceed `HandlerLimits`, and for names, versions and types
    ///   that are not registered.
    public func load(from data: Data) throws(HandlerError) -> Handler {
        try registry.updated(HandlerDecoder.handler(in: data))
    }

    /// Stores a handler under its identity, in place of what was stored before.
    ///
    /// - Throws: What `data(of:)` throws, `HandlerError` when an argument's type is not its parameter's, and what the
    ///   store throws.
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

    /// Whether a stored handler is the same as one of this program's in all that a call would see: other functions, or
    /// other values that are bound, make it another one. What cannot be read is not the same.
    package func isStored(_ handler: Handler, as stored: StoredHandler) -> Bool {
        guard let data = try? data(of: handler) else { return false }
        if data == stored.data { return true }
        // An older version of the program may have stored it.
        guard let known = try? load(from: stored.data), let wanted = try? load(from: data) else { return false }
        return known == wanted
    }

    /// Loads a handler. One that this program cannot load stays in the store and is parked.
    ///
    /// - Throws: `HandlerError` of kind `notStored`, or the reason for parking; and what the store throws.
    public func load(_ id: UUID) async throws -> Handler {
        guard let stored = try await store.handler(id) else { throw HandlerError(.notStored) }
        do {
            return try await open(stored)
        } catch let error as HandlerError {
            try await park(stored, error, call: nil)
            throw error
        }
    }

    /// Loads everything that is stored; what this program cannot load is parked, and listed by `parked()`.
    public func loadAll() async throws -> [Handler] {
        var handlers: [Handler] = []
        for stored in try await store.handlers() {
            do {
                handlers.append(try await open(stored))
            } catch let error as HandlerError {
                try await park(stored, error, call: nil)
            }
        }
        return handlers
    }

    /// Removes a handler from the store, for example after its last call.
    ///
    /// The removal also ends every copy, in any process, that was loaded from the store or saved to it. Such a copy
    /// cannot be called or invalidated until the handler is stored again.
    public func remove(_ id: UUID) async throws { try await store.remove(id) }

    /// The handler of a record, with what the store knows of it and of the handlers within.
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
