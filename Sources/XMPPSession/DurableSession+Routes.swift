// Routes: which stanza goes to which body or handler.

public import Handlers
public import StanzaQuery
public import XMLTree

extension DurableSession {
    /// Registers what is done with stanzas that a query of our language matches: all but answers to requests.
    ///
    /// Of several queries that match, all are done, in the order in which they were registered, in one transaction. An
    /// `iq` of type `get` or `set` that no query matches is answered with `service-unavailable` (RFC 6120 §8.4); one
    /// that some match is theirs to answer, once.
    ///
    /// - Parameters:
    ///   - query: A query that takes no arguments. What is interpolated in a literal is never read as a part of it.
    ///   - body: Gets the stanza and what it may change. When it throws, nothing is changed, and the stanza is offered
    ///     again, until it has failed too often and is set aside (`SessionEvent.setAside`, which carries the last error).
    /// - Returns: What removes it again.
    /// - Throws: `QueryError` for a query that is wrong.
    @discardableResult
    public func on(
        _ query: InterpolatedQuery, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try on(Query(query), body)
    }

    /// Registers a handler, which gets the stanza as its argument `stanza`. See `on(_:_:)`. A handler that has ended,
    /// because it was invalidated, or was called and is single-shot, matches nothing any more; nor does one that this
    /// program does not know.
    @discardableResult
    public func on(_ query: InterpolatedQuery, _ handler: Handler) throws -> Routes.ID { try on(Query(query), handler) }

    /// Registers what is done with stanzas that a compiled query matches. See `on(_:_:)`.
    @discardableResult
    public func on(
        _ query: Query, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try addRoute(query) { stanza, work in
            try await body(stanza, work)
            return true
        }
    }

    /// Registers a handler for stanzas that a compiled query matches. See `on(_:_:)`.
    @discardableResult
    public func on(_ query: Query, _ handler: Handler) throws -> Routes.ID {
        try addRoute(query) { [handlers] stanza, work in
            var hasFlushed = false
            while true {
                let centre = handlers.using(work.database)
                switch await centre.attempt(.call, handler, work.arguments(for: stanza)) {
                case .returned: return true
                case .refused(let error as HandlerError) where error.isOfAnEndedHandler:
                    if centre.hasEnded(handler) { return false }
                    if hasFlushed { throw OutcomeIsOpen() }
                    // An earlier stanza of the batch may have called it.
                    await work.flush()
                    hasFlushed = true
                case .refused(let error as HandlerError) where error.isOfAnUnknownHandler: return false
                // Also if the function says of another handler that it has ended.
                case .refused(let error), .threw(let error): throw error
                }
            }
        }
    }
}
