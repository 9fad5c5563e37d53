// Many queries as one: the public face of a trie of programs.
//
// This file registers queries. QuerySet+Evaluation.swift evaluates them, Trie/QueryTrie.swift finds the parts that they
// share.

/// Many queries that are evaluated together, in one pass over the element.
///
/// ```swift
/// let routes = try QuerySet(["/<type=error>", "body#", "{urn:xmpp:ping}ping"])
/// let indexes = routes.matches(stanza).map(\.index)
/// if let best = try routes.bestMatch(in: stanza), let query = routes[best]?.query {
///     print(try stanza.findFirst(query)?.string ?? "no text")
/// }
/// ```
///
/// Queries that begin with the same steps and filters share them. A set of thousands of names or attribute values finds
/// those of an element by hash: 10,000 queries cost about as much as ten, as long as names and values rule out most of
/// them. `explanation` of `QueryTools` lists the queries that cannot be found by hash. <doc:QuerySets> has more.
///
/// A set is a value. You can read it on any thread. Editing a copy leaves the others unchanged, and costs as much as
/// copying the set if others exist.
public struct QuerySet: Sendable {
    /// Names a query of a set.
    ///
    /// An ID stays the same as long as its query is in the set, and never names another one of this set. It means
    /// nothing to other sets, copies that were changed apart among them.
    public struct ID: Hashable, Sendable, BitwiseCopyable {
        let entry: EntryIndex
        let generation: UInt32

        init(_ entry: EntryIndex, generation: UInt32) {
            self.entry = entry
            self.generation = generation
        }

        /// A small number for the query: in a set that was made of an array, its index there. Later queries reuse the
        /// numbers of removed ones.
        public var index: Int { entry.offset }
    }

    /// A registered query.
    public struct Entry: Sendable {
        // A set copies its entries: the fewer references they have, the better.
        private let registered: Program
        /// The arguments: those of the registration, or those that the query was bound to before.
        private let boundArguments: [QueryArgumentValue]
        private let areBoundBefore: Bool
        /// Its place among the others: those of higher priority come first.
        public internal(set) var priority: Int
        /// The query with its arguments as constants.
        let compiled: Program
        package var program: Program { compiled }

        /// The query with its arguments, for results on an element: `try stanza.findFirst(entry.query)`.
        public var query: Query<QueryValue> { Query(registered, boundArguments) }

        /// The arguments of the registration.
        public var arguments: [QueryArgumentValue] { areBoundBefore ? [] : boundArguments }

        fileprivate var unbound: Query<QueryValue> { Query(registered, areBoundBefore ? boundArguments : []) }

        fileprivate init(
            _ query: Query<QueryValue>, _ arguments: [any QueryArgument], priority: Int
        ) throws(QueryError) {
            if let error = query.error { throw error }
            registered = query.compiled
            if arguments.isEmpty, query.argumentCount == 0 {
                boundArguments = query.arguments
            } else {
                boundArguments = try query.binding(values: arguments.map(\.queryArgument)).arguments
            }
            areBoundBefore = !query.arguments.isEmpty
            compiled = try boundArguments.isEmpty ? registered : registered.binding(boundArguments)
            self.priority = priority
        }
    }

    private(set) var storage = QuerySetStorage()

    /// A set without queries.
    public init() {}

    /// Compiles literals and makes a set of them. The first has the index 0 and comes first. The query parser never
    /// reads an interpolated value.
    ///
    /// - Throws: `QuerySetError` with all mistakes in the queries. A query that takes arguments is a mistake here, too;
    ///   `insert(_:_:priority:)` registers it.
    public init(_ queries: [QueryLiteral], options: QueryOptions = []) throws(QuerySetError) {
        try self.init(count: queries.count) { index throws(QueryError) in
            try Query(queries[index], options: options)
        }
    }

    /// Makes a set of compiled queries. The first has the index 0 and comes first.
    ///
    /// - Throws: `QuerySetError` for queries that take arguments; `insert(_:_:priority:)` registers them.
    @inlinable
    public init<Output: QueryDecodable>(
        _ queries: [Query<Output>]
    ) throws(QuerySetError) where Output._Existence == Void {
        try self.init(count: queries.count) { index throws(QueryError) in Query(queries[index]) }
    }

    /// Does not compile, as `insert` of such a query.
    @available(
        *, unavailable,
        message: "'false' is a result, too: compare the value in a filter, or pass 'Query(query)' to match any value"
    )
    public init(_ queries: [Query<Bool>]) throws(QuerySetError) {
        try self.init(count: queries.count) { index throws(QueryError) in Query(queries[index]) }
    }

    @usableFromInline
    init(count: Int, _ compile: (Int) throws(QueryError) -> Query<QueryValue>) throws(QuerySetError) {
        var failures: [QuerySetError.Failure] = []
        for index in 0..<count {
            do throws(QueryError) {
                let query = try compile(index)
                if failures.isEmpty { try insert(query) }
            } catch {
                failures.append(QuerySetError.Failure(index: index, error: error))
            }
        }
        if !failures.isEmpty { throw QuerySetError(failures: failures) }
    }

    /// The number of queries.
    public var count: Int { storage.trie.count }

    /// Whether the set has zero queries.
    public var isEmpty: Bool { count == 0 }

    /// The IDs of all queries, in their order.
    ///
    /// - Complexity: O(n log n) in the number of queries.
    public var ids: [ID] { storage.trie.ids }

    /// A registered query; `nil` if the set does not have it any more.
    public subscript(id: ID) -> Entry? { storage.trie[id] }

    // MARK: Editing

