// The queries of frozen and editable elements.

public import FormModel
public import XMLTree

// On frozen elements the fast path comes first, in the caller's module. It releases no object that the caller holds, so
// that a loop over many elements retains none of them. The fast path does not pass the first instruction's element to
// the machine: finding it again takes fewer instructions (measured: 67 against 70).
extension Element: QueryableElement {
    /// Whether a compiled query without arguments has a result. Allocates only in the cases that `QueryableElement`
    /// lists.
    @inlinable
    public func check(_ query: Query) throws(QueryError) -> Bool {
        switch query.fastCheck(on: self) {
        case .no: false
        case .yes: true
        case .undecided: try check(query, values: UnsafeBufferPointer(start: nil, count: 0))
        }
    }

    @inlinable
    public func findFirst(_ query: Query) throws(QueryError) -> QueryValue<Element>? {
        if rulesOut(query, argumentCount: 0) { return nil }
        return try findFirst(query, values: UnsafeBufferPointer(start: nil, count: 0))
    }

    @inlinable
    public func find(_ query: Query) throws(QueryError) -> [QueryValue<Element>] {
        if rulesOut(query, argumentCount: 0) { return [] }
        return try find(query, values: UnsafeBufferPointer(start: nil, count: 0))
    }

    @inline(never) @_effects(releasenone)
    public func find(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> [QueryValue<Element>]
    {
        try Evaluation.find(query, on: self, values)
    }

    @inline(never) @_effects(releasenone)
    public func findFirst(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> QueryValue<Element>?
    {
        try Evaluation.findFirst(query, on: self, values)
    }

    @inline(never) @_effects(releasenone)
    public func check(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError) -> Bool {
        try Evaluation.check(query, on: self, values)
    }

    @inlinable
    public func rulesOut(_ query: Query, argumentCount: Int) -> Bool {
        query.rulesOut(self, argumentCount: argumentCount)
    }
}

extension MutableElement: QueryableElement {
    public func find(_ query: Query) throws(QueryError) -> [QueryValue<MutableElement>] {
        try find(query, values: UnsafeBufferPointer(start: nil, count: 0))
    }

    public func findFirst(_ query: Query) throws(QueryError) -> QueryValue<MutableElement>? {
        try findFirst(query, values: UnsafeBufferPointer(start: nil, count: 0))
    }

    public func check(_ query: Query) throws(QueryError) -> Bool {
        try check(query, values: UnsafeBufferPointer(start: nil, count: 0))
    }

    public func find(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> [QueryValue<MutableElement>]
    {
        try Evaluation.find(query, on: self, values)
    }

    public func findFirst(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError)
        -> QueryValue<MutableElement>?
    {
        try Evaluation.findFirst(query, on: self, values)
    }

    public func check(_ query: Query, values: UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError) -> Bool {
        try Evaluation.check(query, on: self, values)
    }

    public func rulesOut(_ query: Query, argumentCount: Int) -> Bool { false }
}
