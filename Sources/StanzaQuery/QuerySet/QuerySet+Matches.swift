// The outcome of a set's evaluation: the matching queries, and the undecided ones.

extension QuerySet {
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