    /// Registers a query.
    ///
    /// ```swift
    /// let id = try routes.insert("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>", node, priority: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - query: A compiled query.
    ///   - arguments: One for each of its specifiers (rule 6.1). They belong to the query from now on; `bind(_:to:)`
    ///     replaces them.
    ///   - priority: Queries of higher priority come first; of equal priority those that were registered first.
    /// - Returns: The ID of the query in this set.
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    /// - Complexity: linear in the length of the query, amortized.
    @discardableResult @inlinable
    public mutating func insert<Output: QueryDecodable>(
        _ query: Query<Output>, _ arguments: any QueryArgument..., priority: Int = 0
    ) throws(QueryError) -> ID where Output._Existence == Void {
        try insert(query, arguments: arguments, priority: priority)
    }

    /// Does not compile, because the query would also match an element whose result is `false`. See `check` of
    /// ``QueryableElement``.
    @available(
        *, unavailable,
        message: "'false' is a result, too: compare the value in a filter, or insert 'Query(query)' to match any value"
    )
    @discardableResult
    public mutating func insert(
        _ query: Query<Bool>, _ arguments: any QueryArgument..., priority: Int = 0
    ) throws(QueryError) -> ID {
        try insert(Query(query), arguments: arguments, priority: priority)
    }

    /// Does not compile, as with arguments one by one.
    @available(
        *, unavailable,
        message: "'false' is a result, too: compare the value in a filter, or insert 'Query(query)' to match any value"
    )
    @discardableResult
    public mutating func insert(
        _ query: Query<Bool>, arguments: [any QueryArgument], priority: Int = 0
    ) throws(QueryError) -> ID {
        try insert(ofAnyKind: Query(query), arguments, priority: priority)
    }

    /// Compiles and registers a literal. Its interpolated values then belong to the query, and are never read as a part
    /// of its text; the query takes no arguments. See `insert(_:_:priority:)`.
    @discardableResult
    public mutating func insert(
        _ query: QueryLiteral, _ arguments: any QueryArgument..., priority: Int = 0, options: QueryOptions = []
    ) throws(QueryError) -> ID {
        try insert(Query(query, options: options), arguments: arguments, priority: priority)
    }

    /// Registers a query with arguments in an array. See `insert(_:_:priority:)`.
    @discardableResult @inlinable
    public mutating func insert<Output: QueryDecodable>(
        _ query: Query<Output>, arguments: [any QueryArgument], priority: Int = 0
    ) throws(QueryError) -> ID where Output._Existence == Void {
        try insert(ofAnyKind: Query(query), arguments, priority: priority)
    }

    @usableFromInline
    mutating func insert(
        ofAnyKind query: Query<QueryValue>, _ arguments: [any QueryArgument], priority: Int
    ) throws(QueryError) -> ID {
        let entry = try Entry(query, arguments, priority: priority)
        makeUnique()
        return storage.edit { $0.insert(entry) }
    }

    /// Removes a registered query, and returns it; `nil` if the set does not have it any more.
    ///
    /// - Complexity: linear in the length of the query, amortized.
    @discardableResult
    public mutating func remove(_ id: ID) -> Entry? {
        guard self[id] != nil else { return nil }
        makeUnique()
        return storage.edit { $0.remove(id) }
    }

    /// Binds other arguments to a query. Its ID and its place in the order stay.
    ///
    /// - Returns: Whether the set has the query.
    /// - Throws: `QueryError` for arguments that do not fit (6.3); the query then keeps its old ones.
    /// - Complexity: linear in the length of the query and its arguments, amortized.
    @discardableResult
    public mutating func bind(_ arguments: any QueryArgument..., to id: ID) throws(QueryError) -> Bool {
        try bind(arguments: arguments, to: id)
    }

    /// Binds other arguments, from an array, to a query. See `bind(_:to:)`.
    @discardableResult
    public mutating func bind(arguments: [any QueryArgument], to id: ID) throws(QueryError) -> Bool {
        guard let old = self[id] else { return false }
        let entry = try Entry(old.unbound, arguments, priority: old.priority)
        makeUnique()
        storage.edit { $0.replace(id, with: entry) }
        return true
    }

    /// Changes the priority of a query.
    ///
    /// - Returns: Whether the set has the query.
    /// - Complexity: constant.
    @discardableResult
    public mutating func setPriority(_ priority: Int, of id: ID) -> Bool {
        guard self[id] != nil else { return false }
        makeUnique()
        storage.edit { $0.setPriority(priority, of: id) }
        return true
    }

    /// Call this before every edit: other sets may share the storage.
    private mutating func makeUnique() { if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() } }
}

/// The storage of a set, shared by its copies until one of them is edited.
///
/// Sendable although it is mutable: QuerySet writes only while it holds the only reference, and evaluations only read.
final class QuerySetStorage: @unchecked Sendable {
    /// The trie's tables. Evaluations read this pointer, and not a property that may change.
    let view: UnsafeMutablePointer<TrieView>
    private(set) var trie: QueryTrie

    init(_ trie: consuming QueryTrie = QueryTrie()) {
        view = .allocate(capacity: 1)
        view.initialize(to: trie.view)
        self.trie = trie
    }

    deinit { view.deallocate() }

    func copy() -> QuerySetStorage { QuerySetStorage(trie.copy()) }

    /// For the holder of the only reference.
    func edit<Result>(_ edit: (inout QueryTrie) -> Result) -> Result {
        defer { view.pointee = trie.view }
        return edit(&trie)
    }
}

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
    public var description: String { failures.map { "query \($0.index): \($0.error)" }.joined(separator: "\n") }
}
