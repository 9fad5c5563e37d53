// Routes: which stanza goes to which body or handler.

import Handlers
import StanzaQuery
import XMLTree

extension SessionActor {
    /// See `DurableSession.on(_:_:)`.
    @discardableResult
    func on(
        _ query: InterpolatedQuery, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try on(Query(query), body)
    }

    @discardableResult
    func on(_ query: InterpolatedQuery, _ handler: Handler) throws -> Routes.ID { try on(Query(query), handler) }

    @discardableResult
    func on(
        _ query: Query, _ body: @escaping @Sendable (Element, StanzaWork) async throws -> Void
    ) throws -> Routes.ID {
        try addRoute(query) { stanza, work in
            try await body(stanza, work)
            return true
        }
    }

    @discardableResult
    func on(_ query: Query, _ handler: Handler) throws -> Routes.ID {
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
