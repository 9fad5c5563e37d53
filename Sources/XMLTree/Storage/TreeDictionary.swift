// The shared data of many trees: a parser makes one for all trees that use the same table of names.

/// The names that trees refer to, and the bindings around their roots.
///
/// Sendable although it holds pointers: they point into the table, which is Sendable.
@usableFromInline package final class TreeDictionary: @unchecked Sendable {
    let names: NameTable
    /// `nil` if the trees have no bindings around them.
    let context: SharedNamespaceContext?
    /// The table's records: this saves a load.
    @usableFromInline let records: UnsafePointer<NameRecord>
    @usableFromInline let nameBytes: UnsafePointer<UInt8>

    init(names: NameTable, context: SharedNamespaceContext?) {
        self.names = names
        self.context = context
        records = UnsafePointer(names.records)
        nameBytes = UnsafePointer(names.bytes)
    }
}
