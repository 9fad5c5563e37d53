// Finds the routes of a stanza with one set of queries.

public import StanzaQuery
import XMLTree

/// The routes of a session: queries, each with a body.
public struct Routes {
    /// Names a route of a session.
    public typealias ID = QuerySet.ID

    /// - Returns: Whether the body took the stanza: a handler may have ended.
    typealias Body = @Sendable (Element, StanzaWork) async throws -> Bool

    private var queries = QuerySet()
    private var bodies: [ID: Body] = [:]

    mutating func add(_ query: Query<QueryValue>, _ body: @escaping Body) throws(QueryError) -> ID {
        let id = try queries.insert(query)
        bodies[id] = body
        return id
    }

    mutating func remove(_ id: ID) {
        queries.remove(id)
        bodies[id] = nil
    }

    /// The bodies of the routes that a stanza matches, in order.
    /// - Throws: `QueryError` if a regular expression exceeds its limit: an undecided query does not count as a
    ///   mismatch.
    func matching(_ stanza: Element) throws(QueryError) -> [Body] {
        let matches = queries.matches(stanza)
        if let failure = matches.failures.first { throw failure.error }
        return matches.compactMap { bodies[$0] }
    }
}
