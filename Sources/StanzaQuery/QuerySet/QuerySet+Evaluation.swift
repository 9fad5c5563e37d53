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
        var few = FewIDs()
        var count = 0
        let heap: Matches.Heap? = few.withPlaces { places in
            let collector = TrieWalk.run(
                storage.view, view, context, bindings: bindings, MatchCollector(places, wantsFirst: false))
            count = collector.count
            if collector.isUnusual { return makeHeap(for: collector) }
            collector.sortFew(storage.view.pointee.entries)
            return nil
        }
        return Matches(few, count: count, heap)
    }

    @inline(__always)
    private func first(
        _ view: TreeView, _ context: NodeIndex, bindings: Unmanaged<SharedNamespaceContext>?
    ) throws(QueryError) -> ID? {
        var few = FewIDs()
        var first: ID?
        let error: QueryError? = few.withPlaces { places in
            let collector = TrieWalk.run(
                storage.view, view, context, bindings: bindings, MatchCollector(places, wantsFirst: true))
            first = collector.count == 0 ? nil : places[0]
            return collector.isUnusual ? failure(before: first, collector) : nil
        }
        if let error { throw error }
        return first
    }

    // MARK: Many matches, and failures

    @inline(never)
    private func makeHeap(for collector: MatchCollector) -> Matches.Heap {
        defer { collector.dispose() }
        let few = (0..<collector.count).prefix(FewIDs.capacity).map { collector.few[$0] }
        return Matches.Heap(ids: storage.sorted(collector.many ?? few), failures: failures(collector))
    }

    /// The fault of a query that comes before the first match.
    @inline(never)
    private func failure(before first: ID?, _ collector: MatchCollector) -> QueryError? {
        defer { collector.dispose() }
        guard let failure = failures(collector).first else { return nil }
        if let first, storage.rank(of: first.entry) < storage.rank(of: failure.id.entry) { return nil }
        return failure.error
    }

    /// The queries that a fault ended before they had a result, in order.
    private func failures(_ collector: MatchCollector) -> [Failure] {
        if !collector.hasFaults { return [] }
        let ended = collector.entriesBehindFaults(in: storage.view.pointee).filter { !collector.contains($0) }
        return storage.sorted(ended.map { storage.id(of: $0) }).compactMap { id in
            guard let query = self[id]?.compiled, let fault = collector.fault(of: id.entry, in: storage.view.pointee)
            else { return nil }
            return Failure(id: id, error: QueryError(query, RegexFault(pattern: pattern(of: fault, in: query))))
        }
    }

    /// The pattern of a query that caused a fault.
    private func pattern(of fault: MatchCollector.Fault, in query: CompiledQuery) -> PatternIndex {
        switch fault {
        case .tail(_, let pattern): return pattern
        case .state(let state):
            // The check is as far from the beginning of the path as the state is from the root.
            let depth = storage.view.pointee.path(from: state).reduce(0) { count, _ in count + 1 } - 1
            switch query.program.steps[depth - 1].action {
            case .filter(.hasSuffix(let pattern), _), .filter(.contains(let pattern), _),
                .filter(.matches(let pattern), _):
                return pattern
            default: preconditionFailure("only tests of patterns have faults")
            }
        }
    }
}
