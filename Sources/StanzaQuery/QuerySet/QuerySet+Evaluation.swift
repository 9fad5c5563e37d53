// Evaluates a set: which of its queries match, and their results.

public import XMLTree

extension QuerySet {
    /// The queries that have a result on an element, in the order of the set: those for which `check` returns `true`.
    ///
    /// Up to eight matches allocate nothing. A query whose regular expression exceeds its limit is not a match and does
    /// not affect the others; `failures` lists it.
    ///
    /// - Complexity: The walk tests once the parts of the element that queries share. It makes at most the tests of all
    ///   queries on all their candidates.
    // A walk releases only its own collector, here and below: see FastEvaluation.swift.
    @inline(never) @_effects(releasenone)
    public func matches(_ element: Element) -> Matches {
        if storage.view.pointee.needsPrefixes { return matches(withPrefixes: element) }
        return matches(element.tree.view, element.index, bindings: nil)
    }

    /// The queries that have a result on an element. See `matches(_:)` of `Element`.
    public func matches(_ element: MutableElement) -> Matches { matches(withPrefixes: element) }

    /// The first query, in the order of the set, that has a result on an element.
    ///
    /// - Complexity: as for `matches`: all queries are evaluated.
    /// - Throws: `QueryError` if the evaluation of a query before it failed: a regular expression exceeded its limit
    ///   (rule 3.8).
    @inline(never) @_effects(releasenone)
    public func bestMatch(in element: Element) throws(QueryError) -> ID? {
        if storage.view.pointee.needsPrefixes { return try first(withPrefixes: element) }
        return try first(element.tree.view, element.index, bindings: nil)
    }

    /// The first query that has a result on an element. See `bestMatch(in:)` of `Element`.
    public func bestMatch(in element: MutableElement) throws(QueryError) -> ID? { try first(withPrefixes: element) }

    // MARK: Walking

    // Generic, so they only call: the compiler makes a copy for each kind of element.

    @inline(never)
    private func matches(withPrefixes target: some QueryTarget) -> Matches {
        let bindings = target.bindings
        defer { withExtendedLifetime((storage, target, bindings)) {} }
        return matches(target.view, target.index, boundBy: bindings)
    }

    @inline(never)
    private func matches(_ view: TreeView, _ context: NodeIndex, boundBy bindings: SharedNamespaceContext?) -> Matches {
        matches(view, context, bindings: bindings.map { .passUnretained($0) })
    }

    @inline(never)
    private func first(withPrefixes target: some QueryTarget) throws(QueryError) -> ID? {
        let bindings = target.bindings
        defer { withExtendedLifetime((storage, target, bindings)) {} }
        return try first(target.view, target.index, boundBy: bindings)
    }

    @inline(never)
    private func first(
        _ view: TreeView, _ context: NodeIndex, boundBy bindings: SharedNamespaceContext?
    ) throws(QueryError) -> ID? {
        try first(view, context, bindings: bindings.map { .passUnretained($0) })
    }

    /// The caller has to retain storage, tree and bindings, for the method below, too. If set and element are
    /// arguments of a function that is not inlined, its own caller holds them until it returns: retaining them would
    /// cost half as much as the walk.
    @inline(__always)
    private func matches(
        _ view: TreeView, _ context: NodeIndex, bindings: Unmanaged<SharedNamespaceContext>?
    ) -> Matches {
        withOutcomes(view, context, bindings) { collector in
            let entries = storage.view.pointee.entries
            let outcomes = collector.sorted(by: entries)
            if collector.hasFaults || outcomes.count > FewIDs.capacity { return manyMatches(outcomes) }
            var few = FewIDs()
            for index in outcomes.indices { few[index] = id(of: outcomes[index], entries) }
            return Matches(few, count: outcomes.count)
        }
    }

    @inline(__always)
    private func first(
        _ view: TreeView, _ context: NodeIndex, bindings: Unmanaged<SharedNamespaceContext>?
    ) throws(QueryError) -> ID? {
        let entries = storage.view.pointee.entries
        guard let first = withOutcomes(view, context, bindings, { $0.first(by: entries) }) else { return nil }
        if let fault = first.fault { throw error(of: first, fault) }
        return id(of: first, entries)
    }

    /// Evaluates all queries, and lends their outcomes.
    @inline(__always)
    private func withOutcomes<Result>(
        _ view: TreeView, _ context: NodeIndex, _ bindings: Unmanaged<SharedNamespaceContext>?,
        _ body: (MatchCollector) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: MatchCollector.usualByteCount, alignment: 8) { memory in
            let collector = TrieWalk.run(storage.view, view, context, bindings: bindings, MatchCollector(memory))
            defer { collector.dispose() }
            return body(collector)
        }
    }

    @inline(__always)
    private func id(of outcome: MatchCollector.Outcome, _ entries: UnsafePointer<EntryLink>) -> ID {
        ID(outcome.entry, generation: entries[outcome.entry].generation)
    }

    // MARK: Many matches, and failures

    @inline(never)
    private func manyMatches(_ outcomes: UnsafeBufferPointer<MatchCollector.Outcome>) -> Matches {
        let entries = storage.view.pointee.entries
        var ids: [ID] = []
        var failures: [Failure] = []
        ids.reserveCapacity(outcomes.count)
        for outcome in outcomes {
            let id = id(of: outcome, entries)
            if let fault = outcome.fault {
                failures.append(Failure(id: id, error: error(of: outcome, fault)))
            } else {
                ids.append(id)
            }
        }
        return Matches(ids, failures: failures)
    }

    @inline(never)
    private func error(of outcome: MatchCollector.Outcome, _ fault: RegexFault) -> QueryError {
        QueryError(storage.view.pointee.entries[outcome.entry].program.takeUnretainedValue(), fault)
    }
}
