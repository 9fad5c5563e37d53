// Which stanza goes to whom: queries of the language, in one set.

public import StanzaQuery
import XMLTree

/// What is done with stanzas, by queries.
public struct Routes {
    /// Names a route of a session.
    public typealias ID = QuerySet.ID

    /// - Returns: Whether there is somebody to do it still: a handler may have ended.
    typealias Body = @Sendable (Element, StanzaWork) async throws -> Bool

    private var queries = QuerySet()
    private var bodies: [ID: Body] = [:]

    mutating func add(_ query: Query, _ body: @escaping Body) throws -> ID {
        let id = try queries.insert(query)
        bodies[id] = body
        return id
    }

    mutating func remove(_ id: ID) {
        queries.remove(id)
        bodies[id] = nil
    }

    /// What is to be done with a stanza, in order.
    /// - Throws: `QueryError` when a regular expression exceeds its limit: what cannot be decided is not passed over.
    func matching(_ stanza: Element) throws -> [Body] {
        let matches = queries.matches(stanza)
        if let failure = matches.failures.first { throw failure.error }
        return matches.compactMap { bodies[$0] }
    }
}
