// What the methods of QueryableElement.swift and QueryableElement+Literals.swift have in common: the fast path, the
// arguments, and the two kinds of elements.
//
// The fast path comes first, in the caller's module. It releases no object that the caller holds, so that a loop over
// many elements retains none of them. The fast path does not pass the first step's element to the machine: finding
// it again takes fewer instructions of the processor (measured: 67 against 70).
//
// Each `unsafeBitCast` follows a comparison of the two types, which are one there. So it changes no reference, and
// `self` outlives the call.
//
// Bound arguments are usually none. The fast path answers nothing for a query with some: see `Query.arguments`.

import FormModel
public import XMLTree

extension QueryableElement {
    /// All results of a query with bound arguments and the arguments after it.
    @_alwaysEmitIntoClient @inline(__always)
    func results<each Argument: QueryArgument>(
        of query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryResult<Self>] {
        if rulesOut(query, bound, given: argumentCount(repeat (each Argument).self)) { return [] }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try allResults(query, bound, values: values)
        }
    }

    /// The first result of a query with bound arguments and the arguments after it.
    @_alwaysEmitIntoClient @inline(__always)
    func firstResult<each Argument: QueryArgument>(
        of query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryResult<Self>? {
        if rulesOut(query, bound, given: argumentCount(repeat (each Argument).self)) { return nil }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try firstResult(query, bound, values: values)
        }
    }

    /// The first result that a type decodes. The types of this module decode each result, so the second evaluation is
    /// for others.
    @_alwaysEmitIntoClient @inline(__always)
    func firstDecoded<Output: QueryDecodable, each Argument: QueryArgument>(
        of query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> Output? {
        guard let first = try firstResult(of: query, bound, repeat each arguments) else { return nil }
        if let output = Output.decode(queryResult: first) { return output }
        let outputs: [Output] = try results(of: query, bound, repeat each arguments).decoded()
        return outputs.first
    }

    /// Whether a query with bound arguments and the arguments after it has a result.
    @_alwaysEmitIntoClient @inline(__always)
    func hasResult<each Argument: QueryArgument>(
        _ query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        let count = argumentCount(repeat (each Argument).self)
        if count == 0, Self.self == Element.self {
            switch query.fastCheck(on: unsafeBitCast(self, to: Element.self)) {
            case .no: return false
            case .yes: return true
            case .undecided: break
            }
        } else if rulesOut(query, bound, given: count) {
            return false
        }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try hasResult(query, bound, values: values)
        }
    }

    // MARK: With the values of the arguments

    @_alwaysEmitIntoClient @inline(__always)
    func allResults(
        _ query: Program, _ bound: [QueryArgumentValue], values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> [QueryResult<Self>] {
        if Self.self == Element.self {
            let element = unsafeBitCast(self, to: Element.self)
            return unsafeBitCast(try element.allResults(query, bound, values), to: [QueryResult<Self>].self)
        }
        return unsafeBitCast(try editable.allResults(query, bound, values), to: [QueryResult<Self>].self)
    }

    @_alwaysEmitIntoClient @inline(__always)
    func firstResult(
        _ query: Program, _ bound: [QueryArgumentValue], values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> QueryResult<Self>? {
        if Self.self == Element.self {
            let element = unsafeBitCast(self, to: Element.self)
            return unsafeBitCast(try element.firstResult(query, bound, values), to: QueryResult<Self>?.self)
        }
        return unsafeBitCast(try editable.firstResult(query, bound, values), to: QueryResult<Self>?.self)
    }

    @_alwaysEmitIntoClient @inline(__always)
    func hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> Bool {
        if Self.self == Element.self {
            return try unsafeBitCast(self, to: Element.self).hasResult(query, bound, values)
        }
        return try editable.hasResult(query, bound, values)
    }

    /// Whether the query's first step shows that it has no result here, for any arguments.
    ///
    /// It is false for a query that takes another number of arguments, or arguments of certain types only.
    @_alwaysEmitIntoClient @inline(__always)
    func rulesOut(_ query: Program, _ bound: [QueryArgumentValue], given count: Int) -> Bool {
        guard Self.self == Element.self else { return false }
        // A query with bound arguments never has the number 0.
        return query.rulesOut(
            unsafeBitCast(self, to: Element.self), argumentCount: count == 0 ? 0 : bound.count &+ count)
    }

    /// The element, which is not frozen.
    @_alwaysEmitIntoClient
    var editable: MutableElement {
        guard let element = self as? MutableElement else {
            preconditionFailure("only Element and MutableElement are queryable")
        }
        return element
    }
}

extension Array {
    @_alwaysEmitIntoClient
    func decoded<Node, Output: QueryDecodable>() -> [Output] where Element == QueryResult<Node> {
        compactMap { Output.decode(queryResult: $0) }
    }
}

// MARK: Both kinds of elements

// An evaluation releases only the bindings that it has retained, and the query and values that it has made for bound
// arguments: see FastEvaluation.swift for the attribute.

extension Element {
    @usableFromInline @inline(never) @_effects(releasenone)
    func allResults(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> [QueryResult<Element>] {
        if _fastPath(bound.isEmpty) { return try Evaluation.find(query, on: self, values) }
        if query.rulesOut(self, argumentCount: bound.count + values.count) { return [] }
        return try query.withBound(bound, values) { values throws(QueryError) in try allResults(query, [], values) }
    }

    @usableFromInline @inline(never) @_effects(releasenone)
    func firstResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> QueryResult<Element>? {
        if _fastPath(bound.isEmpty) { return try Evaluation.findFirst(query, on: self, values) }
        if query.rulesOut(self, argumentCount: bound.count + values.count) { return nil }
        return try query.withBound(bound, values) { values throws(QueryError) in try firstResult(query, [], values) }
    }

    @usableFromInline @inline(never) @_effects(releasenone)
    func hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> Bool {
        if _fastPath(bound.isEmpty) { return try Evaluation.check(query, on: self, values) }
        if query.rulesOut(self, argumentCount: bound.count + values.count) { return false }
        return try query.withBound(bound, values) { values throws(QueryError) in try hasResult(query, [], values) }
    }
}

extension MutableElement {
    @usableFromInline
    func allResults(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> [QueryResult<MutableElement>] {
        if bound.isEmpty { return try Evaluation.find(query, on: self, values) }
        return try query.withBound(bound, values) { values throws(QueryError) in try allResults(query, [], values) }
    }

    @usableFromInline
    func firstResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> QueryResult<MutableElement>? {
        if bound.isEmpty { return try Evaluation.findFirst(query, on: self, values) }
        return try query.withBound(bound, values) { values throws(QueryError) in try firstResult(query, [], values) }
    }

    @usableFromInline
    func hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: UnsafeBufferPointer<QueryArgumentValue>
    ) throws(QueryError) -> Bool {
        if bound.isEmpty { return try Evaluation.check(query, on: self, values) }
        return try query.withBound(bound, values) { values throws(QueryError) in try hasResult(query, [], values) }
    }
}

extension Program {
    /// Lends bound arguments as contiguous values. Further ones are too many.
    func withBound<Result>(
        _ bound: [QueryArgumentValue], _ further: UnsafeBufferPointer<QueryArgumentValue>,
        _ body: (UnsafeBufferPointer<QueryArgumentValue>) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        if let error { throw error }
        if !further.isEmpty { throw QueryError(self, .argumentsAreBound(given: further.count)) }
        return try withValues(of: bound, body)
    }
}
