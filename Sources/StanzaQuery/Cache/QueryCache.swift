// Keeps compiled queries, so that literal ones are compiled once.
//
// Queries that stand in the program's text have entries for ever (LiteralTable.swift), as long as there is room; of those
// made at run time, and of literals beyond that, a bounded number is kept here. Mistakes are not kept.

import XMLTree

/// The compiled queries of this process.
final class QueryCache: Sendable {
    static let shared = QueryCache(capacity: 1024)

    /// Longer texts are not kept: they are rare, and it is the number of entries that is bounded.
    private static let longestText = 4096

    private let literals = LiteralTable()
    private let generations: Lock<Generations>

    /// - Parameter capacity: How many queries made at run time are kept at most. A query is about a kilobyte, and few
    ///   programs have more than some hundred of them.
    init(capacity: Int) {
        generations = Lock(Generations(capacity: capacity))
    }

    /// The compiled form of a query in the program's text. A hit neither locks nor allocates.
    func query(_ source: StaticString) throws(QueryError) -> Query {
        guard source.hasPointerRepresentation else { return try query(source.description) }
        if let known = literals.query(source) { return known }
        let key = QueryText(source.description)
        if let known = generations.withLock({ $0.query(key) }) { return known }
        let query = try Query(source.description)
        if !literals.insert(query, for: source) { generations.withLock { $0.insert(query, for: key) } }
        return query
    }

    /// The compiled form of a query made at run time. A hit does not allocate, but for the first one in a while.
    func query(_ source: String) throws(QueryError) -> Query {
        if source.utf8.count > Self.longestText { return try Query(source) }
        let key = QueryText(source)
        if let known = generations.withLock({ $0.query(key) }) { return known }
        let query = try Query(source)
        generations.withLock { $0.insert(query, for: key) }
        return query
    }

    /// How many queries made at run time are kept.
    var count: Int { generations.withLock { $0.count } }
}

/// Two tables: when the young one is full, it becomes the old one, and what was in that is dropped unless it was used
/// meanwhile. Bounded, constant time, and what is used often stays.
private struct Generations {
    private let capacity: Int
    private var young: [QueryText: Query] = [:]
    private var old: [QueryText: Query] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { young.count + old.count }

    mutating func query(_ text: QueryText) -> Query? {
        if let query = young[text] { return query }
        guard let query = old.removeValue(forKey: text) else { return nil }
        insert(query, for: text)
        return query
    }

    mutating func insert(_ query: Query, for text: QueryText) {
        if young.count >= capacity / 2 {
            old = young
            young = [:]
        }
        young[text] = query
    }
}

/// A query's text, hashed and compared by its code points.
private struct QueryText: Hashable {
    /// Contiguous UTF-8, so that its bytes can be borrowed.
    private var text: String

    init(_ text: String) {
        self.text = text
        self.text.makeContiguousUTF8()
    }

    static func == (left: QueryText, right: QueryText) -> Bool {
        let isEqual = left.text.utf8.withContiguousStorageIfAvailable { left in
            right.text.utf8.withContiguousStorageIfAvailable { right in left.equals(right) } ?? false
        }
        return isEqual ?? false
    }

    func hash(into hasher: inout Hasher) {
        text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
