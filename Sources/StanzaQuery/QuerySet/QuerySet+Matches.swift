// The outcome of a set's evaluation: the matching queries, and the undecided ones.

extension QuerySet {
    /// The queries of a set that have a result on an element, in the order of the set.
    ///
    /// Up to eight of them need no allocation.
    public struct Matches: Sendable {
        private let few: FewIDs
        public let count: Int
        private let heap: Heap?

        /// The overflow: matches beyond the inline capacity.
        final class Heap: Sendable {
            let ids: [ID]
            let failures: [Failure]

            init(ids: [ID], failures: [Failure]) {
                self.ids = ids
                self.failures = failures
            }
        }
    }

    /// A query that could not be evaluated: one of its regular expressions exceeded its limit (rule 3.8).
    public struct Failure: Sendable, Equatable {
        public let id: ID
        public let error: QueryError
    }
}

extension QuerySet.Matches {
    /// - Parameters:
    ///   - few: All matches in order, if there is room for them.
    ///   - heap: All matches in order if there is not, and if there are failures.
    @inline(__always)
    init(_ few: FewIDs, count: Int, _ heap: Heap?) {
        self.few = few
        self.count = count
        self.heap = heap
    }

    /// The queries that are not matches because their evaluation failed, in the order of the set. They do not affect
    /// the evaluation of the others.
    public var failures: [QuerySet.Failure] { heap?.failures ?? [] }
}

extension QuerySet.Matches: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(position: Int) -> QuerySet.ID {
        precondition(position >= 0 && position < count, "there are fewer matches")
        return heap?.ids[position] ?? few[position]
    }
}
