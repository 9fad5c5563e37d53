// Asks a set which of its queries match, and what they find.

import QuerySyntax
public import XMLTree

extension QuerySet {
    /// The queries that have a result on an element, in the order of the set: what `check` tells of each of them.
    ///
    /// Nothing is allocated for up to eight matches. A query whose regular expression exceeds its limit is no match, and does
    /// not disturb the others; `failures` tells.
    ///
    /// - Complexity: what the element shares with the queries is looked at once. In the worst case the same as for all
    ///   queries one by one.
    @_effects(releasenone)
    public func matches(_ element: Element) -> Matches { matches(on: element) }

    /// The queries that have a result on an element. See `matches(_:)` of `Element`.
    public func matches(_ element: MutableElement) -> Matches { matches(on: element) }

    /// The first query, in the order of the set, that has a result on an element.
    ///
    /// - Throws: `QueryError` when a query before it could not be evaluated: a regular expression exceeded its limit
    ///   (rule 3.8).
    @_effects(releasenone)
    public func first(_ element: Element) throws(QueryError) -> ID? { try first(on: element) }

    /// The first query that has a result on an element. See `first(_:)` of `Element`.
    public func first(_ element: MutableElement) throws(QueryError) -> ID? { try first(on: element) }

    // MARK: Results

    /// All results of one query, with its arguments; none when the set does not have it any more.
    public func find<Node: QueryableElement>(_ id: ID, in element: Node) throws(QueryError) -> [QueryValue<Node>] {
        guard let query = self[id]?.bound else { return [] }
        return try element.find(query, arguments: [])
    }

    /// The first result of one query, with its arguments; nothing when the set does not have it any more.
    public func findFirst<Node: QueryableElement>(
        _ id: ID, in element: Node
    ) throws(QueryError) -> QueryValue<Node>? {
        guard let query = self[id]?.bound else { return nil }
        return try element.findFirst(query, arguments: [])
    }

    /// All results of one query, as values of one type. See `QueryableElement.find(_:_:as:)`.
    public func find<Node: QueryableElement, Value: QueryResultType>(
        _ id: ID, in element: Node, as type: Value.Type
    ) throws -> [Value] {
        guard let query = self[id]?.bound else { return [] }
        return try element.find(query, as: type)
    }

    /// The first result of one query, as a value of a type. See `QueryableElement.find(_:_:as:)`.
    public func findFirst<Node: QueryableElement, Value: QueryResultType>(
        _ id: ID, in element: Node, as type: Value.Type
    ) throws -> Value? {
        guard let query = self[id]?.bound else { return nil }
        return try element.findFirst(query, as: type)
    }

    // MARK: Walking

    @inline(__always)
    private func matches<Target: QueryTarget>(on target: Target) -> Matches {
        ranks.withUnsafeBufferPointer { order in
            walk(target, MatchCollector(entryCount: order.count)) { collector, trie in
                Matches(collector, order: order, failures: collector.hasFaults ? failures(collector, trie) : [])
            }
        }
    }

    @inline(__always)
    private func first<Target: QueryTarget>(on target: Target) throws(QueryError) -> ID? {
        let result: Result<ID?, QueryError> = ranks.withUnsafeBufferPointer { order in
            walk(target, MatchCollector(entryCount: order.count, first: order)) { collector, trie in
                let first = collector.count == 0 ? nil : collector.few[0]
                guard collector.hasFaults, let failure = failures(collector, trie).first else { return .success(first) }
                if let first, order[first.index] < order[failure.id.index] { return .success(first) }
                return .failure(failure.error)
            }
        }
        return try result.get()
    }

    /// Evaluates all queries, and lends what was found.
    @inline(__always)
    private func walk<Target: QueryTarget, Result>(
        _ target: Target, _ collector: MatchCollector, _ body: (MatchCollector, TrieView) -> Result
    ) -> Result {
        let bindings = trie.prefixedCount > 0 ? target.bindings : nil
        defer { withExtendedLifetime((target, bindings)) {} }
        return trie.withView { trie in
            var walk = TrieWalk(trie, target.storage, bindings: bindings.map { .passUnretained($0) }, collector)
            walk.run(on: target.index)
            return body(walk.collector, trie)
        }
    }

    // MARK: Failures

    /// The queries that a fault has ended before they had a result, in order.
    @inline(never)
    private func failures(_ collector: MatchCollector, _ trie: TrieView) -> [Failure] {
        entries.indices
            .filter { entries[$0] != nil && !collector.contains(EntryIndex($0)) }
            .sorted { ranks[$0] < ranks[$1] }
            .compactMap { index in
                let entry = EntryIndex(index)
                guard let query = entries[index]?.bound, let fault = collector.fault(of: entry, in: trie) else {
                    return nil
                }
                return Failure(id: id(at: entry), error: QueryError(query, regexLimitAt: pattern(of: fault, in: query)))
            }
    }

    /// The pattern of a query that a fault happened in.
    private func pattern(of fault: MatchCollector.Fault, in query: Query) -> PatternIndex {
        switch fault {
        case .tail(_, let pattern): return pattern
        case .state(let state):
            // The check is as far from the beginning of the path as the state is from the root.
            var path = QueryPath(query)
            for _ in 0..<trie.depth(of: state) { _ = path.next() }
            switch query.program.listing[path.edgeAddress + 1] {
            case .hasSuffix(let pattern), .contains(let pattern), .matches(let pattern): return pattern
            default: preconditionFailure("only tests of patterns have faults")
            }
        }
    }
}

extension QueryError {
    /// A regular expression of a query exceeded its limit.
    init(_ query: Query, regexLimitAt pattern: PatternIndex) {
        self.init(source: query.source, Diagnostic(.regexLimit, at: query.program.range(of: pattern)))
    }
}
