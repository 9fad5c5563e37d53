// The storage of a set, shared by its copies.

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
