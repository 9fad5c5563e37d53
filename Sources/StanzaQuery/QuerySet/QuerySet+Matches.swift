// What an evaluation of a set gives: which queries match, and which could not be decided.

extension QuerySet {
    /// The queries of a set that have a result on an element, in the order of the set.
    ///
    /// Up to eight of them need no allocation.
    public struct Matches: Sendable {
        private var few: FewIDs
        public let count: Int
        /// What is there rarely.
        private let heap: Heap?

        private final class Heap: Sendable {
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
    ///   - order: The ranks of all entries, by their index.
    ///   - failures: In order.
    init(_ collector: MatchCollector, order: UnsafeBufferPointer<Rank>, failures: [QuerySet.Failure]) {
        few = collector.few
        count = collector.count
        let many = collector.many?.sorted { order[$0.index] < order[$1.index] }
        heap = many == nil && failures.isEmpty ? nil : Heap(ids: many ?? [], failures: failures)
        if count > 1, many == nil { sortFew(order) }
    }

    private mutating func sortFew(_ order: UnsafeBufferPointer<Rank>) {
        for index in 1..<count {
            let id = few[index]
            var place = index
            while place > 0, order[id.index] < order[few[place - 1].index] {
                few[place] = few[place - 1]
                place -= 1
            }
            few[place] = id
        }
    }

    /// The queries that are no matches because they could not be evaluated, in the order of the set. They do not keep the
    /// others from being evaluated.
    public var failures: [QuerySet.Failure] { heap?.failures ?? [] }
}

extension QuerySet.Matches: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(position: Int) -> QuerySet.ID {
        precondition(position >= 0 && position < count, "there are fewer matches")
        return count > FewIDs.capacity ? heap.unsafelyUnwrapped.ids[position] : few[position]
    }
}
