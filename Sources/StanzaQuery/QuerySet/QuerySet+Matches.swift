// The outcome of a set's evaluation: the matching queries, and the undecided ones.

extension QuerySet {
    /// The queries of a set that have a result on an element, in the order of the set.
    ///
    /// Up to eight of them need no allocation.
    public struct Matches: Sendable {
        private let few: FewIDs
        public let count: Int
        private let rest: Rest?

        /// What few evaluations have.
        private final class Rest: Sendable {
            /// All matches, if they are more than a few.
            let ids: [ID]
            let failures: [Failure]

            init(_ ids: [ID], failures: [Failure]) {
                self.ids = ids
                self.failures = failures
            }
        }

        @inline(__always)
        init(_ few: FewIDs, count: Int) {
            self.few = few
            self.count = count
            rest = nil
        }

        init(_ ids: [ID], failures: [Failure]) {
            few = FewIDs()
            count = ids.count
            rest = Rest(ids, failures: failures)
        }

        /// The queries that are not matches because their evaluation failed, in the order of the set. They do not
        /// affect the evaluation of the others.
        public var failures: [Failure] { rest?.failures ?? [] }
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
        return rest?.ids[position] ?? few[position]
    }
}
