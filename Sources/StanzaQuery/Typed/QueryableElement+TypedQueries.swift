// The methods of elements for queries whose results have a known type.

public import XMLTree

extension QueryableElement {
    /// The first result of a query, or nothing.
    ///
    /// ```swift
    /// let stamp: Date? = try message.findFirst(TypedQuery("{urn:xmpp:delay}delay@stamp|datetime"))
    /// ```
    ///
    /// - Throws: `QueryError` when a regular expression exceeds its limit (3.8); for other queries it throws nothing.
    @inlinable
    public func findFirst<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> Value? {
        try firstResult(of: query).flatMap { Value.typedValue(of: $0) }
    }

    /// All results of a query, in document order. Throws as `findFirst(_:)` does.
    @inlinable
    public func find<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> [Value] {
        try results(of: query).compactMap { Value.typedValue(of: $0) }
    }

    /// The first element that a query finds, in the tree of this element. Throws as `findFirst(_:)` does.
    @inlinable
    public func findFirst(_ query: TypedQuery<Element>) throws(QueryError) -> Self? {
        try firstResult(of: query)?.element
    }

    /// The elements that a query finds, in the tree of this element. Throws as `findFirst(_:)` does.
    @inlinable
    public func find(_ query: TypedQuery<Element>) throws(QueryError) -> [Self] {
        try results(of: query).compactMap(\.element)
    }

    /// Whether a query has a result. Throws as `findFirst(_:)` does.
    @inlinable
    public func check<Value>(_ query: TypedQuery<Value>) throws(QueryError) -> Bool where Value._Existence == Void {
        let compiled = try query.query()
        return query.arguments.isEmpty ? try check(compiled) : try check(compiled, arguments: query.arguments)
    }

    /// Does not compile, because it would be true for a result that is `false`. Write `findFirst(query) == true`.
    @available(*, unavailable, message: "'false' is a result, too: write 'findFirst(query) == true'")
    public func check(_ query: TypedQuery<Bool>) throws(QueryError) -> Bool {
        try findFirst(query) == true
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
