// Registers routes, which pass a stanza to a body or a handler.

public import Handlers
public import StanzaQuery
public import XMLTree
public import XMPPCore

extension DurableSession {
    /// Registers a body for the stanzas that match a query. Answers to requests do not reach it.
    ///
    /// The session runs every matching route in registration order, in one transaction. If no query matches an `iq` of
    /// type `get` or `set`, the session answers `service-unavailable` (RFC 6120 §8.4). If some match, your routes have
    /// to answer it, once. The session answers an `iq` of another type, or without one, with `bad-request` (§8.2.3).
    /// ``otherwise(_:)`` decides about other stanzas that no query matches.
    ///
    /// - Parameters:
    ///   - query: A query that takes no arguments. A value that you interpolate never becomes a part of its syntax.
    ///   - body: Gets the stanza, and collects its changes. If it throws, nothing changes, and the session offers the
    ///     stanza again. After too many failures the stanza becomes a dead letter (`SessionEvent.incomingDeadLetter`,
    ///     which carries the last error).
    /// - Returns: The route's name, for `removeRoute(_:)`.
    /// - Throws: `QueryError` for an invalid query.
    @discardableResult
    public func on(
        _ query: QueryLiteral, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws(QueryError) -> Routes.ID {
        try on(Query(query), body)
    }

    /// Registers a handler, which gets the stanza as its argument `stanza`, an `Element` or a payload. See `on(_:_:)`.
    ///
    /// The route calls the handler for each stanza, also if it is single-shot. The route of a handler that the app has
    /// invalidated counts as no match. So does the route of a handler that this program does not know.
    @discardableResult
    public func on(_ query: QueryLiteral, _ handler: Handler) throws(QueryError) -> Routes.ID {
        try on(Query(query), handler)
    }

    /// Registers a body for the stanzas that match a compiled query. See `on(_:_:)`.
    @discardableResult
    public func on<Output: QueryDecodable>(
        _ query: Query<Output>, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws(QueryError) -> Routes.ID where Output._Existence == Void {
        try addRoute(Query(query)) { stanza, work in
            try await body(stanza, work)
            return true
        }
    }

    /// Registers a handler for the stanzas that match a compiled query. See `on(_:_:)`.
    @discardableResult
    public func on<Output: QueryDecodable>(
        _ query: Query<Output>, _ handler: Handler
    ) throws(QueryError) -> Routes.ID where Output._Existence == Void {
        try addRoute(Query(query)) { stanza, work in try await handler.takes(stanza, work) }
    }

    /// Sets what happens to the stanzas that no route takes. A session does not run without it.
    ///
    /// ```swift
    /// await session.otherwise(.ignore)
    /// ```
    ///
    /// The session reports each such stanza with `SessionEvent.notRouted` and a line in the log, unless it is handed
    /// over. A later call replaces the route.
    public func otherwise(_ route: Otherwise) { update { $0.otherwise = route } }

    var otherwise: Otherwise? { update(\.otherwise) }

    /// Does not compile, because the query would also match a stanza whose result is `false`. See `insert` of
    /// `QuerySet`.
    @available(
        *, unavailable,
        message: "'false' is a result, too: compare the value in a filter, or pass 'Query(query)' to match any value"
    )
    @discardableResult
    public func on(
        _ query: Query<Bool>, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws(QueryError) -> Routes.ID {
        try on(Query(query), body)
    }

    /// Does not compile, as with a body.
    @available(
        *, unavailable,
        message: "'false' is a result, too: compare the value in a filter, or pass 'Query(query)' to match any value"
    )
    @discardableResult
    public func on(_ query: Query<Bool>, _ handler: Handler) throws(QueryError) -> Routes.ID {
        try on(Query(query), handler)
    }
}

extension JID: QueryArgument {
    /// The whole address: `/<from=\(sender)>` compares it with the attribute.
    public var queryArgument: QueryArgumentValue { .text(description) }
}
