// Evaluates a set: which of its queries match, which of them failed, and the first one.

public import XMLTree

extension QuerySet {
    /// The queries that have a result on an element, in the order of the set: those for which `check` returns `true`.
    ///
    /// Up to 16 matches allocate nothing. A query whose regular expression exceeds its limit is not a match and does
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
    public func matches(_ element: MutableElement) -> Matches {
        withExtendedLifetime(element) { matches(element.view, element.index, boundBy: element.bindings) }
    }

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
    public func bestMatch(in element: MutableElement) throws(QueryError) -> ID? {
        defer { withExtendedLifetime(element) {} }
        return try first(element.view, element.index, boundBy: element.bindings)
    }

    // MARK: Walking

    @inline(never)
    private func matches(withPrefixes element: Element) -> Matches {
        matches(element.tree.view, element.index, boundBy: element.bindings)
    }

    @inline(never)
    private func matches(_ view: TreeView, _ context: NodeIndex, boundBy bindings: SharedNamespaceContext?) -> Matches {
        matches(view, context, bindings: bindings.map { .passUnretained($0) })
    }

    @inline(never)
    private func first(withPrefixes element: Element) throws(QueryError) -> ID? {
        try first(element.tree.view, element.index, boundBy: element.bindings)
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
        withDecided(view, context, bindings) { collector in
            if let many = collector.many { return matches(many.pointee, count: collector.count) }
            let sorted = collector.sorted(for: UnsafePointer(storage.view))
            return Matches(FewIDs(sorted.baseAddress.unsafelyUnwrapped), count: sorted.count)
        }
    }

    @inline(__always)
    private func first(
        _ view: TreeView, _ context: NodeIndex, bindings: Unmanaged<SharedNamespaceContext>?
    ) throws(QueryError) -> ID? {
        let outcome: Result<ID?, QueryError> = withDecided(view, context, bindings) { collector in
            if let many = collector.many { return first(many.pointee, count: collector.count) }
            return .success(collector.sorted(for: UnsafePointer(storage.view)).first)
        }
        return try outcome.get()
    }

    /// Evaluates all queries, and calls the body with those that are decided.
    @inline(__always)
    private func withDecided<Result>(
        _ view: TreeView, _ context: NodeIndex, _ bindings: Unmanaged<SharedNamespaceContext>?,
        _ body: (MatchCollector) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: MatchCollector.usualByteCount, alignment: 8) { memory in
            body(
                TrieWalk.run(storage.view, view, context, bindings: bindings, MatchCollector(memory)))
        }
    }

    // MARK: Many matches, and failures

    @inline(never)
    private func matches(_ many: DecisionBits, count: Int) -> Matches {
        defer { many.dispose() }
        var ids: [ID] = []
        ids.reserveCapacity(count)
        many.forEachMatch { ids.append(storage.view.pointee.id(of: $0)) }
        if storage.view.pointee.isOrdered, many.faults.isEmpty { return Matches(ids) }
        storage.view.pointee.sort(&ids)
        return Matches(
            ids, failures: many.faults.map(failure).sorted { storage.view.pointee.isInOrder($0.id.entry, $1.id.entry) })
    }

    private func failure(_ fault: MatchCollector.Fault) -> Failure {
        let program = storage.view.pointee.entries[fault.entry].program.takeUnretainedValue()
        return Failure(id: storage.view.pointee.id(of: fault.entry), error: QueryError(program, fault.fault))
    }

    @inline(never)
    private func first(_ many: DecisionBits, count: Int) -> Result<ID?, QueryError> {
        let matches = matches(many, count: count)
        guard let failure = matches.failures.first else { return .success(matches.first) }
        if let first = matches.first, storage.view.pointee.isInOrder(first.entry, failure.id.entry) {
            return .success(first)
        }
        return .failure(failure.error)
    }

    // MARK: Outcomes

    /// The queries of a set that have a result on an element, in the order of the set.
    ///
    /// Up to 16 of them need no allocation.
    public struct Matches: Sendable {
        private let few: FewIDs
        public let count: Int
        private let rest: Rest

        /// What few evaluations have.
        private enum Rest {
            case none
            /// All matches, if they are more than a few, or some queries failed.
            case ids([ID])
            indirect case failing([ID], [Failure])
        }

        @inline(__always)
        init(_ few: FewIDs, count: Int) {
            self.few = few
            self.count = count
            rest = .none
        }

        init(_ ids: [ID], failures: [Failure] = []) {
            few = FewIDs()
            count = ids.count
            rest = failures.isEmpty ? .ids(ids) : .failing(ids, failures)
        }

        /// The queries that are not matches because their evaluation failed, in the order of the set. They do not
        /// affect the evaluation of the others.
        public var failures: [Failure] { if case .failing(_, let failures) = rest { failures } else { [] } }
    }

    /// A query that could not be evaluated: one of its regular expressions exceeded its limit (rule 3.8).
    public struct Failure: Sendable, Equatable {
        public let id: ID
        public let error: QueryError
    }
}

extension QuerySet.Matches: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(position: Int) -> QuerySet.ID {
        precondition(position >= 0 && position < count, "there are fewer matches")
        return switch rest {
        case .none: few[position]
        case .ids(let ids), .failing(let ids, _): ids[position]
        }
    }
}
