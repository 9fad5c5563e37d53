// Keeps compiled queries, so that literal ones are compiled once.
//
// The cache keeps the queries of the program's text for good (LiteralTable.swift). Of queries made at run time it keeps
// a bounded number (RecentQueries.swift). It keeps no errors.

import Synchronization

/// The compiled queries of this process.
final class QueryCache: Sendable {
    let literals = LiteralTable<CompiledQuery>()
    fileprivate let recent: RecentQueries

    /// - Parameter capacity: The maximum number of queries made at run time. A query is about a kilobyte, and few
    ///   programs have more than some hundred of them.
    init(capacity: Int) {
        recent = RecentQueries(capacity: capacity)
    }

    deinit {
        literals.deallocate()
        recent.deallocate()
    }

    /// The compiled form of a query in the program's text that is not in the cache yet; it lives as long as the cache.
    func compile(_ source: StaticString) throws(QueryError) -> Unmanaged<CompiledQuery> {
        literals.insert(try CompiledQuery(text: source.description, options: []), for: source)
    }

    /// The compiled form of a query made at run time that is not in the cache yet.
    func compile(_ source: String) throws(QueryError) -> CompiledQuery {
        let query = try CompiledQuery(text: source, options: [])
        recent.insert(query, for: source)
        return query
    }

    /// The compiled form of a query made at run time, for tests.
    func query(_ source: String) throws(QueryError) -> CompiledQuery {
        if let known = recent.query(source) { return known }
        return try compile(source)
    }

    /// The number of cached queries made at run time, for tests.
    var count: Int { recent.count }

    /// Whether the cache has a query made at run time, for tests.
    func holds(_ source: String) -> Bool { recent.query(source) != nil }
}

extension QueryCache {
    /// The cache of this process, made when it is first used and never freed. (A lazy global would cost a call each
    /// time.)
    private static let sharedAddress = Atomic<UInt>(0)

    /// The cache of this process, which needs no retain.
    static var shared: Unmanaged<QueryCache> {
        @inline(__always) get {
            guard let address = UnsafeRawPointer(bitPattern: sharedAddress.load(ordering: .acquiring)) else {
                return makeShared()
            }
            return .fromOpaque(address)
        }
    }

    @inline(never)
    private static func makeShared() -> Unmanaged<QueryCache> {
        let made = Unmanaged.passRetained(QueryCache(capacity: 1024))
        let (isFirst, first) = sharedAddress.compareExchange(
            expected: 0, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing)
        if isFirst { return made }
        made.release()
        guard let address = UnsafeRawPointer(bitPattern: first) else { preconditionFailure("another thread made it") }
        return .fromOpaque(address)
    }
}

// Functions of no type: with a metatype to pass they would be called through a thunk.

/// The compiled form of a query in the program's text, which is never freed. A hit neither locks nor allocates.
@usableFromInline @inline(never) @_effects(releasenone)
func compiledLiteral(_ source: StaticString) throws(QueryError) -> Unmanaged<CompiledQuery> {
    let literals = QueryCache.shared._withUnsafeGuaranteedRef { $0.literals }
    if let known = literals[source] { return known }
    return try QueryCache.shared.takeUnretainedValue().compile(source)
}

/// The compiled form of a query made at run time. A hit neither locks nor allocates.
@usableFromInline @inline(never) @_effects(releasenone)
func compiledText(_ source: String) throws(QueryError) -> CompiledQuery {
    let recent = QueryCache.shared._withUnsafeGuaranteedRef { $0.recent }
    // A miss hashes again: keeping the hash for it would slow down every hit.
    if let known = recent.query(source) { return known }
    return try QueryCache.shared.takeUnretainedValue().compile(source)
}
