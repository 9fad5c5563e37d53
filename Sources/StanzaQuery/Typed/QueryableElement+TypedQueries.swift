// The methods of elements for queries whose results have a known type.

public import XMLTree

extension QueryableElement {
    /// The first result of a query, or nothing.
    ///
    /// ```swift
    /// let stamp: Date? = try message.first(TypedQuery("{urn:xmpp:delay}delay@stamp|datetime"))
    /// ```
    ///
    /// - Throws: `QueryError` when a regular expression exceeds its limit (3.8); for other queries it throws nothing.
    @inlinable
    public func first<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> Value? {
        try firstResult(of: query).flatMap { Value.typedValue(of: $0) }
    }

    /// All results of a query, in document order. Throws as `first(_:)` does.
    @inlinable
    public func all<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> [Value] {
        try results(of: query).compactMap { Value.typedValue(of: $0) }
    }

    /// The first element that a query finds, in the tree of this element. Throws as `first(_:)` does.
    @inlinable
    public func first(_ query: TypedQuery<Element>) throws(QueryError) -> Self? {
        try firstResult(of: query)?.element
    }

    /// The elements that a query finds, in the tree of this element. Throws as `first(_:)` does.
    @inlinable
    public func all(_ query: TypedQuery<Element>) throws(QueryError) -> [Self] {
        try results(of: query).compactMap(\.element)
    }

    /// Whether a query's first result exists and is true. Throws as `first(_:)` does.
    @inlinable
    public func holds(_ query: TypedQuery<Bool>) throws(QueryError) -> Bool {
        try firstResult(of: query)?.bool == true
    }

    /// Whether a query has a result. Throws as `first(_:)` does.
    @inlinable
    public func check<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> Bool {
        let compiled = try query.query()
        return query.arguments.isEmpty ? try check(compiled) : try check(compiled, arguments: query.arguments)
    }

    @inlinable
    func firstResult<Value>(of query: TypedQuery<Value>) throws(QueryError) -> QueryValue<Self>? {
        let compiled = try query.query()
        return query.arguments.isEmpty ? try findFirst(compiled) : try findFirst(compiled, arguments: query.arguments)
    }

    @inlinable
    func results<Value>(of query: TypedQuery<Value>) throws(QueryError) -> [QueryValue<Self>] {
        let compiled = try query.query()
        return query.arguments.isEmpty ? try find(compiled) : try find(compiled, arguments: query.arguments)
    }
}
