// Keeps compiled queries, so that literal ones are compiled once.
//
// Queries that stand in the program's text have entries for ever (LiteralTable.swift); of those made at run time a bounded
// number is kept (RecentQueries.swift). Mistakes are not kept.

import Synchronization

/// The compiled queries of this process.
@usableFromInline final class QueryCache: Sendable {
    /// Longer texts are not kept: they are rare, and it is the number of entries that is bounded.
    private static let longestText = 4096

    private let literals = LiteralTable()
    private let recent: RecentQueries

    /// - Parameter capacity: How many queries made at run time are kept at most. A query is about a kilobyte, and few
    ///   programs have more than some hundred of them.
    init(capacity: Int) {
        recent = RecentQueries(capacity: capacity)
    }

    /// The compiled form of a query in the program's text, there for good. A hit neither locks nor allocates.
    @inline(__always)
    func query(_ source: StaticString) throws(QueryError) -> Unmanaged<Query.Storage> {
        if let known = literals.query(source) { return known }
        return try compile(source)
    }

    @inline(never)
    private func compile(_ source: StaticString) throws(QueryError) -> Unmanaged<Query.Storage> {
        literals.insert(try Query(source.description), for: source)
    }

    /// The compiled form of a query made at run time. A hit neither locks nor allocates.
    @inline(__always)
    func query(_ source: String) throws(QueryError) -> Query {
        let outcome = source.utf8.withContiguousStorageIfAvailable { text in
            if text.count > Self.longestText { return (query: nil as Query?, hash: nil as TextHash?) }
            let hash = TextHash(text)
            return (recent.query(text, hash: hash), hash)
        }
        if let known = outcome?.query { return known }
        return try compile(source, hash: outcome?.hash)
    }

    @inline(never)
    private func compile(_ source: String, hash: TextHash?) throws(QueryError) -> Query {
        let query = try Query(source)
        if let hash { recent.insert(query, hash: hash) }
        return query
    }

    /// How many queries made at run time are kept.
    var count: Int { recent.count }
}

extension QueryCache {
    /// The cache of this process. It is made when it is first used; a lazy global would cost a call each time after that.
    static var shared: QueryCache {
        @inline(__always) get {
            if let address = UnsafeRawPointer(bitPattern: sharedAddress.load(ordering: .acquiring)) {
                return Unmanaged<QueryCache>.fromOpaque(address).takeUnretainedValue()
            }
            return makeShared()
        }
    }

    private static let sharedAddress = Atomic<UInt>(0)
    private static let sharedCache = QueryCache(capacity: 1024)

    @inline(never)
    private static func makeShared() -> QueryCache {
        sharedAddress.store(UInt(bitPattern: Unmanaged.passUnretained(sharedCache).toOpaque()), ordering: .releasing)
        return sharedCache
    }

    /// The compiled form of a query in the program's text.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func literal(_ source: StaticString) throws(QueryError) -> Unmanaged<Query.Storage> {
        try shared.query(source)
    }

    /// The compiled form of a query made at run time.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func recent(_ source: String) throws(QueryError) -> Query {
        try shared.query(source)
    }
}
