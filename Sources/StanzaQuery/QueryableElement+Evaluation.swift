// What the methods of QueryableElement.swift and QueryableElement+Literals.swift have in common: the fast path and the
// arguments, and the evaluation on each kind of element.
//
// The fast path comes first, in the caller's module. It releases no object that the caller holds, so that a loop over
// many elements retains none of them. The fast path does not pass the first step's element to the machine: finding
// it again takes fewer instructions of the processor (measured: 67 against 70).
//
// Bound arguments are usually none. The fast path answers nothing for a query with some: see `Query.arguments`.
//
// At the end are the methods that programs call most, for exactly one argument: the optimizer reduces one argument to
// a few stores and a call, but not a pack. Of literals, only `check` has such a form. They mean the same as the others,
// so the documentation does not show them.

import FormModel
public import XMLTree

extension QueryableElement {
    /// All results of a query with bound arguments and the arguments after it.
    @_alwaysEmitIntoClient @inline(__always)
    func results<each Argument: QueryArgument>(
        of query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryResult<Self>] {
        if _rulesOut(query, argumentCount: bound.count &+ argumentCount(repeat (each Argument).self)) { return [] }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try _results(of: query, bound, values)
        }
    }

    /// The first result of a query with bound arguments and the arguments after it.
    @_alwaysEmitIntoClient @inline(__always)
    func firstResult<each Argument: QueryArgument>(
        of query: Program, _ bound: [QueryArgumentValue], _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryResult<Self>? {
        if _rulesOut(query, argumentCount: bound.count &+ argumentCount(repeat (each Argument).self)) { return nil }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try _firstResult(of: query, bound, values)
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
        if count == 0, let answer = _fastCheck(query) { return answer }
        if bound.count &+ count > 0, _rulesOut(query, argumentCount: bound.count &+ count) { return false }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try _hasResult(query, bound, values)
        }
    }
}

extension Array {
    @_alwaysEmitIntoClient
    func decoded<Node, Output: QueryDecodable>() -> [Output] where Element == QueryResult<Node> {
        compactMap { Output.decode(queryResult: $0) }
    }
}

// MARK: Both kinds of elements

// On frozen trees, an evaluation releases only the bindings that it has retained, and the values that it has made for
// bound arguments: see FastEvaluation.swift for the attribute.

extension Element {
    @inline(never) @_effects(releasenone)
    public func _results(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [QueryResult<Element>] {
        try Evaluation.find(query, bound, on: self, values)
    }

    @inline(never) @_effects(releasenone)
    public func _elements(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [Element] {
        try Evaluation.findElements(query, bound, on: self, values)
    }

    @inline(never) @_effects(releasenone)
    public func _firstResult(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> QueryResult<Element>? {
        try Evaluation.findFirst(query, bound, on: self, values)
    }

    @inline(never) @_effects(releasenone)
    public func _hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> Bool {
        try Evaluation.check(query, bound, on: self, values)
    }
}

extension Element {
    @inlinable public func _fastCheck(_ query: Program) -> Bool? { query.fastCheck(on: self) }
    @inlinable public func _rulesOut(_ query: Program, argumentCount: Int) -> Bool {
        query.rulesOut(self, argumentCount: argumentCount)
    }
}

extension MutableElement {
    public func _results(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [QueryResult<MutableElement>] {
        try Evaluation.find(query, bound, on: self, values)
    }

    public func _elements(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [MutableElement] {
        try Evaluation.findElements(query, bound, on: self, values)
    }

    public func _firstResult(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> QueryResult<MutableElement>? {
        try Evaluation.findFirst(query, bound, on: self, values)
    }

    public func _hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> Bool {
        try Evaluation.check(query, bound, on: self, values)
    }

    @inlinable public func _fastCheck(_ query: Program) -> Bool? { nil }
    @inlinable public func _rulesOut(_ query: Program, argumentCount: Int) -> Bool { false }
}

// MARK: One argument

extension QueryableElement {
    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func find(
        _ query: Query<QueryValue>, _ argument: some QueryArgument
    ) throws(QueryError) -> [QueryResult<Self>] {
        if _rulesOut(query.compiled, argumentCount: query.arguments.count &+ 1) { return [] }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _results(of: query.compiled, query.arguments, values)
        }
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst(
        _ query: Query<QueryValue>, _ argument: some QueryArgument
    ) throws(QueryError) -> QueryResult<Self>? {
        if _rulesOut(query.compiled, argumentCount: query.arguments.count &+ 1) { return nil }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _firstResult(of: query.compiled, query.arguments, values)
        }
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func check<Output: QueryDecodable>(
        _ query: Query<Output>, _ argument: some QueryArgument
    ) throws(QueryError) -> Bool where Output._Existence == Void {
        try hasResult(query.compiled, query.arguments, only: argument)
    }

    @_documentation(visibility: internal)
    @_alwaysEmitIntoClient @inline(__always)
    public func check(
        _ query: QueryLiteral, _ argument: some QueryArgument, options: QueryOptions = []
    ) throws(QueryError) -> Bool {
        try withCompiled(query, options) { query, values throws(QueryError) in
            try hasResult(query, values, only: argument)
        }
    }

    @_alwaysEmitIntoClient @inline(__always)
    func hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], only argument: some QueryArgument
    ) throws(QueryError) -> Bool {
        if _rulesOut(query, argumentCount: bound.count &+ 1) { return false }
        return try withValue(argument.queryArgument) { values throws(QueryError) in
            try _hasResult(query, bound, values)
        }
    }
}
