// The mistakes in the queries of a set.

/// Queries that do not compile, so that they cannot make a set.
///
/// The description shows each one with its index and a caret.
public struct QuerySetError: Error, Sendable, Equatable {
    /// A query that is wrong.
    public struct Failure: Sendable, Equatable {
        /// The query's index in the array that the set was to be made of.
        public let index: Int
        /// The mistake, and its place.
        public let error: QueryError
    }

    /// All queries that are wrong, in order; never empty.
    public let failures: [Failure]

    init(failures: [Failure]) {
        precondition(!failures.isEmpty, "an error names its cause")
        self.failures = failures
    }

    /// The first query that is wrong.
    public var first: Failure { failures[0] }
}

extension QuerySetError: CustomStringConvertible {
    public var description: String {
        failures.map { "query \($0.index): \($0.error)" }.joined(separator: "\n")
    }
}
