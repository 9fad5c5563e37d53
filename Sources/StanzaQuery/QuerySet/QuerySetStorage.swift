// The storage of a set: the trie, and the registered queries.

import QuerySyntax

/// The storage of a set, shared by its copies until one of them is edited.
///
/// Sendable although it is mutable: QuerySet writes only while it holds the only reference, and evaluations only read.
final class QuerySetStorage: @unchecked Sendable {
    /// The trie's tables. Evaluations read this pointer, and not a property that may change.
    let view: UnsafeMutablePointer<TrieView>
    private(set) var trie: QueryTrie
    /// The queries by the indexes of their entries.
    private(set) var entries: [QuerySet.Entry?]
    private var nextSerial: UInt64
    private(set) var count: Int

    init() {
        trie = QueryTrie()
        entries = []
        nextSerial = 0
        count = 0
        view = .allocate(capacity: 1)
        view.initialize(to: trie.view)
    }

    private init(copying other: QuerySetStorage) {
        trie = other.trie.copy()
        entries = other.entries
        nextSerial = other.nextSerial
        count = other.count
        view = .allocate(capacity: 1)
        view.initialize(to: trie.view)
    }

    deinit {
        view.deallocate()
    }

    func copy() -> QuerySetStorage { QuerySetStorage(copying: self) }

    // MARK: Reading

    func contains(_ id: QuerySet.ID) -> Bool { entry(id) != nil }

    func entry(_ id: QuerySet.ID) -> QuerySet.Entry? {
        guard id.index < entries.count, generation(of: id.entry) == id.generation else { return nil }
        return entries[id.index]
    }

    func id(of entry: EntryIndex) -> QuerySet.ID { QuerySet.ID(entry, generation: generation(of: entry)) }

    /// The IDs of all queries, in their order.
    var ids: [QuerySet.ID] {
        var ids = entries.indices.filter { entries[$0] != nil }.map { id(of: EntryIndex($0)) }
        sort(&ids)
        return ids
    }

    /// Sorts IDs into the order of their queries.
    func sort(_ ids: inout [QuerySet.ID]) {
        // A comparison of two ranks that have to be found first takes several times as long.
        var ranked = ids.map { Ranked(rank: view.pointee.entries[$0.entry].rank, id: $0) }
        ranked.sort { $0.rank < $1.rank }
        for index in ids.indices { ids[index] = ranked[index].id }
    }

    private struct Ranked: BitwiseCopyable {
        let rank: Rank
        let id: QuerySet.ID
    }

    private func generation(of entry: EntryIndex) -> UInt32 { view.pointee.entries[entry].generation }

    // MARK: Editing, for the holder of the only reference

    func insert(_ entry: QuerySet.Entry) -> QuerySet.ID {
        let index = trie.insert(entry.compiled, rank: Rank(priority: entry.priority, serial: nextSerial))
        if index.offset < entries.count { entries[index.offset] = entry } else { entries.append(entry) }
        nextSerial += 1
        count += 1
        view.pointee = trie.view
        return id(of: index)
    }

    func remove(_ id: QuerySet.ID) -> QuerySet.Entry? {
        guard let entry = entry(id) else { return nil }
        trie.remove(id.entry)
        entries[id.index] = nil
        count -= 1
        view.pointee = trie.view
        return entry
    }

    func replace(_ id: QuerySet.ID, with entry: QuerySet.Entry) {
        trie.replace(id.entry, with: entry.compiled)
        entries[id.index] = entry
        view.pointee = trie.view
    }

    func setPriority(_ priority: Int, of id: QuerySet.ID) {
        trie.setPriority(priority, of: id.entry)
        entries[id.index]?.priority = priority
        view.pointee = trie.view
    }
}
