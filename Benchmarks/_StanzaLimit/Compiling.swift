// Compiles a text each time, to measure that: `Query(text)` finds a known text in the cache.

public import StanzaQuery

/// The query of a text, which is compiled anew.
public func compiledAnew(_ text: String) throws(QueryError) -> Query<QueryValue> {
    Query(try Program.compile(text))
}
